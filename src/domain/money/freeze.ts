// Freezing: the whole price of a task is set aside, or nothing is. Decided under the account's lock, so that many at once
// never take more than there is, nor more than the customer may freeze in a day.

import type { TaskId } from '../id.js';
import { type ErrorText, errorText } from '../request/error-text.js';
import { type Account, postEntry } from './ledger.js';
import { formatMoney, type Money, moneyFromMillionths, ZERO } from './money.js';

export interface FreezeRequest {
  readonly taskId: TaskId;
  readonly price: Money;
  /** How many numbers the price is for. */
  readonly numbers: number;
}

/** What there is to freeze from, and how much of it may go in a day. */
export type FreezeLimits = Pick<Account, 'available' | 'creditLimit' | 'dailyLimit' | 'frozenOn' | 'frozenThatDay'>;

/** Why a price is not frozen: there is too little money, or the limit of the day leaves too little room. */
export type FreezeObstacle = 'funds' | 'limit';

/** The UTC day of a moment, as 2026-11-15. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/**
 * What counts against the limit of the day: everything that was frozen in it, whatever became of it since. A clock that is
 * set back does not bring an old day back.
 */
export function frozenToday(
  { frozenOn, frozenThatDay }: Pick<FreezeLimits, 'frozenOn' | 'frozenThatDay'>,
  now: Date,
): Money {
  return frozenOn !== null && frozenOn >= dayOf(now) ? frozenThatDay : ZERO;
}

/** What keeps a price from being frozen now; undefined when nothing does. What costs nothing always can be frozen. */
export function findObstacle(means: FreezeLimits, price: Money, now: Date): FreezeObstacle | undefined {
  const { available, creditLimit, dailyLimit } = means;
  if (price === 0n) return undefined;
  // Said before any lack of money, which more money would mend.
  if (isBeyondLimit(means, price)) return 'limit';
  if (price > available + creditLimit) return 'funds';
  return dailyLimit !== null && frozenToday(means, now) + price > dailyLimit ? 'limit' : undefined;
}

/** No day is long enough for this price: only a higher limit helps. */
export function isBeyondLimit({ dailyLimit }: Pick<FreezeLimits, 'dailyLimit'>, price: Money): boolean {
  return dailyLimit !== null && price > dailyLimit;
}

/** Whether what did not fit then may fit now: there is more to freeze from, another limit, or another day. */
export function hasMoreRoom(then: FreezeLimits, now: FreezeLimits): boolean {
  const isRicher = now.available + now.creditLimit > then.available + then.creditLimit;
  return isRicher || now.dailyLimit !== then.dailyLimit || now.frozenOn !== then.frozenOn;
}

/** From when on a price that is over the limit of today may fit; null when only a higher limit helps. */
export function fitsFrom(means: FreezeLimits, price: Money, now: Date): Date | null {
  if (isBeyondLimit(means, price)) return null;
  const today = means.frozenOn !== null && means.frozenOn > dayOf(now) ? means.frozenOn : dayOf(now);
  return new Date(Date.parse(today) + 24 * 3_600_000);
}

/**
 * Posts a freeze where nothing keeps it, and says what did otherwise. First come, first served; a task that does not fit does
 * not keep a smaller one behind it from going on. What costs nothing leaves no trace in the ledger.
 */
export function tryFreeze(
  account: Account,
  { taskId, price, numbers }: FreezeRequest,
  now: Date,
): FreezeObstacle | undefined {
  const obstacle = findObstacle(account, price, now);
  if (obstacle !== undefined || price === 0n) return obstacle;
  postEntry(account, { type: 'freeze', amount: price, taskId, numbers }, now);
  account.frozenThatDay = moneyFromMillionths(frozenToday(account, now) + price);
  const today = dayOf(now);
  if (account.frozenOn === null || account.frozenOn < today) account.frozenOn = today;
  return undefined;
}

/** The obstacle in words, for whoever asked for the freeze. */
export function explainObstacle(means: FreezeLimits, price: Money, obstacle: FreezeObstacle, now: Date): ErrorText {
  const { dailyLimit } = means;
  if (obstacle === 'funds' || dailyLimit === null) return errorText('balance_too_low');
  const from = fitsFrom(means, price, now);
  const amounts = { price: formatMoney(price), limit: formatMoney(dailyLimit) };
  if (from === null) return errorText('price_above_daily_limit', amounts);
  const used = formatMoney(frozenToday(means, now));
  return errorText('daily_limit_reached', { ...amounts, used, from: from.toISOString() });
}

/** How a task stands that could not be frozen. */
export function waitingFor(obstacle: FreezeObstacle) {
  return { insufficientFunds: true, overLimit: obstacle === 'limit' } as const;
}
