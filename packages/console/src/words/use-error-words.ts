import type { Fault, PostriderError } from '@postrider/client';
import { usePreferences } from '../preferences.js';
import { useWords } from './say.js';
import { type ErrorSentence, sayError } from './say-error.js';
import { sayPlace } from './say-place.js';

export function useErrorWords(): (sentence: ErrorSentence) => string {
  const { language } = usePreferences();
  return (sentence) => sayError(language, sentence);
}

export function useFaultWords(): (fault: Fault) => string {
  const say = useErrorWords();
  return ({ key, params, message }) => say({ key, params, text: message });
}

/** Why the service refused. The detail of an invalid request is its first fault, with its place in words. */
export function useProblemWords(): (error: PostriderError) => string {
  const words = useWords();
  const say = useErrorWords();
  const sayFault = useFaultWords();
  return (error) => {
    const [first] = error.errors;
    if (first === undefined) return say({ key: error.key, params: error.params, text: error.detail ?? error.title });
    return first.pointer === '' ? sayFault(first) : `${sayPlace(words, first.pointer)}: ${sayFault(first)}`;
  };
}
