// Money is a whole number of millionths, in TypeScript as in the database, so that sums are exact. Decimal strings exist
// only at the edges: what comes in is parsed once, what goes out always shows six fraction digits.

declare const moneyBrand: unique symbol;

/** An amount in millionths of the customer's currency. */
export type Money = bigint & { readonly [moneyBrand]: 'Money' };

const FRACTION_DIGITS = 6;
const MILLIONTHS_PER_UNIT = 10n ** BigInt(FRACTION_DIGITS);

/** The range of the database column. The lower bound mirrors the upper one, so that every amount can be negated. */
const MAX_MILLIONTHS = 2n ** 63n - 1n;

/** The longest decimal that can be in range; longer text is refused before any of it becomes a number. */
const MAX_TEXT_LENGTH = '-9223372036854.775807'.length;

const DECIMAL = /^(-?)(0|[1-9]\d*)(?:\.(\d{1,6}))?$/;

export const ZERO = 0n as Money;
export const MAX_MONEY = MAX_MILLIONTHS as Money;
/** Of one part: 5,000 numbers of the longest messages at this price are still an amount. */
export const MAX_UNIT_PRICE = (1_000_000n * MILLIONTHS_PER_UNIT) as Money;

/** Of one top-up or adjustment: nine thousand of the largest in one statement still add up within 64 bits. */
export const MAX_CREDIT = (1_000_000_000n * MILLIONTHS_PER_UNIT) as Money;

/** Brands a count of millionths. Throws when it would not fit the database: that is a broken invariant, not bad input. */
export function moneyFromMillionths(millionths: bigint): Money {
  if (millionths > MAX_MILLIONTHS || millionths < -MAX_MILLIONTHS) {
    throw new RangeError(`an amount of ${millionths} millionths does not fit 64 bits`);
  }
  return millionths as Money;
}

/**
 * Reads a decimal string such as `12`, `0.05` or `100.000000`. Undefined when it is anything else: an exponent, a plus
 * sign, a leading zero, a seventh fraction digit (rounding a price silently would be worse than refusing it), or out of
 * range. A minus sign is taken only with `signed`, since most amounts (prices, top-ups, limits) have no negative meaning.
 */
export function parseMoney(text: string, sign: 'unsigned' | 'signed' = 'unsigned'): Money | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, minus = '', units = '', fraction = ''] = match;
  if (minus !== '' && sign === 'unsigned') return undefined;
  const millionths = BigInt(units + fraction.padEnd(FRACTION_DIGITS, '0'));
  if (millionths > MAX_MILLIONTHS) return undefined;
  return (minus === '' ? millionths : -millionths) as Money;
}

/** The decimal string shown outside, always with six fraction digits. */
export function formatMoney(money: Money): string {
  const exact = Number(money);
  // Nearly every amount, at a fraction of what arithmetic on bigints costs.
  if (exact >= 0 && exact <= Number.MAX_SAFE_INTEGER) {
    return `${Math.floor(exact / 1e6)}.${String(exact % 1e6).padStart(FRACTION_DIGITS, '0')}`;
  }
  const magnitude = money < 0n ? -money : money;
  const fraction = String(magnitude % MILLIONTHS_PER_UNIT).padStart(FRACTION_DIGITS, '0');
  return `${money < 0n ? '-' : ''}${magnitude / MILLIONTHS_PER_UNIT}.${fraction}`;
}
