import { fillWords } from './all-words.js';
import { serviceSentences } from './service-sentences.js';

/** What the service says, in Chinese; undefined for a sentence that is not known here. */
export function sayInChinese(message: string): string | undefined {
  for (const [english, chinese] of serviceSentences) {
    const pattern = english.replaceAll(/[.*+?^$()[\]\\|]/g, '\\$&').replaceAll(/\{(\w+)\}/g, '(?<$1>.+)');
    const values = new RegExp(`^${pattern}$`, 'u').exec(message);
    if (values !== null) return fillWords(chinese, { ...values.groups });
  }
  return undefined;
}
