// Freezing: the whole price of a task is set aside, or nothing is. Decided under the account's lock, so that many at once
// never take more than there is.

import type { TaskId } from '../domain/id.js';
import { type Money, moneyFromMillionths } from '../domain/money.js';
import type { Account, Entry } from '../store/account.js';

export interface FreezeWish {
  readonly taskId: TaskId;
  readonly price: Money;
  /** How many numbers the price is for. */
  readonly numbers: number;
}

export interface FreezeDecision {
  readonly granted: readonly FreezeWish[];
  readonly refused: readonly FreezeWish[];
  readonly entries: readonly Entry[];
}

/** First come, first served; a task that does not fit does not keep a smaller one behind it from going on. */
export function decideFreezes(account: Account, wishes: readonly FreezeWish[]): FreezeDecision {
  let room = account.available + account.creditLimit;
  const granted: FreezeWish[] = [];
  const refused: FreezeWish[] = [];
  const entries: Entry[] = [];
  for (const wish of wishes) {
    if (wish.price > room && wish.price > 0n) {
      refused.push(wish);
      continue;
    }
    room -= wish.price;
    granted.push(wish);
    // What costs nothing leaves no trace in the ledger.
    if (wish.price > 0n) {
      entries.push({
        type: 'freeze',
        amount: moneyFromMillionths(wish.price),
        taskId: wish.taskId,
        numbers: wish.numbers,
      });
    }
  }
  return { granted, refused, entries };
}
