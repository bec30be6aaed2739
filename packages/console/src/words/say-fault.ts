import type { PostriderError } from '@postrider/client';
import { usePreferences } from '../shell/preferences.js';
import { sayValue, useWords } from './say.js';

type Fault = PostriderError['errors'][number];

/** A fault in the viewer's language: what it is about first, where the service's own sentence is in another. */
export function useFaultWords(): (fault: Fault) => string {
  const say = useWords();
  const { language } = usePreferences();
  return ({ code, message }) => (language === 'en' ? message : `${sayValue(say, 'fault', code)} · ${message}`);
}
