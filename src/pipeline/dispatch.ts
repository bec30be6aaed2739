// Dispatch: the process that owns a channel hands its parts over. The intent to send a part is committed before the
// channel may see it, so that after a crash a part reads as unknown and never as unsent; no more than the channel's window
// of parts is between intent and recorded answer at any time.

import type { Channel, Part, SubmitOutcome } from '../channels/channel.js';
import type { CustomerId } from '../domain/id.js';
import type { Log } from '../domain/log.js';
import type { Lease } from '../store/channel-lease.js';
import type { Sql } from '../store/connect.js';
import { readDispatchable } from '../store/job.js';
import { makeDispatchQueue, type Sendable } from './dispatch-queue.js';
import type { Flight, FlightDirectory } from './flight.js';
import { makePacer, type Pacer } from './pacer.js';
import type { Recorder } from './recorder.js';
import type { Happening } from './settlement.js';
import type { Wake } from './wake.js';

export interface DispatchOptions {
  readonly sql: Sql;
  readonly lease: Lease;
  readonly channel: Channel;
  readonly partsPerSecond: number | undefined;
  readonly directory: FlightDirectory;
  readonly recorder: Recorder;
  readonly wake: Wake;
  readonly log: Log;
  /** Empty when the service account is not known here. */
  readonly senderOf: (serviceAccountId: bigint) => string;
  readonly refreshSnapshot: () => Promise<void>;
  readonly now: () => number;
  readonly observe: (outcome: SubmitOutcome['kind']) => void;
  /** Called when an answer gave a part its message id. */
  readonly onAccepted: (messageId: string) => void;
  /** Called when the loss of a part's answer is recorded: a report on it may have come before. */
  readonly onLost: (part: Part, flight: Flight) => void;
  /** The lease is lost or the database refuses: this process must let go of the channel. */
  readonly onFault: (error: unknown) => void;
}

export interface Dispatcher {
  readonly pacer: Pacer;
  /** Parts that wait in memory. */
  waiting(): number;
  /** Takes no more work and resolves when everything handed over has been answered and recorded. */
  stop(): Promise<void>;
}

const POLL_MS = 1000;
const MIN_CHUNKS_A_LOAD = 2;
const MAX_CHUNKS_A_LOAD = 200;

export function startDispatcher(options: DispatchOptions): Dispatcher {
  const { channel, lease, recorder } = options;
  const queue = makeDispatchQueue(options.senderOf);
  const pacer = makePacer(options.partsPerSecond, options.now);
  const stopping = new AbortController();
  const marks = new Map<CustomerId, bigint>();
  const underWay = new Set<Promise<void>>();
  const quiet: (() => void)[] = [];
  /** Answers on their way into the database. */
  const answered = new Map<CustomerId, number>();
  let outstanding = 0;
  let chunksALoad = 8;
  let isPumping = false;
  let paused: NodeJS.Timeout | undefined;

  const pump = (): void => {
    if (stopping.signal.aborted || channel.health().state === 'down') return;
    // Half a window at least, unless there is no more: two batches overlap, and neither is tiny.
    const room = channel.window - outstanding + answeredByNext();
    const wanted = Math.min(room, queue.size());
    if (wanted <= 0 || (wanted < channel.window / 2 && wanted < queue.size())) return;
    const allowed = pacer.take(wanted);
    if (allowed < wanted) pumpLater();
    if (allowed === 0) return;
    for (const [customerId, sendables] of queue.take(allowed)) {
      outstanding += sendables.length;
      track(send(customerId, sendables));
    }
    if (queue.size() < channel.window) options.wake.rouse('dispatch');
  };

  /**
   * Answers that are about to be committed make room already, where the parts that take it are the same customer's: their
   * intents are committed after those answers, or with them, so the window is kept at every moment. With one customer at
   * work this puts a whole window into one transaction.
   */
  const answeredByNext = (): number => {
    const customerId = queue.onlyCustomer();
    return customerId === undefined ? 0 : (answered.get(customerId) ?? 0);
  };

  /** Answers of one commit come back one by one: their room is used together. */
  const pumpSoon = (): void => {
    if (isPumping) return;
    isPumping = true;
    setImmediate(() => {
      isPumping = false;
      pump();
    });
  };

  const pumpLater = (): void => {
    paused ??= setTimeout(
      () => {
        paused = undefined;
        pump();
      },
      Math.max(1, pacer.delayMs()),
    );
  };

  const track = (work: Promise<void>): void => {
    const tracked: Promise<void> = work.catch(options.onFault).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  /** Parts are no longer between intent and recorded answer. */
  const giveRoom = (count: number): void => {
    outstanding -= count;
    if (outstanding === 0) for (const resolve of quiet.splice(0)) resolve();
    pumpSoon();
  };

  const recordAnswer = (customerId: CustomerId, sendable: Sendable, happening: Happening): void => {
    const isLost = happening.event.kind === 'unknown';
    if (isLost) options.directory.loseAnswer(sendable.part, sendable.flight);
    answered.set(customerId, (answered.get(customerId) ?? 0) + 1);
    recorder.add(customerId, [happening], lease, (error) => {
      answered.set(customerId, (answered.get(customerId) ?? 0) - 1);
      if (error !== undefined) options.onFault(error);
      else if (isLost) options.onLost(sendable.part, sendable.flight);
      // What never left goes again, before anything else of its customer.
      else if (happening.event.kind === 'withdrawn') queue.giveBack([sendable]);
      giveRoom(1);
    });
    pumpSoon();
  };

  const send = async (customerId: CustomerId, sendables: readonly Sendable[]): Promise<void> => {
    const granted = await commitIntents(customerId, sendables);
    for (let going: readonly Sendable[] = granted; going.length > 0; ) {
      const throttled = await submit(customerId, going);
      // They are known not to be accepted, keep their intent and their place, and go again when the pace allows.
      await waitForPace(throttled.length);
      going = throttled;
    }
  };

  /** The parts that may go out. */
  const commitIntents = async (customerId: CustomerId, sendables: readonly Sendable[]): Promise<Sendable[]> => {
    const intents = sendables.map((sendable) => happeningOf(sendable, lease, INTENDED));
    let granted: Sendable[] = [];
    try {
      const refused = await recorder.record(customerId, intents, lease);
      granted = sendables.filter((_, at) => !refused.has(intents[at] as Happening));
      return granted;
    } finally {
      giveRoom(sendables.length - granted.length);
    }
  };

  /** Hands parts to the channel and passes their answers on; returns those that were throttled. */
  const submit = async (customerId: CustomerId, sendables: readonly Sendable[]): Promise<Sendable[]> => {
    const unanswered = new Map(sendables.map((sendable) => [sendable.part, sendable]));
    const submittedAt = options.now();
    for (const { flight, part } of sendables) {
      flight.submittedAt = submittedAt;
      options.directory.takeOff(part);
    }
    const throttled: Sendable[] = [];
    const answer = (sendable: Sendable, outcome: SubmitOutcome): void => {
      options.directory.land(outcome.part);
      options.observe(outcome.kind);
      pacer.answered(outcome.kind === 'throttled');
      if (outcome.kind === 'throttled' && !stopping.signal.aborted) throttled.push(sendable);
      else recordAnswer(customerId, sendable, happeningOfOutcome(sendable, outcome));
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

  const happeningOfOutcome = (sendable: Sendable, outcome: SubmitOutcome): Happening => {
    const { flight } = sendable;
    switch (outcome.kind) {
      case 'accepted':
        options.directory.remember(outcome.messageId, flight);
        options.onAccepted(outcome.messageId);
        return happeningOf(sendable, lease, ACCEPTED, outcome.messageId);
      case 'refused':
        queue.drop(flight.chunk, flight.index);
        return happeningOf(sendable, lease, REFUSED, undefined, outcome.code);
      case 'unknown':
        return happeningOf(sendable, lease, UNKNOWN, undefined, outcome.code);
      case 'throttled':
      case 'unsent':
        return happeningOf(sendable, lease, WITHDRAWN);
    }
  };

  const waitForPace = async (count: number): Promise<void> => {
    for (let left = count; left > 0 && !stopping.signal.aborted; left -= pacer.take(left)) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(5, pacer.delayMs())));
    }
  };

  const load = async (): Promise<void> => {
    if (channel.health().state === 'down') return;
    // Nobody else notices that a channel which was down is up again.
    if (queue.size() >= 2 * channel.window) return pump();
    const stored = await readDispatchable(options.sql, lease.channelId, marks, chunksALoad);
    // Another process may have accepted these for a service account that this one has not heard of yet.
    if (stored.some(({ chunk }) => options.senderOf(chunk.serviceAccountId) === '')) await options.refreshSnapshot();
    if (stopping.signal.aborted) return;
    let parts = 0;
    for (const entry of stored) {
      marks.set(entry.chunk.customerId, entry.chunk.jobId);
      parts += entry.state.partStates.length;
      queue.add(entry);
    }
    if (stored.length > 0) {
      const wanted = Math.ceil((4 * channel.window * stored.length) / parts);
      chunksALoad = Math.min(MAX_CHUNKS_A_LOAD, Math.max(MIN_CHUNKS_A_LOAD, wanted));
    }
    pump();
  };

  const running = runLoader(options, stopping.signal, load);

  return {
    pacer,
    waiting: () => queue.size(),
    async stop() {
      stopping.abort();
      clearTimeout(paused);
      queue.clear();
      await running;
      while (underWay.size > 0) await Promise.all(underWay);
      if (outstanding > 0) await new Promise<void>((resolve) => quiet.push(resolve));
    },
  };
}

async function runLoader(options: DispatchOptions, signal: AbortSignal, load: () => Promise<void>): Promise<void> {
  const { wake } = options;
  while (!signal.aborted) {
    const since = wake.count('dispatch');
    try {
      await load();
    } catch (error) {
      options.log.warn({ err: error }, 'reading the dispatch queue failed and will be tried again');
    }
    await wake.wait('dispatch', since, POLL_MS, signal);
  }
}

const INTENDED = { kind: 'intended' } as const;
const ACCEPTED = { kind: 'accepted' } as const;
const REFUSED = { kind: 'refused' } as const;
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
