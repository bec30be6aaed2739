// The lifecycle of the parts of one channel: intent, answer, report. Every transition is made here, with its effects: the record, the
// slot in the window, the report matcher, the quarantine. The states and transitions are in `part-state.ts`.

import type { Report, SubmitOutcome } from '../../../channels/channel.js';
import type { Chunk } from '../../../domain/chunk/chunk.js';
import { groupBy } from '../../../domain/group-by.js';
import type { CustomerId } from '../../../domain/id.js';
import type { Log } from '../../../domain/log.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import { classOfPlace, queueKeyOf } from '../../../domain/rules/queue-place.js';
import { type Lease, LeaseLostError } from '../../../store/channel/channel-lease.js';
import { isTransient } from '../../../store/retry.js';
import type { Quarantine } from '../../quarantine/quarantine.js';
import { createUnrecordedAnswers, type RetryFailure } from '../../quarantine/unrecorded-answers.js';
import type { OnSettled, RecordMode } from '../../settle/entry.js';
import { type Recorder, recordAll } from '../../settle/recorder.js';
import type { Settled } from '../../settle/settle-batch.js';
import type { Wake } from '../../wake.js';
import { answerEventOf, answerOf, intentEventOf, lateAnswerEventOf, reportEventOf } from './part-events.js';
import { movePart, type PartPosition, type PartState, type Sendable } from './part-state.js';
import type { PartsInFlight } from './parts-in-flight.js';
import type { Recheck } from './recheck.js';
import type { ReportMatcher } from './report-matcher.js';
import type { ChannelWindow } from './window.js';

/** The queue of the channel. */
export interface PartQueue {
  /** The part is sent again, before others of its customer. */
  putBack(part: Sendable): void;
  /** The other parts of a number are not sent on this channel: it is rejected or fails over. */
  dropNumber(chunk: Chunk, index: number): void;
  /** These parts were taken and are not sent: they do not count against the rate. */
  refund(parts: readonly Sendable[]): void;
  /** Removes the waiting parts of a customer, and reads no more of them. */
  pause(customerId: CustomerId): void;
  /** Reads the queues of a customer again, from their start, as soon as it is idle. */
  resume(customerId: CustomerId, isIdle: () => boolean): void;
}

export interface PartLifecycleOptions {
  readonly lease: Lease;
  readonly recorder: Recorder;
  readonly matcher: ReportMatcher;
  /** Of all channels of this process. */
  readonly inFlight: PartsInFlight;
  readonly window: ChannelWindow;
  readonly queue: PartQueue;
  readonly quarantine: Quarantine;
  readonly wake: Wake;
  readonly log: Log;
  readonly now: () => number;
  /** The next channel for a number of this chunk, if there is one; after a refusal, if the code allows it. */
  readonly failoverChannel: (chunk: Chunk, index: number, code?: string) => bigint | undefined;
  readonly recheck: Recheck;
  /** Resolves when the configuration is as it was at the call, or newer. */
  readonly refreshSnapshot: () => Promise<void>;
  /** The lease is lost, or something failed unexpectedly: this process must close the channel. */
  readonly onFault: (error: unknown) => void;
}

/** A report and its part. */
export interface MatchedReport {
  readonly report: Report;
  readonly position: PartPosition;
  /** Its row, if it is stored. The row is deleted with the commit of the report. */
  readonly reportId?: bigint;
}

/** Parts whose intents are committed in the transaction that stores their chunk. Exactly one of the two must be called. */
export interface ChunkIntents {
  /** intending → intended. They are passed to `onGranted`. */
  committed(): void;
  /**
   * intending → dropped. With an error, the outcome of the commit is unknown: only this process knows that the parts were not sent,
   * and it withdraws the intents if they are committed.
   */
  dropped(error?: unknown): void;
}

/** Gets parts whose intents are committed, to submit them. */
type OnGranted = (parts: readonly Sendable[]) => void;

export interface PartLifecycle {
  /** queued → intending, for parts with a slot in the window. */
  intendWithChunk(parts: readonly Sendable[], onGranted: OnGranted): ChunkIntents;
  /** Nothing more of this customer is sent until its answers are recorded. */
  isQuarantined(customerId: CustomerId): boolean;
  /**
   * queued → intended, or dropped. Each customer's parts whose intent is committed are passed to `onGranted`: those of a customer whose
   * account is locked come later than the others.
   */
  commitIntents(parts: readonly Sendable[], mode: RecordMode, onGranted: OnGranted): Promise<void>;
  /** intended → on the wire. */
  submit(parts: readonly Sendable[]): void;
  /** on the wire → intended: throttled. It keeps its intent and its slot in the window. */
  retry(part: Sendable): void;
  /** on the wire → answered → recorded or quarantined. */
  answer(part: Sendable, outcome: SubmitOutcome): void;
  /** An answer for a part whose answer was lost. */
  answerLate(outcome: SubmitOutcome): Promise<void>;
  /** Records reports of one bucket; a final one moves its part: recorded → settled. Returns those that failed, with the error. */
  recordReports(reports: readonly MatchedReport[], mode?: RecordMode): Promise<ReadonlyMap<MatchedReport, unknown>>;
  /** Quarantines events of parts that an earlier process left on the wire. */
  quarantine(failed: ReadonlyMap<DeliveryEvent, unknown>): void;
  /**
   * Resolves when no part has a slot and quarantined answers were retried once more. What fails again is marked unknown by the next
   * owner.
   */
  stop(): Promise<void>;
}

interface QuarantinedAnswer {
  readonly event: DeliveryEvent;
  /** Undefined for a part that this process has not sent. */
  readonly part: Sendable | undefined;
}

interface PartIntent {
  readonly part: Sendable;
  readonly intent: DeliveryEvent;
}

interface AnsweredPart {
  readonly part: Sendable;
  readonly event: DeliveryEvent;
}

export function createPartLifecycle(options: PartLifecycleOptions): PartLifecycle {
  const { lease, recorder, matcher, inFlight, window, queue, wake } = options;
  /** Answers of this tick of the event loop. */
  const answeredNow: AnsweredPart[] = [];
  /** By reference: newer copies of parts whose intent is being committed. An older copy may be refused because of its old place. */
  const waitingCopies = new Map<string, Sendable>();

  const move = (part: Sendable, to: PartState, messageId?: string): void => {
    const from = part.position.state;
    movePart(part.position, to);
    inFlight.partMoved(part);
    matcher.partMoved(part, from, messageId);
  };

  /** Taken, and not sent. */
  const giveBack = (parts: readonly Sendable[]): void => {
    queue.refund(parts);
    window.release(parts);
  };

  // Quarantine.

  const retryAnswers = async (
    answers: readonly QuarantinedAnswer[],
  ): Promise<RetryFailure<QuarantinedAnswer> | undefined> => {
    const events = answers.map(({ event }) => event);
    const { failed } = await recorder.record(events, { lease, mode: 'isolated' });
    for (const { event, part } of answers) {
      if (failed.has(event)) continue;
      if (part !== undefined) onRecorded(part);
      else if (event.event.kind === 'unknown') matcher.lossRecorded(event);
    }
    const left = answers.filter(({ event }) => failed.has(event));
    const [first] = left;
    if (first === undefined) return undefined;
    const error = failed.get(first.event);
    if (!(error instanceof LeaseLostError)) return { answers: left, error };
    // The next owner of the channel marks these parts unknown.
    options.onFault(error);
    return undefined;
  };

  const quarantined = createUnrecordedAnswers<QuarantinedAnswer>({
    ...options,
    channelId: lease.channelId,
    retry: retryAnswers,
    onRelease: (customerId) => queue.resume(customerId, () => window.isIdle(customerId)),
  });

  const quarantineCustomer = (customerId: CustomerId, error: unknown, answer?: QuarantinedAnswer): void => {
    if (!quarantined.has(customerId)) queue.pause(customerId);
    quarantined.add(customerId, error, answer);
  };

  const quarantineEvent = (event: DeliveryEvent, error: unknown, part?: Sendable): void => {
    if (part !== undefined) move(part, 'quarantined');
    quarantineCustomer(event.chunk.customerId, error, { event, part });
  };

  // Intent.

  const commitIntents: PartLifecycle['commitIntents'] = async (parts, mode, onGranted) => {
    const mayEnd = parts.some(insteadOf);
    const current = mayEnd ? await withCurrentSnapshot(parts) : parts;
    const intents = new Map<DeliveryEvent, Sendable>();
    for (const part of leaveCopies(current)) {
      move(part, 'intending');
      intents.set(intentEventOf(part.position, lease, mayEnd ? insteadOf(part) : undefined), part);
    }
    const onSettled: OnSettled = (events, outcome) => {
      const settled = events.flatMap((intent) => {
        const part = intents.get(intent);
        return part === undefined ? [] : [{ intent, part }];
      });
      onGranted(concludeIntents(settled, outcome));
    };
    // An intent in a reused slot must not be committed before the answer of the part that had the slot. The mode `concurrent` ignores
    // this: its parts are newcomers in reserved slots, which are never reused early.
    const isOrdered = window.reusesSlots();
    await recorder.record([...intents.keys()], { lease, mode, isOrdered, onSettled });
  };

  const insteadOf = ({ position: { chunk, index } }: Sendable) => options.recheck(chunk, index);

  /**
   * A number is not rejected by an old configuration: a newer one, under which it was prepared elsewhere, may allow it. If there is no
   * telling, its customer waits.
   */
  const withCurrentSnapshot = async (parts: readonly Sendable[]): Promise<readonly Sendable[]> => {
    try {
      await options.refreshSnapshot();
      return parts;
    } catch (error) {
      const unsure = parts.filter(insteadOf);
      for (const part of unsure) {
        move(part, 'dropped');
        quarantineCustomer(part.position.chunk.customerId, error);
      }
      giveBack(unsure);
      return parts.filter((part) => part.position.state === 'queued');
    }
  };

  /** Leaves out parts of which another copy is in flight, which decides: it is answered, or put back if it is withdrawn. */
  const leaveCopies = (parts: readonly Sendable[]): readonly Sendable[] => {
    const copies = parts.filter(inFlight.otherOf);
    if (copies.length === 0) return parts;
    for (const copy of copies) {
      if (inFlight.otherOf(copy)?.state === 'intending') keepCopy(copy);
      else move(copy, 'dropped');
    }
    giveBack(copies);
    return parts.filter((part) => !copies.includes(part));
  };

  /** Until the intent of the other is concluded. The newest has the place that counts. */
  const keepCopy = (copy: Sendable): void => {
    const { reference } = copy.part;
    const before = waitingCopies.get(reference);
    if (before !== undefined) move(before, 'dropped');
    waitingCopies.set(reference, copy);
  };

  const concludeCopy = ({ part: { reference } }: Sendable, isRefused: boolean): void => {
    const copy = waitingCopies.get(reference);
    if (copy === undefined) return;
    waitingCopies.delete(reference);
    // A quarantined customer's queues are read again.
    if (isRefused && !quarantined.has(copy.position.chunk.customerId)) queue.putBack(copy);
    else move(copy, 'dropped');
  };

  const concludeIntents = (intents: readonly PartIntent[], { refused, failed }: Settled): Sendable[] => {
    const granted: Sendable[] = [];
    const dropped: Sendable[] = [];
    let leaseLost: LeaseLostError | undefined;
    for (const { intent, part } of intents) {
      const isGranted = !refused.has(intent) && !failed.has(intent);
      move(part, isGranted ? 'intended' : 'dropped');
      (isGranted ? granted : dropped).push(part);
      if (intent.instead?.event.kind === 'rerouted' && refused.has(intent)) wakeOtherChannel(part);
      const error = failed.get(intent);
      if (error instanceof LeaseLostError) leaseLost = error;
      else if (failed.has(intent)) onIntentFailed(part, error);
    }
    for (const { intent, part } of intents) concludeCopy(part, refused.has(intent));
    if (dropped.length > 0) giveBack(dropped);
    // Not thrown: the other parts of this call may have been granted before, and must be answered to give back their slots.
    if (leaseLost !== undefined) options.onFault(leaseLost);
    return granted;
  };

  const onIntentFailed = ({ position }: Sendable, error: unknown): void => {
    // An attempt whose answer was lost may be committed yet: only this process knows that the part was not sent.
    if (isTransient(error)) quarantineEvent(answerEventOf(position, lease, { kind: 'withdrawn' }), error);
    else quarantineCustomer(position.chunk.customerId, error);
  };

  const intendWithChunk: PartLifecycle['intendWithChunk'] = (parts, onGranted) => {
    for (const part of parts) move(part, 'intending');
    return {
      committed() {
        for (const part of parts) {
          move(part, 'intended');
          concludeCopy(part, false);
        }
        onGranted(parts);
      },
      dropped(error) {
        for (const part of parts) {
          move(part, 'dropped');
          concludeCopy(part, false);
          if (error === undefined) continue;
          quarantineEvent(answerEventOf(part.position, lease, { kind: 'withdrawn' }), error);
        }
        giveBack(parts);
      },
    };
  };

  // Answer.

  const answer = (part: Sendable, outcome: SubmitOutcome): void => {
    const { position } = part;
    const { chunk, index } = position;
    const toRecord = answerOf(outcome, (code) => options.failoverChannel(chunk, index, code));
    // Before the move: the matcher reads it there.
    position.answer = toRecord.kind;
    move(part, 'answered', toRecord.messageId);
    if (outcome.kind === 'refused') queue.dropNumber(chunk, index);
    const event = answerEventOf(position, lease, toRecord);
    if (quarantined.has(chunk.customerId)) {
      quarantineEvent(event, undefined, part);
      window.release([part]);
    } else if (answeredNow.push({ part, event }) === 1) process.nextTick(recordAnswered);
  };

  /** The answers of one socket read are recorded in one call per customer: a locked account delays no answer of others. */
  const recordAnswered = (): void => {
    const byCustomer = groupBy(answeredNow.splice(0), ({ event }) => event.chunk.customerId);
    for (const [customerId, answers] of byCustomer) void recordAnswers(customerId, answers).catch(options.onFault);
  };

  const recordAnswers = async (customerId: CustomerId, answers: readonly AnsweredPart[]): Promise<void> => {
    const parts = answers.map(({ part }) => part);
    const recording = recorder.record(
      answers.map(({ event }) => event),
      { lease },
    );
    // After the call: intents that use these slots must come after the answers in the recorder.
    window.reuseAfterCommit(parts);
    const { failed } = await recording;
    for (const { part, event } of answers) {
      const error = failed.get(event);
      if (error instanceof LeaseLostError) options.onFault(error);
      else if (failed.has(event)) quarantineEvent(event, error, part);
      else {
        quarantined.noteSuccess(customerId);
        onRecorded(part);
      }
    }
    window.release(parts);
  };

  const onRecorded = (part: Sendable): void => {
    const { chunk, answer: kind } = part.position;
    move(part, 'recorded');
    if (kind === 'declined') wakeOtherChannel(part);
    // The part of a quarantined customer is read again when the customer is released.
    if (kind !== 'withdrawn' || quarantined.has(chunk.customerId)) return;
    move(part, 'queued');
    queue.putBack(part);
  };

  /** The number is in the queue of its other channel now. */
  const wakeOtherChannel = ({ position: { chunk } }: Sendable): void => {
    wake.hintQueues([queueKeyOf(chunk.customerId, classOfPlace(chunk.queueNo))]);
    wake.notify('dispatch', chunk.bucket);
  };

  const answerLate = async (outcome: SubmitOutcome): Promise<void> => {
    if (outcome.kind !== 'accepted' && outcome.kind !== 'refused') return;
    try {
      const position = await matcher.findSubmitted(outcome.part);
      if (position === undefined) return;
      // The loss of the answer must come before the late answer in the recorder.
      recordAnswered();
      const event = lateAnswerEventOf(position, lease, outcome);
      // A refusal has an effect only after the loss, which is quarantined.
      if (position.state === 'quarantined' && outcome.kind === 'refused') return quarantineEvent(event, undefined);
      await recordAll(recorder, [event], lease);
      if (outcome.kind === 'accepted') matcher.learnMessageId(position, outcome.messageId);
    } catch (error) {
      options.log.warn({ err: error }, 'a late answer could not be recorded; its part stays unknown');
    }
  };

  // Report.

  const recordReports: PartLifecycle['recordReports'] = async (reports, mode = 'batched') => {
    // The answer to a part must come before its report in the recorder.
    recordAnswered();
    const events = reports.map(({ position, report, reportId }) => reportEventOf(position, lease, report, reportId));
    const { failed } = await recorder.record(events, { lease, mode });
    const failures = new Map<MatchedReport, unknown>();
    for (const [at, matched] of reports.entries()) {
      const event = events[at];
      if (event !== undefined && failed.has(event)) failures.set(matched, failed.get(event));
      else if (matched.report.status !== 'intermediate') markSettled(matched);
    }
    return failures;
  };

  const markSettled = ({ report, position }: MatchedReport): void => {
    // In another state it stays: an earlier final report settled it, or its answer is quarantined here and another process resolved it.
    // `movePart` and not `move`: the matcher forgets the part below.
    if (position.state === 'recorded') movePart(position, 'settled');
    matcher.forget(report.messageId);
  };

  return {
    commitIntents,
    intendWithChunk,
    isQuarantined: (customerId) => quarantined.has(customerId),
    submit(parts) {
      const submittedAt = options.now();
      for (const part of parts) {
        part.position.submittedAt = submittedAt;
        move(part, 'on_wire');
      }
    },
    retry: (part) => move(part, 'intended'),
    answer,
    answerLate,
    recordReports,
    quarantine(failed) {
      for (const [event, error] of failed) quarantineEvent(event, error);
    },
    async stop() {
      await window.empty();
      await quarantined.stop();
      inFlight.forget(lease.channelId);
    },
  };
}
