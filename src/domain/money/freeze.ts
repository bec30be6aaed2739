// Freezes the whole price of a task, or nothing. Decided under the lock of the account, so that concurrent tasks never exceed the balance
// or the daily limit.

import { type ErrorText, errorText } from '../fault/error-text.js';
import type { TaskId } from '../id.js';
import { type Account, postEntry } from './ledger.js';
import { formatMoney, type Money, moneyFromMillionths, ZERO } from './money.js';

export interface FreezeRequest {
  readonly taskId: TaskId;
  readonly price: Money;
  /** How many numbers the price is for. */
  readonly numbers: number;
}

/** The balance to freeze from, and the daily limit. */
export type FreezeLimits = Pick<Account, 'available' | 'creditLimit' | 'dailyLimit' | 'frozenOn' | 'frozenThatDay'>;

/** Why a price is not frozen: too little money, or the daily limit. */
export type FreezeObstacle = 'funds' | 'limit';

/** The UTC day, as 2026-11-15. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/**
 * What counts against the daily limit: everything that was frozen on that day, even if it was released since. A clock that is set back
 * does not return to an old day.
 */
export function frozenToday(
  { frozenOn, frozenThatDay }: Pick<FreezeLimits, 'frozenOn' | 'frozenThatDay'>,
  now: Date,
): Money {
  return frozenOn !== null && frozenOn >= dayOf(now) ? frozenThatDay : ZERO;
}

/** Why a price cannot be frozen now; undefined if it can. A price of zero always can. */
export function findObstacle(limits: FreezeLimits, price: Money, now: Date): FreezeObstacle | undefined {
  const { available, creditLimit, dailyLimit } = limits;
  if (price === 0n) return undefined;
  // Before the check of the balance, because a top-up would not help.
  if (isBeyondLimit(limits, price)) return 'limit';
  if (price > available + creditLimit) return 'funds';
  return dailyLimit !== null && frozenToday(limits, now) + price > dailyLimit ? 'limit' : undefined;
}

/** The price alone exceeds the daily limit. */
export function isBeyondLimit({ dailyLimit }: Pick<FreezeLimits, 'dailyLimit'>, price: Money): boolean {
  return dailyLimit !== null && price > dailyLimit;
}

/**
 * Whether a price that could not be frozen before, or since, may be frozen now: a higher balance, more credit, another daily limit, or
 * another day. More credit counts even if the balance fell: a task may have found too little in between.
 */
export function hasMoreRoom(before: FreezeLimits, after: FreezeLimits): boolean {
  const isRicher = after.available + after.creditLimit > before.available + before.creditLimit;
  return (
    isRicher ||
    after.creditLimit > before.creditLimit ||
    after.dailyLimit !== before.dailyLimit ||
    after.frozenOn !== before.frozenOn
  );
}

/** When a price over today's limit may be frozen; null if only a higher limit helps. */
export function fitsFrom(limits: FreezeLimits, price: Money, now: Date): Date | null {
  if (isBeyondLimit(limits, price)) return null;
  const today = limits.frozenOn !== null && limits.frozenOn > dayOf(now) ? limits.frozenOn : dayOf(now);
  return new Date(Date.parse(today) + 24 * 3_600_000);
}

/**
 * Posts a freeze, or returns the obstacle. First come, first served; a task that cannot be frozen does not block a smaller one behind
 * it. A price of zero has no ledger entry.
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

/** The error text of an obstacle. */
export function explainObstacle(limits: FreezeLimits, price: Money, obstacle: FreezeObstacle, now: Date): ErrorText {
  const { dailyLimit } = limits;
  if (obstacle === 'funds' || dailyLimit === null) return errorText('balance_too_low');
  const from = fitsFrom(limits, price, now);
  const amounts = { price: formatMoney(price), limit: formatMoney(dailyLimit) };
  if (from === null) return errorText('price_above_daily_limit', amounts);
  const used = formatMoney(frozenToday(limits, now));
  return errorText('daily_limit_reached', { ...amounts, used, from: from.toISOString() });
}

/** The fields that change in a task whose price cannot be frozen. */
export function waitingFieldsOf(obstacle: FreezeObstacle) {
  return { insufficientFunds: true, overLimit: obstacle === 'limit' } as const;
}
