import type { Fault, PostriderError } from '@postrider/client';
import { usePreferences } from '../shell/preferences.js';
import { type ErrorSentence, sayError } from './say-error.js';

export function useErrorWords(): (sentence: ErrorSentence) => string {
  const { language } = usePreferences();
  return (sentence) => sayError(language, sentence);
}

export function useFaultWords(): (fault: Fault) => string {
  const say = useErrorWords();
  return ({ key, params, message }) => say({ key, params, text: message });
}

/** Why the service refused. The detail of an invalid request is its first fault, with its place. */
export function useProblemWords(): (error: PostriderError) => string {
  const { language } = usePreferences();
  const say = useErrorWords();
  const sayFault = useFaultWords();
  return (error) => {
    const text = error.detail ?? error.title;
    const [first] = error.errors;
    if (language === 'en' || first === undefined) return say({ key: error.key, params: error.params, text });
    return first.pointer === '' ? sayFault(first) : `${first.pointer}: ${sayFault(first)}`;
  };
}
