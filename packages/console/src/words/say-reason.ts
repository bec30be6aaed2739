import type { Receipt } from '@postrider/client';
import { isWord } from './all-words.js';
import type { Say } from './say.js';

/** Without the error that an upstream may add behind its own word, such as the 045 of UNDELIV:045. */
function nameOf(code: string): string {
  return code.split(':', 1)[0] ?? code;
}

function sayKnown(say: Say, prefix: string, value: string): string | undefined {
  const word = `${prefix}.${value}`;
  return isWord(word) ? say(word) : undefined;
}

/** What a code means, of the service or of an upstream; undefined for one that is not known. */
export function sayCode(say: Say, code: string): string | undefined {
  return sayKnown(say, 'reason', code) ?? sayKnown(say, 'code', nameOf(code));
}

/** What to do about it, where anything is to be said. */
export function sayAdvice(say: Say, code: string): string | undefined {
  return sayKnown(say, 'advice', nameOf(code));
}

/** Why a number came to its end. A code that is not known is an upstream's own: then the result says it. */
export function sayReason(
  say: Say,
  { code, result, description }: Pick<Receipt, 'code' | 'result' | 'description'>,
): string {
  return (code === null ? undefined : sayCode(say, code)) ?? sayKnown(say, 'reason', result) ?? description;
}
