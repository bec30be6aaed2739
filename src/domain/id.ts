// Ids carry the time they were made: milliseconds since the epoch in the upper bits, 20 random bits below. One key
// (customer, id) then serves newest-first order, cursors and time filters together. The lower bits are random rather
// than counted so that a number shown to one customer says nothing about how much others send.

import { MAX_TIME_MS } from './rfc3339.js';

declare const customerIdBrand: unique symbol;
declare const taskIdBrand: unique symbol;

export type CustomerId = bigint & { readonly [customerIdBrand]: 'CustomerId' };
export type TaskId = bigint & { readonly [taskIdBrand]: 'TaskId' };

export function asCustomerId(id: bigint): CustomerId {
  return id as CustomerId;
}

export function asTaskId(id: bigint): TaskId {
  return id as TaskId;
}

const LOW_BITS = 20n;
const LOW_VALUES = 2 ** 20;

/** Beyond this share of a millisecond's ids, looking for a free one by chance gets slow; the next millisecond is used. */
const MAX_IDS_PER_MILLISECOND = LOW_VALUES / 2;

const BYTES_PER_ID = 3;
const IDS_PER_REFILL = 1024;

const MAX_ID = 2n ** 63n - 1n;

/**
 * A source of ids that never repeats itself: it remembers the ids of the current millisecond, and never goes back to an
 * earlier one when the clock does. Two processes may meet by chance, one in a million when both make an id in the same
 * millisecond for the same customer; the primary key decides then.
 */
export function createIdSource(options: {
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}): () => bigint {
  const used = new Set<number>();
  let currentMs = -1;
  let pool = new Uint8Array(0);
  let poolAt = 0;

  const drawLow = (): number => {
    if (poolAt + BYTES_PER_ID > pool.length) {
      pool = Uint8Array.from(options.randomBytes(BYTES_PER_ID * IDS_PER_REFILL));
      poolAt = 0;
    }
    let bits = 0;
    for (let end = poolAt + BYTES_PER_ID; poolAt < end; poolAt += 1) bits = (bits << 8) | (pool[poolAt] ?? 0);
    return bits % LOW_VALUES;
  };

  return () => {
    const nowMs = Math.floor(options.now());
    if (nowMs > currentMs || used.size >= MAX_IDS_PER_MILLISECOND) {
      currentMs = Math.max(nowMs, currentMs + 1);
      used.clear();
    }
    let low = drawLow();
    while (used.has(low)) low = (low + 1) % LOW_VALUES;
    used.add(low);
    return (BigInt(currentMs) << LOW_BITS) | BigInt(low);
  };
}

export function timeOfId(id: bigint): Date {
  return new Date(Number(id >> LOW_BITS));
}

/** The smallest id of that millisecond: `id >= firstIdAt(start) and id < firstIdAt(end)` filters by time. */
export function firstIdAt(date: Date): bigint {
  // A filter may name any time that can be written down; ids exist from the epoch until the 43 bits run out in 2248.
  return BigInt(Math.min(Math.max(date.getTime(), 0), MAX_TIME_MS)) << LOW_BITS;
}

/** What a number shown outside stands for: its first letter. */
export type NoPrefix =
  | 'T' // task
  | 'B' // blocked words
  | 'S' // submit record
  | 'D' // delivery record
  | 'U' // uplink
  | 'L' // ledger entry
  | 'C' // customer
  | 'E' // test message of a channel
  | 'H' // channel
  | 'A' // service account
  | 'M' // template
  | 'P' // operator
  | 'N' // user of the console
  | 'K' // session of a user
  | 'X' // erasure
  | 'Y' // passkey of a user
  | 'W'; // webhook

// Crockford's alphabet: no I, L, O or U, in the order of ASCII, so that fixed-width texts sort as their numbers do.
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const WIDTH = 13;

// Keyed by both cases and nothing else: letters that upper-case to ASCII from elsewhere (such as ſ) are no digits.
const valueOfDigit = new Map<string, bigint>();
for (const [value, digit] of [...CROCKFORD].entries()) {
  valueOfDigit.set(digit, BigInt(value));
  valueOfDigit.set(digit.toLowerCase(), BigInt(value));
}

/** The text form of an id: a letter and thirteen characters, which sort as the ids do. */
export function formatNo(prefix: NoPrefix, id: bigint): string {
  if (id < 0n || id > MAX_ID) throw new RangeError(`id ${id} does not fit 63 bits`);
  // In two halves that fit a number each: arithmetic on one bigint costs several times more.
  return prefix + writeDigits(Number(id >> 30n), WIDTH - 6) + writeDigits(Number(id & 0x3fffffffn), 6);
}

function writeDigits(value: number, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 32)) text = CROCKFORD.charAt(rest % 32) + text;
  return text;
}

/**
 * The id, or undefined for any text that `formatNo` cannot have made, save for its case. Crockford's look-alikes (O for
 * 0, I for 1) are not taken: a number comes from us by machine, and one that was altered is better not found.
 */
export function parseNo(prefix: NoPrefix, text: string): bigint | undefined {
  if (text.length !== 1 + WIDTH || (text[0] !== prefix && text[0] !== prefix.toLowerCase())) return undefined;
  let value = 0n;
  for (let at = 1; at <= WIDTH; at++) {
    const digit = valueOfDigit.get(text.charAt(at));
    if (digit === undefined) return undefined;
    value = value * 32n + digit;
  }
  return value <= MAX_ID ? value : undefined;
}
