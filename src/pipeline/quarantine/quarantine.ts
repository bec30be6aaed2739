// The quarantine of a process: customers and tasks whose writes fail. Others continue without them, they are retried with backoff, and
// operators see them. It is in memory only: the tables show what is due, and another process finds it there. `bisect-failures.ts` finds
// what to quarantine. The rounds of a worker skip it until its next retry; `unrecorded-answers.ts` retries what a channel holds.

import { type Backoff, backoffMs } from '../../domain/backoff.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId, TaskId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { type QuarantinedItem, type RoundKind, tellReason } from '../../domain/platform.js';
import type { TaskKey } from '../../domain/task/task.js';
import { isMachineAway, isRetryable } from '../../store/retry.js';
import { runUnlockedFirst } from '../fairness/unlocked-first.js';
import { bisectFailures, type Owner } from './bisect-failures.js';

export interface Quarantine {
  /**
   * Runs a step of a round for all items together, and quarantines those for which it fails. Items of customers whose account is locked
   * come after all others.
   */
  run<Item extends Owner>(
    kind: RoundKind,
    bucket: number,
    items: readonly Item[],
    step: RoundStep<Item>,
  ): Promise<void>;
  /** Tasks that wait for their next retry. */
  waitingTasks(kind: RoundKind, bucket: number): readonly TaskKey[];
  /** The same for rounds over customers. */
  waitingCustomers(kind: RoundKind, bucket: number): ReadonlySet<CustomerId>;
  /** Quarantines a customer on a channel, or counts its next failure. Returns the time until its retry. */
  addCustomer(on: OnChannel, error: unknown, answers: readonly UnrecordedAnswer[]): number;
  /** The customer sends again. Its failures are still counted, so that it is not retried every second if it fails again at once. */
  releaseCustomer(on: OnChannel): void;
  /** A write for the customer succeeded. */
  forgetCustomer(on: OnChannel): void;
  forgetChannel(channelId: bigint): void;
  /** For the operator, no more than a few hundred. */
  list(): readonly QuarantinedItem[];
}

/**
 * One transaction. Without `mayWait` it leaves out the customers whose account another transaction has locked, and returns them. It may run
 * again for items that are done.
 */
export type RoundStep<Item> = (
  items: readonly Item[],
  mayWait: boolean,
) => Promise<ReadonlySet<CustomerId> | undefined>;

export interface OnChannel {
  readonly channelId: bigint;
  readonly customerId: CustomerId;
}

/** An answer that waits to be recorded. */
export interface UnrecordedAnswer {
  readonly event: DeliveryEvent;
}

interface Entry {
  readonly kind: RoundKind | 'send';
  readonly customerId: CustomerId;
  readonly taskId?: TaskId | undefined;
  /** Of a round. */
  readonly bucket?: number;
  readonly channelId?: bigint;
  /** Those of the customer on the channel, as they are now. */
  readonly answers?: readonly UnrecordedAnswer[];
}

interface Failure extends Entry {
  readonly error: unknown;
  /** Consecutive failures. */
  readonly tries: number;
  readonly sinceMs: number;
  readonly nextTryMs: number;
  /** Only its failures are kept. */
  isReleased: boolean;
}

const NONE: ReadonlySet<CustomerId> = new Set();
const MAX_LISTED = 200;
const BACKOFF_OF_ROUND = { firstMs: 1000, mostMs: 5 * 60_000 };
const BACKOFF_OF_CHANNEL = { firstMs: 1000, mostMs: 60_000 };
/** What no round retries, because the task has ended, is removed after this. Longer than the time between rounds. */
const FORGET_MS = 10_000;
/** More failures mean that the platform is broken: the round fails as a whole. */
const MAX_ENTRIES = 10_000;

export function createQuarantine({ now, log }: { readonly now: () => number; readonly log: Log }): Quarantine {
  const failures = new Map<string, Failure>();

  const forgetOld = (): void => {
    for (const [key, { kind, nextTryMs }] of failures)
      if (kind !== 'send' && nextTryMs + FORGET_MS < now()) failures.delete(key);
  };

  const waiting = (kind: RoundKind, bucket: number): Failure[] => {
    forgetOld();
    return [...failures.values()].filter(
      (failure) => failure.kind === kind && failure.bucket === bucket && failure.nextTryMs > now(),
    );
  };

  const add = (entry: Entry, error: unknown, backoff: Backoff): Failure => {
    const key = keyOf(entry);
    const before = failures.get(key);
    const tries = (before?.tries ?? 0) + 1;
    const sinceMs = before === undefined || before.isReleased ? now() : before.sinceMs;
    // A machine that is away is not a fault of the customer: it continues when the machine is back.
    const nextTryMs = now() + backoffMs(isMachineAway(error) ? 1 : tries, backoff);
    const failure = { ...entry, error, tries, sinceMs, nextTryMs, isReleased: false };
    failures.set(key, failure);
    return failure;
  };

  return {
    run: (kind, bucket, items, step) =>
      bisectFailures(items, {
        ownerOf: (item) => item,
        step: async (group) => {
          await runUnlockedFirst(
            group.map(({ customerId }) => customerId),
            async (customerIds, mayWait) => {
              const ofThese = group.filter(({ customerId }) => customerIds.has(customerId));
              return (await step(ofThese, mayWait)) ?? NONE;
            },
          );
          if (failures.size > 0) for (const item of group) failures.delete(keyOf({ kind, bucket, ...ownerOf(item) }));
        },
        onFailure([first], error) {
          if (isRetryable(error)) throw error;
          if (first === undefined) return;
          const entry = { kind, bucket, ...ownerOf(first) };
          if (failures.size >= MAX_ENTRIES && !failures.has(keyOf(entry))) throw error;
          const { tries } = add(entry, error, BACKOFF_OF_ROUND);
          const owner = {
            customer: String(first.customerId),
            ...(first.taskId !== undefined && { task: String(first.taskId) }),
          };
          log.error({ err: error, kind, tries, ...owner }, 'a step of a round failed; it is quarantined and retried');
        },
      }),
    waitingTasks: (kind, bucket) =>
      waiting(kind, bucket).flatMap(({ customerId, taskId }) => (taskId === undefined ? [] : [{ customerId, taskId }])),
    waitingCustomers: (kind, bucket) =>
      new Set(waiting(kind, bucket).flatMap(({ customerId, taskId }) => (taskId === undefined ? [customerId] : []))),
    addCustomer(on, error, answers) {
      return add({ kind: 'send', ...on, answers }, error, BACKOFF_OF_CHANNEL).nextTryMs - now();
    },
    releaseCustomer(on) {
      const failure = failures.get(keyOf({ kind: 'send', ...on }));
      if (failure !== undefined) failure.isReleased = true;
    },
    forgetCustomer(on) {
      if (failures.size > 0) failures.delete(keyOf({ kind: 'send', ...on }));
    },
    forgetChannel(channelId) {
      for (const [key, failure] of failures) if (failure.channelId === channelId) failures.delete(key);
    },
    list() {
      forgetOld();
      const listed = [...failures.values()].filter(({ isReleased }) => !isReleased);
      return listed.slice(0, MAX_LISTED).flatMap(describe).slice(0, MAX_LISTED);
    },
  };
}

function ownerOf({ customerId, taskId }: Owner): Owner {
  return { customerId, taskId };
}

function keyOf({ kind, bucket, channelId, customerId, taskId }: Entry): string {
  return [kind, bucket, channelId, customerId, taskId].join('/');
}

/** One item, or, for a customer on a channel, one for each task with answers that are not recorded. */
function describe({ kind, customerId, taskId, channelId, answers = [], ...failure }: Failure): QuarantinedItem[] {
  const common = {
    customer_id: String(customerId),
    channel_id: channelId === undefined ? null : String(channelId),
    reason: tellReason(failure.error),
    tries: failure.tries,
    since: new Date(failure.sinceMs).toISOString(),
    next_try_at: new Date(failure.nextTryMs).toISOString(),
  };
  if (answers.length === 0)
    return [{ kind, task_id: taskId === undefined ? null : String(taskId), parts: null, ...common }];
  const byTask = groupBy(answers, ({ event }) => event.chunk.taskId);
  return [...byTask].map(([ofTask, { length: parts }]) => ({
    kind: 'record',
    task_id: String(ofTask),
    parts,
    ...common,
  }));
}
