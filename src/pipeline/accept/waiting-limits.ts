// Limits the tasks, numbers and bytes that a customer may have waiting, so that one customer cannot fill the disk. An acceptance needs
// no extra statement: each process counts what it accepts, and measures what waits after each sixteenth of a limit, divided by the
// processes of the machine. So a limit may be exceeded by a sixteenth per machine.

import type { CustomerConfig } from '../../domain/entities/customer.js';
import type { Tenant } from '../../domain/tenant.js';
import type { WaitingVolume } from '../../store/task/waiting-volume.js';

export interface WaitingLimits {
  /** Adds a task of this size, or returns the limit that it would exceed. */
  admit(customer: CustomerConfig, size: Omit<WaitingVolume, 'tasks'>): Promise<ExceededLimit | undefined>;
}

export interface ExceededLimit {
  readonly what: keyof WaitingVolume;
  readonly limit: number;
}

interface WaitingCount {
  measured: WaitingVolume;
  added: WaitingVolume;
  /** When it was last measured because a limit seemed to be exceeded. */
  confirmedAt: number;
  measuring: Promise<void> | undefined;
}

const MEASURE_AFTER_SHARE = 1 / 16;
/** A customer over a limit is measured at most this often. */
const MEASURE_AGAIN_MS = 5000;
const MEBIBYTE = 1024 * 1024;
const NOTHING: WaitingVolume = { tasks: 0, numbers: 0, bytes: 0 };
const KINDS = ['tasks', 'numbers', 'bytes'] as const;

export function createWaitingLimits(options: {
  readonly measure: (tenant: Tenant) => Promise<WaitingVolume>;
  readonly monotonicNow: () => number;
  /** How many processes of this machine accept tasks. */
  readonly processes: number;
}): WaitingLimits {
  const counts = new Map<Tenant['customerId'], WaitingCount>();

  const countOf = ({ customerId }: Tenant): WaitingCount => {
    const known = counts.get(customerId);
    if (known !== undefined) return known;
    const created = { measured: NOTHING, added: NOTHING, confirmedAt: Number.NEGATIVE_INFINITY, measuring: undefined };
    counts.set(customerId, created);
    return created;
  };

  const measure = (customer: CustomerConfig, count: WaitingCount): Promise<void> => {
    count.measuring ??= (async () => {
      const before = count.added;
      try {
        count.measured = await options.measure(customer);
        count.added = subtract(count.added, before);
      } finally {
        count.measuring = undefined;
      }
    })();
    return count.measuring;
  };

  return {
    async admit(customer, size) {
      const count = countOf(customer);
      const limits = limitsOf(customer);
      const task = { tasks: 1, ...size };
      const findExceeded = () => findOver(add(add(count.measured, count.added), task), limits);
      // A task that was committed during a measurement counts twice, so nothing is rejected without measuring again.
      if (findExceeded() !== undefined) await count.measuring;
      if (findExceeded() !== undefined && options.monotonicNow() - count.confirmedAt > MEASURE_AGAIN_MS) {
        count.confirmedAt = options.monotonicNow();
        await measure(customer, count);
      }
      const exceeded = findExceeded();
      if (exceeded !== undefined) return { what: exceeded, limit: limits[exceeded] };
      // Before this task is added, because it is not committed yet. Not awaited: after a failure the next acceptance measures.
      if (isDue(count.added, limits, options.processes)) void measure(customer, count).catch(() => {});
      count.added = add(count.added, task);
      return undefined;
    },
  };
}

function limitsOf(customer: CustomerConfig): WaitingVolume {
  return {
    tasks: customer.waitingTasksLimit,
    numbers: customer.waitingNumbersLimit,
    bytes: customer.waitingMebibytesLimit * MEBIBYTE,
  };
}

function findOver(waiting: WaitingVolume, limits: WaitingVolume): keyof WaitingVolume | undefined {
  return KINDS.find((kind) => waiting[kind] > limits[kind]);
}

function isDue(added: WaitingVolume, limits: WaitingVolume, processes: number): boolean {
  return KINDS.some((kind) => added[kind] >= (limits[kind] * MEASURE_AFTER_SHARE) / processes);
}

function add(one: WaitingVolume, other: WaitingVolume): WaitingVolume {
  return { tasks: one.tasks + other.tasks, numbers: one.numbers + other.numbers, bytes: one.bytes + other.bytes };
}

function subtract(one: WaitingVolume, other: WaitingVolume): WaitingVolume {
  return { tasks: one.tasks - other.tasks, numbers: one.numbers - other.numbers, bytes: one.bytes - other.bytes };
}
