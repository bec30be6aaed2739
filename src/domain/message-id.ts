// Upstreams spell one message id in several ways: hexadecimal in the answer and decimal in the report, with or without
// leading zeros, in either case. A stored id has one key; a reported id has every key that it may stand for.

export type MessageIdFormat = 'auto' | 'exact' | 'hex_then_decimal' | 'decimal_then_hex';

/** The same as `ltrim(lower(id), '0')` in the index of submitted parts. */
export function messageKeyOf(messageId: string): string {
  return messageId.toLowerCase().replace(/^0+/, '');
}

const DECIMAL = /^\d+$/;
const HEXADECIMAL = /^[\da-f]+$/;
/** Longer ids are no numbers that anybody converts. */
const MAX_NUMERIC_LENGTH = 32;

/** The keys under which the part of a report may be stored, the likeliest first. */
export function reportKeysOf(messageId: string, format: MessageIdFormat = 'auto'): readonly string[] {
  const key = messageKeyOf(messageId);
  if (format === 'exact' || key.length === 0 || key.length > MAX_NUMERIC_LENGTH) return [key];
  const asHex = DECIMAL.test(key) ? BigInt(key).toString(16) : undefined;
  const asDecimal = HEXADECIMAL.test(key) ? BigInt(`0x${key}`).toString() : undefined;
  if (format === 'hex_then_decimal') return [asHex ?? key];
  if (format === 'decimal_then_hex') return [asDecimal ?? key];
  return [...new Set([key, asHex, asDecimal].filter((candidate) => candidate !== undefined))];
}
