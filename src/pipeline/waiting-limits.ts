// Limits on what a customer may have waiting: tasks, numbers, bytes. They keep one customer from filling the disk of all. They cost an acceptance no
// statement: a process adds up what it accepts, and measures what waits after each sixteenth of a limit. So they are loose by that
// much for each machine, whose processes divide it, and exact enough for their purpose.

import type { CustomerConfig } from '../domain/entities/customer.js';
import type { Tenant } from '../domain/tenant.js';
import type { Waiting } from '../store/task/waiting.js';

export interface WaitingLimits {
  /** Counts a task of this size in, or returns the limit that it would exceed. */
  admit(customer: CustomerConfig, size: Omit<Waiting, 'tasks'>): Promise<ExceededLimit | undefined>;
}

export interface ExceededLimit {
  readonly what: keyof Waiting;
  readonly limit: number;
}

interface Account {
  measured: Waiting;
  added: Waiting;
  /** When it was last measured because a limit seemed to be exceeded. */
  confirmedAt: number;
  measuring: Promise<void> | undefined;
}

const MEASURE_AFTER_SHARE = 1 / 16;
/** A customer that is over a limit and goes on is measured no more often. */
const MEASURE_AGAIN_MS = 5000;
const MEBIBYTE = 1024 * 1024;
const NOTHING: Waiting = { tasks: 0, numbers: 0, bytes: 0 };
const KINDS = ['tasks', 'numbers', 'bytes'] as const;

export function createWaitingLimits(options: {
  readonly measure: (tenant: Tenant) => Promise<Waiting>;
  readonly monotonicNow: () => number;
  /** How many processes of this machine accept tasks. */
  readonly processes: number;
}): WaitingLimits {
  const accounts = new Map<Tenant['customerId'], Account>();

  const accountOf = ({ customerId }: Tenant): Account => {
    const known = accounts.get(customerId);
    if (known !== undefined) return known;
    const made = { measured: NOTHING, added: NOTHING, confirmedAt: Number.NEGATIVE_INFINITY, measuring: undefined };
    accounts.set(customerId, made);
    return made;
  };

  const measure = (customer: CustomerConfig, account: Account): Promise<void> => {
    account.measuring ??= (async () => {
      const before = account.added;
      try {
        account.measured = await options.measure(customer);
        account.added = subtract(account.added, before);
      } finally {
        account.measuring = undefined;
      }
    })();
    return account.measuring;
  };

  return {
    async admit(customer, size) {
      const account = accountOf(customer);
      const limits = limitsOf(customer);
      const task = { tasks: 1, ...size };
      const findExceeded = () => findOver(add(add(account.measured, account.added), task), limits);
      // A task that was committed while it was measured counts twice, so nothing is refused without looking again.
      if (findExceeded() !== undefined) await account.measuring;
      if (findExceeded() !== undefined && options.monotonicNow() - account.confirmedAt > MEASURE_AGAIN_MS) {
        account.confirmedAt = options.monotonicNow();
        await measure(customer, account);
      }
      const exceeded = findExceeded();
      if (exceeded !== undefined) return { what: exceeded, limit: limits[exceeded] };
      // Before this task is added, for it is not committed yet. The acceptance does not wait; where it fails, the next one measures.
      if (isDue(account.added, limits, options.processes)) void measure(customer, account).catch(() => {});
      account.added = add(account.added, task);
      return undefined;
    },
  };
}

function limitsOf(customer: CustomerConfig): Waiting {
  return {
    tasks: customer.waitingTasksLimit,
    numbers: customer.waitingNumbersLimit,
    bytes: customer.waitingMebibytesLimit * MEBIBYTE,
  };
}

function findOver(waiting: Waiting, limits: Waiting): keyof Waiting | undefined {
  return KINDS.find((kind) => waiting[kind] > limits[kind]);
}

function isDue(added: Waiting, limits: Waiting, processes: number): boolean {
  return KINDS.some((kind) => added[kind] >= (limits[kind] * MEASURE_AFTER_SHARE) / processes);
}

function add(one: Waiting, other: Waiting): Waiting {
  return { tasks: one.tasks + other.tasks, numbers: one.numbers + other.numbers, bytes: one.bytes + other.bytes };
}

function subtract(one: Waiting, other: Waiting): Waiting {
  return { tasks: one.tasks - other.tasks, numbers: one.numbers - other.numbers, bytes: one.bytes - other.bytes };
}
