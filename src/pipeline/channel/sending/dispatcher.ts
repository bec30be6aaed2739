// Dispatch: the process that owns a channel hands its parts over. The intent to send a part is committed before the
// channel may see it, so that after a crash a part reads as unknown and never as unsent; no more than the channel's window
// of parts is between intent and recorded answer at any time.

import { setMaxListeners } from 'node:events';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import { LeaseLostError } from '../../../store/channel/channel-lease.js';
import { isMachineAway } from '../../../store/retry.js';
import { createCustomerQuarantine, type RetryFailure } from '../../quarantine/customer-quarantine.js';
import type { Quarantine } from '../../quarantine/quarantine.js';
import type { Recorder } from '../../settle/recorder.js';
import type { Wake } from '../../wake.js';
import { createRoom } from '../parts/window.js';
import { createRecordAnswer, type QuarantineCustomer, type QuarantinedAnswer } from './answers.js';
import type { Loader } from './loader.js';
import { createPump } from './pump.js';
import { createSubmit, deliveryEventOf, type SubmissionOptions } from './submission.js';
import type { Sendable } from './turns.js';

export interface DispatchOptions extends Omit<SubmissionOptions, 'signal' | 'onAnswer'> {
  readonly loader: Loader;
  readonly recorder: Recorder;
  readonly quarantine: Quarantine;
  readonly wake: Wake;
  /** The lease is lost or the database refuses: this process must let go of the channel. */
  readonly onFault: (error: unknown) => void;
}

export interface Dispatcher {
  /** These events could not be written: nothing more of their customers is sent before they are. */
  quarantine(failed: ReadonlyMap<DeliveryEvent, unknown>): void;
  /** Takes no more work and resolves when everything handed over has been answered and recorded. */
  stop(): Promise<void>;
}

const POLL_MS = 1000;
/** Whoever is throttled more often is given back: its task may have been cancelled or paused meanwhile. */
const MAX_ROUNDS = 3;
const INTENDED = { kind: 'intended' } as const;
const WITHDRAWN = { kind: 'withdrawn' } as const;

export function startDispatcher(options: DispatchOptions): Dispatcher {
  const { channel, lease, recorder, turns, pacer, loader, wake } = options;
  const stopping = new AbortController();
  // Every submission listens to it, and a window full of them may be under way.
  setMaxListeners(0, stopping.signal);
  const underWay = new Set<Promise<void>>();
  const isUp = () => channel.health().state !== 'down';

  const track = (work: Promise<void>): void => {
    const tracked: Promise<void> = work.catch(options.onFault).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  const room = createRoom(channel.window);
  const quarantine = createCustomerQuarantine<QuarantinedAnswer>({
    ...options,
    channelId: lease.channelId,
    retry: (answers) => retryQuarantined(answers),
    onRelease(customerId) {
      loader.resume(customerId, () => room.isAtRest(customerId));
      wake.notifyLocal('dispatch');
    },
  });

  /** In their own transaction. */
  const retryQuarantined = (
    answers: readonly QuarantinedAnswer[],
  ): Promise<RetryFailure<QuarantinedAnswer> | undefined> =>
    new Promise((resolve) => {
      const events = answers.map(({ event }) => event);
      recorder.addIsolated(events, lease, ({ failed }) => {
        for (const { event, onWritten } of answers) if (!failed.has(event)) onWritten();
        const left = answers.filter(({ event }) => failed.has(event));
        const [first] = left;
        const error = first && failed.get(first.event);
        if (error instanceof LeaseLostError) options.onFault(error);
        resolve(first === undefined || error instanceof LeaseLostError ? undefined : { answers: left, error });
      });
    });

  const quarantineCustomer: QuarantineCustomer = (customerId, error, answer) => {
    if (!quarantine.has(customerId)) {
      turns.clear(customerId);
      loader.pause(customerId);
    }
    quarantine.add(customerId, error, answer);
  };

  const quarantineEvent = (event: DeliveryEvent, error: unknown): void =>
    quarantineCustomer(event.chunk.customerId, error, { event, onWritten: () => {} });
  const pump = createPump({
    ...options,
    window: channel.window,
    room,
    isOpen: isUp,
    send: (sendables, isBeside) => track(send(sendables, isBeside)),
  });
  const recordAnswer = createRecordAnswer({ ...options, room, quarantine, quarantineCustomer, onRoom: pump.runSoon });
  const submit = createSubmit({ ...options, signal: stopping.signal, onAnswer: recordAnswer });

  const send = async (sendables: readonly Sendable[], isBeside: boolean): Promise<void> => {
    const granted = await commitIntents(sendables, isBeside);
    let going: readonly Sendable[] = granted;
    for (let round = 1; going.length > 0; round++) {
      const throttled = await submit(going, round < MAX_ROUNDS);
      // They are known not to be accepted, keep their intent and their place, and go again when the pace allows.
      await waitForPace(throttled.length);
      going = throttled;
    }
  };

  /** The parts that may go out. */
  const commitIntents = (sendables: readonly Sendable[], isBeside: boolean): Promise<Sendable[]> =>
    new Promise((resolve, reject) => {
      const intents = sendables.map((sendable) => deliveryEventOf(sendable, lease, INTENDED));
      const add = isBeside ? recorder.addConcurrent : recorder.add;
      add(intents, lease, ({ refused, failed }) => {
        const isOut = (at: number) =>
          refused.has(intents[at] as DeliveryEvent) || failed.has(intents[at] as DeliveryEvent);
        const granted = sendables.filter((_, at) => !isOut(at));
        room.give(sendables.filter((_, at) => isOut(at)));
        // A task that was paused or cancelled has a chunk of parts in memory still: they must not use up the pace of others.
        pacer.giveBack(sendables.length - granted.length);
        pump.runSoon();
        // The batch is shared with others, and what failed of theirs says nothing of this channel.
        for (const intent of intents) {
          const error = failed.get(intent);
          if (error instanceof LeaseLostError) return reject(error);
          // It may be committed on a machine that is away: only this process knows that the part did not go.
          if (isMachineAway(error)) quarantineEvent({ ...intent, event: WITHDRAWN }, error);
          else if (failed.has(intent)) quarantineCustomer(intent.chunk.customerId, error);
        }
        resolve(granted);
      });
    });

  const waitForPace = async (count: number): Promise<void> => {
    for (let left = count; left > 0 && !stopping.signal.aborted; left -= pacer.take(left)) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(5, pacer.delayMs())));
    }
  };

  const load = async (): Promise<void> => {
    if (!isUp()) return;
    try {
      await loader.load();
    } finally {
      // Also when nothing was read: nobody else notices that a channel which was down is up again.
      pump.run();
    }
  };

  const running = runLoader(options, stopping.signal, load);

  return {
    quarantine(failed) {
      for (const [event, error] of failed) quarantineEvent(event, error);
    },
    async stop() {
      stopping.abort();
      pump.stop();
      turns.clear();
      await running;
      while (underWay.size > 0) await Promise.all(underWay);
      await room.empty();
      await quarantine.stop();
    },
  };
}

async function runLoader(
  { wake, log }: DispatchOptions,
  signal: AbortSignal,
  load: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const since = wake.count('dispatch');
    try {
      await load();
    } catch (error) {
      log.warn({ err: error }, 'reading the dispatch queue failed and will be tried again');
    }
    await wake.wait('dispatch', since, POLL_MS, signal);
  }
}
