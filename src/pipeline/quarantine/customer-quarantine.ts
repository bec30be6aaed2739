// Customers of whom something cannot be written. Nothing more of them is sent on this channel until what is known of their
// parts is in the database, so that what waits is never more than was on its way. Their answers are tried again together, in
// a transaction of their own, because in a shared one they would spoil everybody else's each time.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { type QuarantinedEvents, tellReason } from '../../domain/platform.js';
import { type Lease, LeaseLostError } from '../../store/channel/channel-lease.js';
import { isMachineAway } from '../../store/retry.js';
import type { Recorder } from '../settle/recorder.js';

export interface SetAsideOptions {
  readonly lease: Lease;
  readonly recorder: Pick<Recorder, 'addIsolated' | 'aside'>;
  readonly log: Log;
  readonly now: () => number;
  /** Nothing more of this customer may be sent. */
  readonly onHeld: (customerId: CustomerId) => void;
  /** It is tried again, from what the database says. */
  readonly onFree: (customerId: CustomerId) => void;
  readonly onLeaseLost: (error: LeaseLostError) => void;
}

export interface SetAside {
  has(customerId: CustomerId): boolean;
  /** Parts of this customer could not be meant to go out. */
  hold(customerId: CustomerId, error: unknown): void;
  /** An answer could not be written, or is of a customer that is held already. Calls back when it is written after all. */
  keep(deliveryEvent: DeliveryEvent, error?: unknown, written?: () => void): void;
  /** Something of this customer was written at once: the next pause is a short one again. */
  recovered(customerId: CustomerId): void;
  /** Tries once more. What is left then reads as interrupted to whoever opens the channel next. */
  stop(): Promise<void>;
}

interface KeptAnswer {
  readonly deliveryEvent: DeliveryEvent;
  readonly written: () => void;
}

interface Held {
  readonly customerId: CustomerId;
  readonly since: string;
  readonly answers: KeptAnswer[];
  error: unknown;
  nextTryAt: number;
  timer: NodeJS.Timeout | undefined;
  trying: Promise<void> | undefined;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

export function createSetAside(options: SetAsideOptions): SetAside {
  const { lease, recorder, log } = options;
  const held = new Map<CustomerId, Held>();
  /** How often in a row, also after a customer was let go: what fails again at once is not tried every second. */
  const failures = new Map<CustomerId, number>();
  let isStopping = false;

  const holdBack = (customerId: CustomerId, error: unknown): Held => {
    const known = held.get(customerId);
    if (known !== undefined) return known;
    const since = new Date(options.now()).toISOString();
    const entry: Held = { customerId, since, answers: [], error, nextTryAt: 0, timer: undefined, trying: undefined };
    held.set(customerId, entry);
    log.error(
      { err: error, customer: String(customerId) },
      'nothing more of a customer is sent: it cannot be recorded',
    );
    options.onHeld(customerId);
    pause(entry, error);
    return entry;
  };

  const pause = (entry: Held, error: unknown): void => {
    const tries = (failures.get(entry.customerId) ?? 0) + 1;
    failures.set(entry.customerId, tries);
    // Nothing is wrong with whoever waits for a machine, and it should go on as soon as that is back.
    const pauseMs = isMachineAway(error) ? FIRST_PAUSE_MS : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
    entry.error = error;
    entry.nextTryAt = options.now() + pauseMs;
    entry.timer = setTimeout(() => void tryAgain(entry), pauseMs);
  };

  const tryAgain = (entry: Held): Promise<void> => {
    clearTimeout(entry.timer);
    entry.trying ??= writeAll(entry).finally(() => {
      entry.trying = undefined;
    });
    return entry.trying;
  };

  const writeAll = async (entry: Held): Promise<void> => {
    // More may come while these are written: of parts that were on their way.
    while (entry.answers.length > 0) {
      const fault = await write(entry);
      if (fault === undefined) continue;
      if (fault.error instanceof LeaseLostError) options.onLeaseLost(fault.error);
      else if (!isStopping) return pause(entry, fault.error);
      break;
    }
    held.delete(entry.customerId);
    options.onFree(entry.customerId);
  };

  /** Those that fail stay. */
  const write = (entry: Held): Promise<{ error: unknown } | undefined> =>
    new Promise((resolve) => {
      // They are told of as long as they are not written.
      const answers = [...entry.answers];
      const deliveryEvents = answers.map(({ deliveryEvent }) => deliveryEvent);
      recorder.addIsolated(deliveryEvents, lease, ({ failed }) => {
        const left = answers.filter(({ deliveryEvent }) => failed.has(deliveryEvent));
        entry.answers.splice(0, answers.length, ...left);
        for (const { deliveryEvent, written } of answers) if (!failed.has(deliveryEvent)) written();
        const [first] = left;
        resolve(first && { error: failed.get(first.deliveryEvent) });
      });
    });

  const describe = (entry: Held): QuarantinedEvents[] => {
    const { customerId, since, error, nextTryAt } = entry;
    const common = {
      customer_id: String(customerId),
      channel_id: String(lease.channelId),
      reason: tellReason(error),
      tries: failures.get(customerId) ?? 1,
      since,
      next_try_at: new Date(nextTryAt).toISOString(),
    };
    const byTask = groupBy(entry.answers, ({ deliveryEvent }) => deliveryEvent.chunk.taskId);
    if (byTask.size === 0) return [{ kind: 'send', task_id: null, parts: null, ...common }];
    return [...byTask].map(([taskId, { length }]) => ({
      kind: 'record',
      task_id: String(taskId),
      parts: length,
      ...common,
    }));
  };
  const unwatch = recorder.aside.watch(() => [...held.values()].flatMap(describe));

  return {
    has: (customerId) => held.has(customerId),
    hold: (customerId, error) => void holdBack(customerId, error),
    keep(deliveryEvent, error, written = () => {}) {
      if (isStopping) return;
      holdBack(deliveryEvent.chunk.customerId, error).answers.push({ deliveryEvent, written });
    },
    recovered(customerId) {
      if (failures.size > 0 && !held.has(customerId)) failures.delete(customerId);
    },
    async stop() {
      isStopping = true;
      await Promise.all([...held.values()].map(tryAgain));
      unwatch();
    },
  };
}
