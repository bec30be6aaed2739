// Amounts are decimal strings and are computed as whole millionths. No floating point comes near them.

const SCALE = 6;

/** `"-1.5"` → -1500000n. */
export function toMillionths(decimal: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(decimal);
  if (match === null) throw new Error(`${decimal} is no amount`);
  const [, sign, whole = '0', fraction = ''] = match;
  const value = BigInt(whole) * 10n ** BigInt(SCALE) + BigInt(fraction.padEnd(SCALE, '0'));
  return sign === '-' ? -value : value;
}

export function toDecimal(millionths: bigint): string {
  const digits = (millionths < 0n ? -millionths : millionths).toString().padStart(SCALE + 1, '0');
  return `${millionths < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}

export function addAmounts(...decimals: readonly string[]): string {
  return toDecimal(decimals.reduce((sum, decimal) => sum + toMillionths(decimal), 0n));
}

export interface FreezeLimits {
  readonly available: string;
  readonly credit_limit: string;
}

/** What can be frozen: what is available, and the credit where there is one. */
export function findFree({ available, credit_limit: credit }: FreezeLimits): string {
  return addAmounts(available, credit);
}

/** How much of a price is not there; undefined where all of it is. */
export function findMissing(price: string, means: FreezeLimits): string | undefined {
  const missing = toMillionths(price) - toMillionths(findFree(means));
  return missing > 0n ? toDecimal(missing) : undefined;
}

/** As people write it, without the zeros that align amounts in a table. */
export function trimAmount(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}

export function isNegative(decimal: string): boolean {
  return toMillionths(decimal) < 0n;
}

export function isZero(decimal: string): boolean {
  return toMillionths(decimal) === 0n;
}

export interface AmountPieces {
  readonly sign: string;
  /** With thousands apart. */
  readonly whole: string;
  /** The digits that matter: two at least. */
  readonly fraction: string;
  /** The zeros behind them, up to six digits: kept so that amounts align at the point. */
  readonly zeros: string;
}

export function splitAmount(decimal: string): AmountPieces {
  const [whole = '0', fraction = ''] = toDecimal(toMillionths(decimal)).replace('-', '').split('.');
  const significant = fraction.replace(/0+$/, '').padEnd(2, '0');
  return {
    sign: isNegative(decimal) ? '−' : '',
    whole: whole.replaceAll(/\B(?=(\d{3})+$)/g, ','),
    fraction: significant,
    zeros: fraction.slice(significant.length),
  };
}

/** For sentences: without the zeros that only align. */
export function showAmount(decimal: string, currency = ''): string {
  const { sign, whole, fraction } = splitAmount(decimal);
  return `${sign}${whole}.${fraction}${currency === '' ? '' : ` ${currency}`}`;
}

/** How far up an axis an amount goes, for drawing only: exact to a ten-thousandth of the largest. */
export function shareOf(decimal: string, largest: bigint): number {
  return largest === 0n ? 0 : Number((toMillionths(decimal) * 10_000n) / largest) / 10_000;
}
