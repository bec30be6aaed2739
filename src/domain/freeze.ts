// Freezing: the whole price of a task is set aside, or nothing is. Decided under the account's lock, so that many at once
// never take more than there is.

import type { TaskId } from './id.js';
import { type Account, postEntry } from './ledger.js';
import type { Money } from './money.js';

export interface FreezeWish {
  readonly taskId: TaskId;
  readonly price: Money;
  /** How many numbers the price is for. */
  readonly numbers: number;
}

/** Whether a price could be frozen now. What costs nothing always can. */
export function canFreeze(
  { available, creditLimit }: Pick<Account, 'available' | 'creditLimit'>,
  price: Money,
): boolean {
  return price === 0n || price <= available + creditLimit;
}

/**
 * Posts a freeze where the account has room for it, and says whether it had. First come, first served; a task that does not
 * fit does not keep a smaller one behind it from going on. What costs nothing leaves no trace in the ledger.
 */
export function tryFreeze(account: Account, { taskId, price, numbers }: FreezeWish, now: Date): boolean {
  if (!canFreeze(account, price)) return false;
  if (price > 0n) postEntry(account, { type: 'freeze', amount: price, taskId, numbers }, now);
  return true;
}
