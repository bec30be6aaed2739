// Upstreams spell one message id in several ways: hexadecimal in the answer and decimal in the report, with or without
// leading zeros, in either case. Case and leading zeros never tell two messages apart, so they are no part of the key.
// Hexadecimal and decimal do: `1000` read as hexadecimal is another message's `4096`. Such a spelling is a guess, and a
// guess settles nothing unless the handset's number agrees.

export type MessageIdFormat = 'auto' | 'exact' | 'hex_then_decimal' | 'decimal_then_hex';

/** The key of an id, which is empty for an empty id alone: an upstream that numbers from `0` has an id. */
export function messageKeyOf(messageId: string): string {
  return messageId.toLowerCase().replace(/^0+(?=.)/s, '');
}

/** Under which keys the part of a reported id may be stored. */
export interface ReportedKeys {
  /** What the id says, in the format that the channel is configured for; undefined when the report carries no id. */
  readonly exact: string | undefined;
  /** What it may also mean, the likeliest first. Believed only where the handset's number agrees. */
  readonly guesses: readonly string[];
}

const DECIMAL = /^\d+$/;
const HEXADECIMAL = /^[\da-f]+$/;
/** Longer ids are no numbers that anybody converts. */
const MAX_NUMERIC_LENGTH = 32;

export function readReportedKeys(messageId: string, format: MessageIdFormat = 'auto'): ReportedKeys {
  const key = messageKeyOf(messageId);
  if (key === '') return { exact: undefined, guesses: [] };
  if (format === 'exact' || key.length > MAX_NUMERIC_LENGTH) return { exact: key, guesses: [] };
  const asHex = DECIMAL.test(key) ? BigInt(key).toString(16) : undefined;
  const asDecimal = HEXADECIMAL.test(key) ? BigInt(`0x${key}`).toString() : undefined;
  // A channel that was told how its upstream spells ids has nothing to guess.
  if (format === 'hex_then_decimal') return { exact: asHex ?? key, guesses: [] };
  if (format === 'decimal_then_hex') return { exact: asDecimal ?? key, guesses: [] };
  const guesses = [asHex, asDecimal].filter((guess) => guess !== undefined && guess !== key);
  return { exact: key, guesses: guesses as string[] };
}

/** The exact key and the guesses in one list, for a caller that checks the handset's number of whatever it finds. */
export function reportKeysOf(messageId: string, format: MessageIdFormat = 'auto'): readonly string[] {
  const { exact, guesses } = readReportedKeys(messageId, format);
  return exact === undefined ? [] : [exact, ...guesses];
}
