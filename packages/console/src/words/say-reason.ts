import type { Receipt } from '@postrider/client';
import { type Say, sayValue } from './say.js';

/** Why a number came to its end. Codes of an upstream are its own: then the result says it. */
export function sayReason(
  say: Say,
  { code, result, description }: Pick<Receipt, 'code' | 'result' | 'description'>,
): string {
  for (const known of [code, result]) {
    if (known === null) continue;
    const text = sayValue(say, 'reason', known);
    if (text !== known) return text;
  }
  return description;
}
