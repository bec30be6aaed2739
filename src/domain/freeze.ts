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

/**
 * Posts a freeze where the account has room for it, and says whether it had. First come, first served; a task that does not
 * fit does not keep a smaller one behind it from going on. What costs nothing leaves no trace in the ledger.
 */
export function tryFreeze(account: Account, { taskId, price, numbers }: FreezeWish, now: Date): boolean {
  if (price === 0n) return true;
  if (price > account.available + account.creditLimit) return false;
  postEntry(account, { type: 'freeze', amount: price, taskId, numbers }, now);
  return true;
}
