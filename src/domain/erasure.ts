// What a phone number becomes when it is erased. The hash is keyed: without the key it cannot be found by trying all numbers.

import { createHmac } from 'node:crypto';

export interface ErasedNumber {
  /** 32 hexadecimal digits. */
  readonly hash: string;
  /** What stands where the number stood. */
  readonly phone: string;
  /** What stands where its key stood: negative, so that it is no other number's. */
  readonly phoneKey: string;
}

export const ERASED = 'erased-';
const HASH_DIGITS = 32;
/** 56 bits, which are at most 17 decimal digits. */
const KEY_DIGITS = 14;

/** `digits` is the number in E.164 without the plus sign. */
export function eraseNumber(key: Buffer, digits: string): ErasedNumber {
  const hash = createHmac('sha256', key).update(digits).digest('hex').slice(0, HASH_DIGITS);
  return { hash, phone: ERASED + hash, phoneKey: `-${BigInt(`0x${hash.slice(0, KEY_DIGITS)}`)}` };
}
