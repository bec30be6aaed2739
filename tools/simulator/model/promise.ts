// The promises, by name. A report of a failure says which one is broken.

export const PROMISES = {
  counts: 'counts add up to the total, and to what is recorded of each number',
  amounts: 'frozen = charged + released + held, refunded <= charged',
  ledger: 'amounts and balances equal the sums of the ledger, which has no gaps',
  funds: 'a task is frozen as a whole, and within the credit',
  money: 'the money of each number moves once, as its outcome and terms say',
  stage: 'a stage never goes back, except out of submit_unknown, and agrees with the counts',
  receipt: 'a number has one receipt, and it never changes',
  reason: 'a receipt has its reason in what was asked, sent, answered and reported, or in a time that has passed',
  sent: 'a part is sent once for each granted attempt, and never again after it was accepted or its answer was lost',
  allowed: 'nothing is sent for a number with a receipt, before its time, while paused or before its price is frozen',
  records: 'what was sent and what was reported is recorded, once',
  ends: 'once faults stop, every number ends',
} as const;

export type PromiseName = keyof typeof PROMISES;

export class BrokenPromiseError extends Error {
  override readonly name = 'BrokenPromiseError';
  readonly promise: PromiseName;

  constructor(promise: PromiseName, detail: string) {
    super(`${promise}: ${detail}`);
    this.promise = promise;
  }
}

export function hold(promise: PromiseName, isKept: boolean, detail: () => string): void {
  if (!isKept) throw new BrokenPromiseError(promise, detail());
}
