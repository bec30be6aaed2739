// Customers of a channel whose intents or answers could not be written. Nothing more of them is sent on the channel until their answers
// are recorded, so that never more waits than was in flight. Their answers are retried in separate transactions: in a shared one they
// would make the answers of others fail.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { isMachineAway } from '../../store/retry.js';
import { backoffMs, type Quarantine, type QuarantineEntry } from './quarantine.js';

/** An answer that waits to be recorded. */
export interface UnrecordedAnswer {
  readonly event: DeliveryEvent;
}

/** The answers that failed again, and the error of the first. */
export interface RetryFailure<Answer> {
  readonly answers: readonly Answer[];
  readonly error: unknown;
}

export interface CustomerQuarantineOptions<Answer extends UnrecordedAnswer> {
  readonly channelId: bigint;
  readonly quarantine: Quarantine;
  readonly log: Log;
  readonly now: () => number;
  /** Writes the answers of one customer. */
  readonly retry: (answers: readonly Answer[]) => Promise<RetryFailure<Answer> | undefined>;
  /** The customer may send again; its chunks are read again from the database. */
  readonly onRelease: (customerId: CustomerId) => void;
}

export interface CustomerQuarantine<Answer extends UnrecordedAnswer> {
  has(customerId: CustomerId): boolean;
  /** Quarantines a customer, with an answer to write later if there is one. */
  add(customerId: CustomerId, error: unknown, answer?: Answer): void;
  /** A write for this customer succeeded: resets its backoff. */
  noteSuccess(customerId: CustomerId): void;
  /** Tries once more. Parts that are left are marked unknown when the channel is opened again. */
  stop(): Promise<void>;
}

interface Entry<Answer> {
  readonly customerId: CustomerId;
  readonly sinceMs: number;
  readonly answers: Answer[];
  error: unknown;
  nextTryMs: number;
  timer: NodeJS.Timeout | undefined;
  retrying: Promise<void> | undefined;
}

const MAX_BACKOFF_MS = 60_000;

export function createCustomerQuarantine<Answer extends UnrecordedAnswer>(
  options: CustomerQuarantineOptions<Answer>,
): CustomerQuarantine<Answer> {
  const { channelId, log, now } = options;
  const entries = new Map<CustomerId, Entry<Answer>>();
  /** Consecutive failures. Kept after a release, so that a customer that fails again at once is not retried every second. */
  const failures = new Map<CustomerId, number>();
  let isStopping = false;

  const open = (customerId: CustomerId, error: unknown): Entry<Answer> => {
    const start = { customerId, sinceMs: now(), answers: [], error, nextTryMs: 0 };
    const entry: Entry<Answer> = { ...start, timer: undefined, retrying: undefined };
    entries.set(customerId, entry);
    const customer = String(customerId);
    log.error({ err: error, customer }, 'a customer is quarantined on this channel: its parts cannot be recorded');
    backOff(entry, error);
    return entry;
  };

  const backOff = (entry: Entry<Answer>, error: unknown): void => {
    const tries = (failures.get(entry.customerId) ?? 0) + 1;
    failures.set(entry.customerId, tries);
    // Not a fault of the customer: it continues when the machine is back.
    const ms = backoffMs(isMachineAway(error) ? 1 : tries, MAX_BACKOFF_MS);
    entry.error = error;
    entry.nextTryMs = now() + ms;
    entry.timer = setTimeout(() => void retry(entry), ms);
  };

  const retry = (entry: Entry<Answer>): Promise<void> => {
    clearTimeout(entry.timer);
    entry.retrying ??= retryAll(entry).finally(() => {
      entry.retrying = undefined;
    });
    return entry.retrying;
  };

  const retryAll = async (entry: Entry<Answer>): Promise<void> => {
    // Answers of parts in flight may have been added meanwhile.
    while (entry.answers.length > 0) {
      const tried = [...entry.answers];
      const failure = await options.retry(tried);
      // Listed until they are written.
      entry.answers.splice(0, tried.length, ...(failure?.answers ?? []));
      if (failure === undefined) continue;
      if (!isStopping) return backOff(entry, failure.error);
      break;
    }
    entries.delete(entry.customerId);
    options.onRelease(entry.customerId);
  };

  const describe = ({ customerId, sinceMs, answers, error, nextTryMs }: Entry<Answer>): QuarantineEntry[] => {
    const tries = failures.get(customerId) ?? 1;
    const common = { customerId, channelId, error, tries, sinceMs, nextTryMs };
    if (answers.length === 0) return [{ kind: 'send', ...common }];
    const byTask = groupBy(answers, ({ event }) => event.chunk.taskId);
    return [...byTask].map(([taskId, { length: parts }]) => ({ kind: 'record', taskId, parts, ...common }));
  };
  const removeSource = options.quarantine.addSource(() => [...entries.values()].flatMap(describe));

  return {
    has: (customerId) => entries.has(customerId),
    add(customerId, error, answer) {
      if (isStopping && answer !== undefined) return;
      const entry = entries.get(customerId) ?? open(customerId, error);
      if (answer !== undefined) entry.answers.push(answer);
    },
    noteSuccess(customerId) {
      if (failures.size > 0 && !entries.has(customerId)) failures.delete(customerId);
    },
    async stop() {
      isStopping = true;
      await Promise.all([...entries.values()].map(retry));
      removeSource();
    },
  };
}
