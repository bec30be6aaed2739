import type { PostriderError } from '@postrider/client';
import { usePreferences } from '../shell/preferences.js';
import { isWord } from './all-words.js';
import { sayValue, useWords } from './say.js';
import { sayInChinese } from './say-in-chinese.js';

type Fault = PostriderError['errors'][number];

/** A fault in the viewer's language: what it is about first, where the service's own sentence is in another. */
export function useFaultWords(): (fault: Fault) => string {
  const say = useWords();
  const { language } = usePreferences();
  return ({ code, message }) =>
    language === 'en' ? message : (sayInChinese(message) ?? `${sayValue(say, 'fault', code)} · ${message}`);
}

/** A sentence of the service in the viewer's language, where it is known in it. */
export function useServiceWords(): (sentence: string) => string {
  const { language } = usePreferences();
  return (sentence) => (language === 'en' ? sentence : (sayInChinese(sentence) ?? sentence));
}

/** Why the service refused. Where its own sentence is not known in the viewer's language, the kind of refusal says it. */
export function useProblemWords(): (code: string, detail: string) => string {
  const say = useWords();
  const { language } = usePreferences();
  return (code, detail) => {
    if (language === 'en') return detail;
    // One fault is told by the problem itself, with its place before it.
    const [, place = '', fault = detail] = /^(\/\S+: )?(.*)$/u.exec(detail) ?? [];
    const known = sayInChinese(fault);
    if (known !== undefined) return `${place}${known}`;
    const word = `problem.${code}`;
    return isWord(word) ? say(word) : detail;
  };
}
