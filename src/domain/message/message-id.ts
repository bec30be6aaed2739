// Carriers write one message id in several ways: hexadecimal in the answer and decimal in the report, with or without leading zeros, in
// upper or lower case. Case and leading zeros never distinguish messages, so the key ignores them. Hexadecimal and decimal do: `1000`
// read as hexadecimal is the `4096` of another message. Such a reading is a guess, which needs the number of the handset to match.

export type MessageIdFormat = 'auto' | 'exact' | 'hex_then_decimal' | 'decimal_then_hex';

/** The key of an id. Only an empty id has an empty key: `0` is an id. */
export function messageKeyOf(messageId: string): string {
  const lower = messageId.toLowerCase();
  return lower.startsWith('0') ? lower.replace(/^0+(?=.)/s, '') : lower;
}

/** The keys under which the part of a reported id may be stored. */
export interface ReportedKeys {
  /** The id in the configured format; undefined if the report has no id. */
  readonly exact: string | undefined;
  /** Other readings, the likeliest first. Used only if the number of the handset matches. */
  readonly guesses: readonly string[];
}

const DECIMAL = /^\d+$/;
const HEXADECIMAL = /^[\da-f]+$/;
/** Longer ids are not converted. */
const MAX_NUMERIC_LENGTH = 32;

/** `readReportedKeys(…).exact`, without the cost of guesses. */
export function readExactKey(messageId: string, format: MessageIdFormat = 'auto'): string | undefined {
  if (format === 'hex_then_decimal' || format === 'decimal_then_hex') return readReportedKeys(messageId, format).exact;
  return messageKeyOf(messageId) || undefined;
}

export function readReportedKeys(messageId: string, format: MessageIdFormat = 'auto'): ReportedKeys {
  const key = messageKeyOf(messageId);
  if (key === '') return { exact: undefined, guesses: [] };
  if (format === 'exact' || key.length > MAX_NUMERIC_LENGTH) return { exact: key, guesses: [] };
  const asHex = DECIMAL.test(key) ? BigInt(key).toString(16) : undefined;
  const asDecimal = HEXADECIMAL.test(key) ? BigInt(`0x${key}`).toString() : undefined;
  // With a configured format there is nothing to guess.
  if (format === 'hex_then_decimal') return { exact: asHex ?? key, guesses: [] };
  if (format === 'decimal_then_hex') return { exact: asDecimal ?? key, guesses: [] };
  const guesses = [asHex, asDecimal].filter((guess) => guess !== undefined && guess !== key);
  return { exact: key, guesses: guesses as string[] };
}

/** The exact key and the guesses, for a caller that checks the number of the handset. */
export function reportKeysOf(messageId: string, format: MessageIdFormat = 'auto'): readonly string[] {
  const { exact, guesses } = readReportedKeys(messageId, format);
  return exact === undefined ? [] : [exact, ...guesses];
}
