import { formatMoney, type Money } from './money/money.js';

/**
 * As JSON has it: amounts become decimal strings and times RFC 3339. Every bigint is taken for money, so ids are left out
 * before.
 */
export function toPlain(value: object): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? formatMoney(member as Money) : member)),
  );
}
