// Dispatch: the process that owns a channel hands its parts over. The intent to send a part is committed before the
// channel may see it, so that after a crash a part reads as unknown and never as unsent; no more than the channel's window
// of parts is between intent and recorded answer at any time.

import { setMaxListeners } from 'node:events';
import type { Channel, SubmitOutcome } from '../../channels/channel.js';
import type { Chunk } from '../../domain/chunk.js';
import { groupBy } from '../../domain/group-by.js';
import type { Happening } from '../../domain/happening.js';
import type { CustomerId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import { type Lease, LeaseLostError } from '../../store/channel-lease.js';
import type { Recorder } from '../settle/recorder.js';
import type { Wake } from '../wake.js';
import type { FeedbackDesk } from './feedback.js';
import type { Loader } from './loader.js';
import type { Pacer } from './pacer.js';
import type { PartsBook } from './parts-book.js';
import { makeSetAside } from './set-aside.js';
import type { Sendable, Turns } from './turns.js';

export interface DispatchOptions {
  readonly lease: Lease;
  readonly channel: Channel;
  readonly turns: Turns;
  readonly loader: Loader;
  readonly pacer: Pacer;
  readonly book: PartsBook;
  readonly feedback: FeedbackDesk;
  readonly recorder: Recorder;
  readonly wake: Wake;
  readonly log: Log;
  readonly now: () => number;
  /** The channel that a number of this chunk may try instead; after a refusal, where its code allows it. */
  readonly otherWay: (chunk: Chunk, code?: string) => bigint | undefined;
  readonly observe: (outcome: SubmitOutcome) => void;
  /** The lease is lost or the database refuses: this process must let go of the channel. */
  readonly onFault: (error: unknown) => void;
}

export interface Dispatcher {
  /** What is known of parts and could not be written: nothing more of their customers goes out before it is. */
  setAside(failed: ReadonlyMap<Happening, unknown>): void;
  /** Takes no more work and resolves when everything handed over has been answered and recorded. */
  stop(): Promise<void>;
}

const POLL_MS = 1000;
/** Answers come back one by one; the room they leave is used together, but not after longer than this. */
const GATHER_MS = 4;

export function startDispatcher(options: DispatchOptions): Dispatcher {
  const { channel, lease, recorder, turns, pacer, book } = options;
  const stopping = new AbortController();
  // Every submission listens to it, and a window full of them may be under way.
  setMaxListeners(0, stopping.signal);
  const underWay = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  const quiet: (() => void)[] = [];
  /** Answers on their way into the database, by bucket. */
  const answered = new Map<number, number>();
  /** Parts between intent and recorded answer, in all and of each customer. */
  let outstanding = 0;
  const inHand = new Map<CustomerId, number>();
  let isGathering = false;
  let isPaused = false;

  const later = (ms: number, run: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  };

  const pump = (): void => {
    if (stopping.signal.aborted || channel.health().state === 'down') return;
    const wanted = Math.min(channel.window - outstanding + answeredByNext(), turns.size());
    if (wanted <= 0) return;
    const allowed = pacer.take(wanted);
    if (allowed < wanted) pumpAtPace();
    if (allowed === 0) return;
    const taken = turns.take(allowed);
    for (const sendable of taken) hold(sendable, 1);
    for (const sendables of groupBy(taken, ({ flight }) => flight.chunk.bucket).values()) track(send(sendables));
    if (turns.size() < channel.window) options.wake.rouse('dispatch');
  };

  /**
   * Answers that are about to be committed make room already, where the parts that take it are of the same bucket: their
   * intents are committed after those answers, or with them, so the window is kept at every moment. On one database this
   * puts a whole window into one transaction.
   */
  const answeredByNext = (): number => {
    const bucket = turns.onlyBucket();
    return bucket === undefined ? 0 : (answered.get(bucket) ?? 0);
  };

  const pumpSoon = (): void => {
    const wanted = Math.min(channel.window - outstanding + answeredByNext(), turns.size());
    // Half a window is a batch worth a transaction, and so is all there is.
    const isBatch = wanted >= channel.window / 2 || wanted === turns.size();
    if (wanted > 0 && isBatch) pump();
    if (isGathering || isBatch || wanted <= 0) return;
    isGathering = true;
    later(GATHER_MS, () => {
      isGathering = false;
      pump();
    });
  };

  const pumpAtPace = (): void => {
    if (isPaused) return;
    isPaused = true;
    later(Math.max(1, pacer.delayMs()), () => {
      isPaused = false;
      pump();
    });
  };

  const track = (work: Promise<void>): void => {
    const tracked: Promise<void> = work.catch(options.onFault).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  const hold = ({ flight }: Sendable, change: 1 | -1): void => {
    const { customerId } = flight.chunk;
    outstanding += change;
    const left = (inHand.get(customerId) ?? 0) + change;
    if (left > 0) inHand.set(customerId, left);
    else inHand.delete(customerId);
  };

  /** Parts are no longer between intent and recorded answer. */
  const giveRoom = (sendables: readonly Sendable[]): void => {
    for (const sendable of sendables) hold(sendable, -1);
    if (outstanding === 0) for (const resolve of quiet.splice(0)) resolve();
    pumpSoon();
  };

  const send = async (sendables: readonly Sendable[]): Promise<void> => {
    const granted = await commitIntents(sendables);
    for (let going: readonly Sendable[] = granted; going.length > 0; ) {
      const throttled = await submit(going);
      // They are known not to be accepted, keep their intent and their place, and go again when the pace allows.
      await waitForPace(throttled.length);
      going = throttled;
    }
  };

  /** The parts that may go out. */
  const commitIntents = (sendables: readonly Sendable[]): Promise<Sendable[]> =>
    new Promise((resolve, reject) => {
      const intents = sendables.map((sendable) => happeningOf(sendable, lease, INTENDED));
      recorder.add(intents, lease, ({ refused, failed }) => {
        const isOut = (at: number) => refused.has(intents[at] as Happening) || failed.has(intents[at] as Happening);
        const granted = sendables.filter((_, at) => !isOut(at));
        giveRoom(sendables.filter((_, at) => isOut(at)));
        // The batch is shared with others, and what failed of theirs says nothing of this channel.
        for (const intent of intents) {
          const error = failed.get(intent);
          if (error instanceof LeaseLostError) return reject(error);
          if (failed.has(intent)) setAside.hold(intent.chunk.customerId, error);
        }
        resolve(granted);
      });
    });

  const setAside = makeSetAside({
    ...options,
    onHeld(customerId) {
      turns.clear(customerId);
      options.loader.leaveOut(customerId);
    },
    onFree(customerId) {
      options.loader.takeIn(customerId, () => !inHand.has(customerId));
      options.wake.rouse('dispatch');
    },
    onLeaseLost: options.onFault,
  });

  /** Hands parts to the channel and passes their answers on; returns those that were throttled. */
  const submit = async (sendables: readonly Sendable[]): Promise<Sendable[]> => {
    const unanswered = new Map(sendables.map((sendable) => [sendable.part, sendable]));
    const submittedAt = options.now();
    for (const { flight, part } of sendables) {
      flight.submittedAt = submittedAt;
      book.submitted(part);
    }
    const throttled: Sendable[] = [];
    const answer = (sendable: Sendable, outcome: SubmitOutcome): void => {
      options.observe(outcome);
      pacer.answered(outcome.kind === 'throttled');
      if (outcome.kind === 'throttled' && !stopping.signal.aborted) {
        book.returned(outcome.part);
        throttled.push(sendable);
      } else recordAnswer(sendable, happeningOfOutcome(sendable, outcome));
    };
    try {
      for await (const outcome of channel.submit([...unanswered.keys()], stopping.signal)) {
        const sendable = unanswered.get(outcome.part);
        if (sendable === undefined) continue;
        unanswered.delete(outcome.part);
        answer(sendable, outcome);
      }
    } catch (error) {
      options.log.error({ err: error }, 'the channel failed in the middle of a submission');
    }
    // A channel that says nothing of a part leaves it unknown.
    for (const [part, sendable] of unanswered) answer(sendable, { part, kind: 'unknown', code: 'no_outcome' });
    return throttled;
  };

  const recordAnswer = (sendable: Sendable, happening: Happening): void => {
    const { bucket, customerId } = sendable.flight.chunk;
    const written = () => onRecorded(sendable, happening);
    if (setAside.has(customerId)) {
      setAside.keep(happening, undefined, written);
      giveRoom([sendable]);
      return;
    }
    answered.set(bucket, (answered.get(bucket) ?? 0) + 1);
    recorder.add([happening], lease, ({ failed }) => {
      answered.set(bucket, (answered.get(bucket) ?? 0) - 1);
      const error = failed.get(happening);
      if (error instanceof LeaseLostError) options.onFault(error);
      else if (failed.has(happening)) setAside.keep(happening, error, written);
      else {
        setAside.recovered(customerId);
        written();
      }
      giveRoom([sendable]);
    });
    pumpSoon();
  };

  const onRecorded = (sendable: Sendable, { event }: Happening): void => {
    if (event.kind === 'unknown') options.feedback.onLossRecorded(sendable.part, sendable.flight);
    // What never left goes again, before anything else of its customer; of one that is held it is read again in time.
    if (event.kind === 'withdrawn' && !setAside.has(sendable.flight.chunk.customerId)) turns.giveBack([sendable]);
    if (event.kind !== 'declined') return;
    // Whoever speaks for the other channel finds the number in its queue.
    options.wake.hint('dispatch', [sendable.flight.chunk.customerId]);
    options.wake.notify('dispatch');
  };

  const happeningOfOutcome = (sendable: Sendable, outcome: SubmitOutcome): Happening => {
    const { part, flight } = sendable;
    switch (outcome.kind) {
      case 'accepted':
        options.feedback.takeUp(book.accepted(part, flight, outcome.messageId), flight);
        return happeningOf(sendable, lease, ACCEPTED, outcome.messageId);
      case 'refused':
        book.returned(part);
        turns.drop(flight.chunk, flight.index);
        return refusalOf(sendable, outcome.code);
      case 'unknown':
        book.lost(part, flight);
        return happeningOf(sendable, lease, UNKNOWN, undefined, outcome.code);
      case 'throttled':
      case 'unsent':
        book.returned(part);
        // Where another part of its message was declined, this was the last that kept it here.
        return { ...happeningOf(sendable, lease, WITHDRAWN), otherWay: options.otherWay(flight.chunk) };
    }
  };

  const refusalOf = (sendable: Sendable, code: string): Happening => {
    const otherWay = options.otherWay(sendable.flight.chunk, code);
    const event = otherWay === undefined ? REFUSED : DECLINED;
    return { ...happeningOf(sendable, lease, event, undefined, code), otherWay };
  };

  const waitForPace = async (count: number): Promise<void> => {
    for (let left = count; left > 0 && !stopping.signal.aborted; left -= pacer.take(left)) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(5, pacer.delayMs())));
    }
  };

  const load = async (): Promise<void> => {
    if (channel.health().state === 'down') return;
    try {
      await options.loader.load();
    } finally {
      // Also when nothing was read: nobody else notices that a channel which was down is up again.
      pump();
    }
  };

  const running = runLoader(options, stopping.signal, load);

  return {
    setAside(failed) {
      for (const [happening, error] of failed) setAside.keep(happening, error);
    },
    async stop() {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      turns.clear();
      await running;
      while (underWay.size > 0) await Promise.all(underWay);
      if (outstanding > 0) await new Promise<void>((resolve) => quiet.push(resolve));
      await setAside.stop();
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

const INTENDED = { kind: 'intended' } as const;
const ACCEPTED = { kind: 'accepted' } as const;
const REFUSED = { kind: 'refused' } as const;
const DECLINED = { kind: 'declined' } as const;
const UNKNOWN = { kind: 'unknown' } as const;
const WITHDRAWN = { kind: 'withdrawn' } as const;

function happeningOf(
  { flight }: Sendable,
  lease: Lease,
  event: Happening['event'],
  messageId?: string,
  code?: string,
): Happening {
  const { chunk, index, part, submittedAt } = flight;
  return { chunk, index, part, event, channelId: lease.channelId, submittedAt, messageId, code };
}
