// The ledger and the balances, as section 6 of the contract describes them.

import type { AccountRow, CustomerTerms, EntryRow, TaskRow } from './facts.js';
import { hold } from './promise.js';

const EFFECT: Readonly<Record<string, readonly [available: bigint, frozen: bigint]>> = {
  freeze: [-1n, 1n],
  charge: [0n, -1n],
  release: [1n, -1n],
  refund: [1n, 0n],
  topup: [1n, 0n],
  adjustment: [1n, 0n],
};

interface Book {
  readonly terms: CustomerTerms;
  seq: number;
  available: bigint;
  frozen: bigint;
  /** The sum of what its tasks hold. */
  held: bigint;
  /** The most that may be frozen in a UTC day. */
  dailyLimit: bigint | null;
  readonly frozenByDay: Map<number, bigint>;
}

const DAY_MS = 86_400_000;

interface TaskSums {
  freeze: bigint;
  charge: bigint;
  release: bigint;
  refund: bigint;
}

export class LedgerBook {
  readonly #books = new Map<number, Book>();
  readonly #sums = new Map<number, TaskSums>();
  readonly #heldByTask = new Map<number, bigint>();

  open(terms: CustomerTerms): void {
    this.#books.set(terms.customer, {
      terms,
      seq: 0,
      available: terms.available,
      frozen: 0n,
      held: 0n,
      dailyLimit: null,
      frozenByDay: new Map(),
    });
  }

  limitDay(customer: number, limit: bigint | null): void {
    this.#bookOf(customer).dailyLimit = limit;
  }

  post(entry: EntryRow, now: number): void {
    const book = this.#bookOf(entry.customer);
    const effect = EFFECT[entry.type];
    hold('ledger', effect !== undefined, () => `an entry of type ${entry.type}`);
    hold('ledger', entry.seq === book.seq + 1, () => `entry ${entry.seq} follows entry ${book.seq}`);
    hold('ledger', entry.amount > 0n || entry.type === 'adjustment', () => `an entry of ${entry.amount}`);
    book.seq = entry.seq;
    book.available += (effect?.[0] ?? 0n) * entry.amount;
    book.frozen += (effect?.[1] ?? 0n) * entry.amount;
    const isCarried = entry.availableAfter === book.available && entry.frozenAfter === book.frozen;
    hold('ledger', isCarried, () => `entry ${entry.seq} says ${entry.availableAfter} and ${entry.frozenAfter}`);
    if (entry.type === 'freeze') {
      const isCovered = book.available >= -book.terms.creditLimit;
      hold('funds', isCovered, () => `customer ${entry.customer} has ${book.available} after a freeze`);
      const day = Math.floor(now / DAY_MS);
      const ofDay = (book.frozenByDay.get(day) ?? 0n) + entry.amount;
      book.frozenByDay.set(day, ofDay);
      const { dailyLimit } = book;
      const isInLimit = dailyLimit === null || ofDay <= dailyLimit;
      hold('funds', isInLimit, () => `customer ${entry.customer} has frozen ${ofDay} today, and may ${dailyLimit}`);
    }
    if (entry.task !== undefined) {
      const sums = this.#sumsOf(entry.task);
      sums[entry.type as keyof TaskSums] += entry.amount;
    }
  }

  checkTask(row: TaskRow): void {
    const sums = this.#sumsOf(row.task);
    const { task, frozen, charged, released, refunded } = row;
    const isSum =
      frozen === sums.freeze && charged === sums.charge && released === sums.release && refunded === sums.refund;
    hold(
      'ledger',
      isSum,
      () => `task ${task}: ${frozen} ${charged} ${released} ${refunded}, the ledger says otherwise`,
    );
    const held = frozen - charged - released;
    hold('amounts', held >= 0n && refunded <= charged, () => `task ${task} holds ${held}, refunded ${refunded}`);
    hold('funds', frozen === 0n || frozen === row.price, () => `task ${task} freezes ${frozen} of ${row.price}`);
    const book = this.#bookOf(row.customer);
    book.held += held - (this.#heldByTask.get(task) ?? 0n);
    this.#heldByTask.set(task, held);
    hold('amounts', isAccountingRight(row, held), () => `task ${task} holds ${held} and is ${row.accounting}`);
  }

  checkAccount({ customer, available, frozen }: AccountRow): void {
    const book = this.#bookOf(customer);
    const isSum = available === book.available && frozen === book.frozen;
    hold('ledger', isSum, () => `customer ${customer} has ${available} and ${frozen}, the ledger says otherwise`);
    hold('ledger', frozen === book.held, () => `${frozen} are frozen and tasks hold ${book.held}`);
  }

  #bookOf(customer: number): Book {
    const book = this.#books.get(customer);
    if (book === undefined) throw new Error(`customer ${customer} is not known`);
    return book;
  }

  #sumsOf(task: number): TaskSums {
    let sums = this.#sums.get(task);
    if (sums === undefined) {
      sums = { freeze: 0n, charge: 0n, release: 0n, refund: 0n };
      this.#sums.set(task, sums);
    }
    return sums;
  }
}

/** A task holds money while it is `frozen`; before, nothing is frozen, and later nothing is held. */
function isAccountingRight({ accounting, frozen, stage, price }: TaskRow, held: bigint): boolean {
  switch (accounting) {
    case 'none':
      return frozen === 0n;
    case 'insufficient_funds':
      return frozen === 0n && price > 0n && stage === 'prepared';
    case 'frozen':
      return held > 0n;
    case 'settling':
      return held === 0n && frozen > 0n && stage !== 'completed' && stage !== 'cancelled';
    default:
      return accounting === 'settled' && held === 0n;
  }
}
