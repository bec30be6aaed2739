// Feedback: reports find the part they are about, uplinks their customer. Nothing is acknowledged to the upstream before
// it is committed, and nothing is dropped: a report that matches no part yet is kept until one turns up.

import type { Channel, Feedback, Part, Report, SubmitOutcome } from '../../channels/channel.js';
import type { Happening } from '../../domain/happening.js';
import type { Log } from '../../domain/log.js';
import { type MessageIdFormat, messageKeyOf } from '../../domain/message-id.js';
import { type Candidate, chooseCandidate } from '../../domain/part-matching.js';
import { formatReference } from '../../domain/part-reference.js';
import type { Lease } from '../../store/channel-lease.js';
import { insertOrphans, type NewOrphan, readOrphans } from '../../store/orphan-delivery.js';
import type { Recorder } from '../settle/recorder.js';
import { workApart } from '../work-apart.js';
import { findCandidates } from './find-parts.js';
import type { Flight } from './part-memory.js';
import type { KeptReport, PartsBook } from './parts-book.js';
import { makeUplinkStore, type UplinkDeps } from './uplinks.js';

export interface FeedbackOptions extends UplinkDeps {
  readonly lease: Lease;
  readonly channel: Channel;
  readonly messageIdFormat: MessageIdFormat;
  readonly book: PartsBook;
  readonly recorder: Recorder;
  readonly log: Log;
  /** Whether a report is about a test message; then it is taken care of, or handed on once it turns out that it is not. */
  readonly claimReport: (report: Report, handOn: (report: Report) => void) => boolean;
  readonly now: () => number;
  readonly observe: (event: 'report' | 'orphan' | 'uplink' | 'unclaimed', report?: Report) => void;
}

export interface FeedbackDesk {
  /** Reports that were kept until their part was known. */
  takeUp(early: readonly KeptReport[], flight: Flight): void;
  /** The loss of a part's answer is recorded: a report that came while it was waited for is taken up. */
  onLossRecorded(part: Part, flight: Flight): void;
  /**
   * Parts were given up, or accepted, by a process that ended before it could take up what was kept for them: looks for the
   * parts of all kept reports again.
   */
  matchKept(): void;
  /** Resolves when everything that came in is stored or given back. */
  idle(): Promise<void>;
}

const LOOKUP_DELAY_MS = 5;
const KEPT_A_LOOKUP = 500;
/** How many kept reports the book holds; the table holds all of them. */
export const MAX_KEPT_IN_MEMORY = 100_000;

export async function startFeedback(options: FeedbackOptions): Promise<FeedbackDesk> {
  const { sql, lease, channel, recorder, book, log } = options;
  const { channelId } = lease;
  const storeUplink = makeUplinkStore(options, lease);
  await loadKept(options);
  const underWay = new Set<Promise<void>>();
  const quiet: (() => void)[] = [];
  let settling = 0;
  const unmatched: Report[] = [];

  const track = (work: Promise<void>): void => {
    const tracked: Promise<void> = work.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  const settleReport = (flight: Flight, report: Report, orphanId?: bigint): void => {
    settling += 1;
    const happening = happeningOf(flight, lease, report, orphanId);
    recorder.add([happening], lease, ({ failed }) => {
      settling -= 1;
      if (settling === 0) for (const resolve of quiet.splice(0)) resolve();
      const error = failed.get(happening);
      if (failed.has(happening)) {
        log.warn({ err: error }, 'a report could not be stored and is left to the upstream to send again');
        return report.nack();
      }
      if (report.status !== 'intermediate') book.finished(report.messageId);
      report.ack();
    });
  };

  const onReport = (report: Report): void => {
    if (!options.claimReport(report, takeIn)) takeIn(report);
  };

  const takeIn = (report: Report): void => {
    options.observe('report', report);
    if (settleAtOnce(report)) return;
    unmatched.push(report);
    if (unmatched.length === 1) setTimeout(() => track(matchUnmatched()), LOOKUP_DELAY_MS);
  };

  const settleAtOnce = (report: Report): boolean => {
    const flight = book.matchAtOnce(report);
    if (flight !== undefined) settleReport(flight, report);
    return flight !== undefined;
  };

  /** Reports on parts that are not certain from memory alone, a batch at a time. */
  const matchUnmatched = async (): Promise<void> => {
    // A report may come in one breath with the answer to its part and be read before it: the part is known by now.
    const reports = unmatched.splice(0).filter((report) => !settleAtOnce(report));
    if (reports.length > 0) await workApart(reports, { work: matchStored, failed: giveBack });
  };

  const matchStored = async (reports: readonly Report[]): Promise<void> => {
    await awaitLosses(reports);
    const stored = await findCandidates({ ...options, channelId }, reports);
    const left = reports.filter((report) => {
      // Its part may have been answered while the database was asked.
      const flight = choose(report, stored.get(report));
      if (flight !== undefined) settleReport(flight, report);
      return flight === undefined;
    });
    if (left.length > 0) await workApart(left, { work: keep, failed: giveBack });
  };

  const giveBack = (reports: readonly Report[], error: unknown): void => {
    log.warn({ err: error }, 'reports could not be stored and are left to the upstream to send again');
    for (const report of reports) report.nack();
  };

  /** Until the database knows of the lost parts that these reports may be about. */
  const awaitLosses = async (reports: readonly Report[]): Promise<void> => {
    const lost = reports.flatMap(book.candidates).filter(({ how }) => how === 'lost_answer');
    await Promise.all(
      [...new Set(lost.map(({ found }) => found.chunk.bucket))].map((bucket) => recorder.flush(bucket)),
    );
  };

  const choose = (report: Report, stored?: readonly Candidate<Flight>[]): Flight | undefined =>
    chooseCertain(report, stored)?.found;

  const chooseCertain = (report: Report, stored: readonly Candidate<Flight>[] = []): Candidate<Flight> | undefined => {
    const mayBeEarly = report.phone !== undefined && book.isFlyingTo(report.phone);
    const distinct = new Map<string, Candidate<Flight>>();
    for (const candidate of [...book.candidates(report), ...stored]) {
      if (candidate.how === 'lost_answer' && mayBeEarly) continue;
      const name = `${candidate.how} ${nameOf(candidate.found)}`;
      if (!distinct.has(name)) distinct.set(name, candidate);
    }
    const chosen = chooseCandidate(report.phone, [...distinct.values()]);
    // Of a message of several parts only the database knows whether another of them was given up.
    const isCertain = chosen?.how !== 'lost_answer' || partsOf(chosen.found) === 1 || stored.some(isSame(chosen));
    return isCertain ? chosen : undefined;
  };

  const keep = async (reports: readonly Report[]): Promise<void> => {
    const receivedAt = options.now();
    const storing = insertOrphans(sql, lease, reports.map(orphanOf));
    const entries = reports.map((report, at) => ({
      report,
      receivedAt,
      stored: storing.then((ids) => ids[at] ?? 0n),
    }));
    for (const entry of entries) {
      entry.stored.catch(() => undefined);
      book.keep(entry);
    }
    try {
      await storing;
    } catch (error) {
      for (const entry of entries) book.drop(entry);
      throw error;
    }
    for (const report of reports) {
      options.observe('orphan');
      report.ack();
    }
  };

  const takeUpOne = async ({ report, stored }: KeptReport, flight: Flight): Promise<void> => {
    const orphanId = await stored.catch(() => undefined);
    // A report that could not be kept was not acknowledged either: the upstream sends it again.
    if (orphanId !== undefined) settleReport(flight, { ...report, ack: () => {}, nack: () => {} }, orphanId);
  };

  /** Several parts to the number may be lost, here or in the database, and the report then be another's: it stays kept. */
  const takeUpIfCertain = async (kept: KeptReport, flight: Flight): Promise<void> => {
    const { report } = kept;
    const stored = await findCandidates({ ...options, channelId }, [report]).catch(() => undefined);
    const found = stored && choose(report, stored.get(report));
    if (found !== undefined && nameOf(found) === nameOf(flight)) await takeUpOne(kept, flight);
    else book.keep(kept);
  };

  const matchKept = async (): Promise<void> => {
    for (const entries of inBatches(book.kept(), KEPT_A_LOOKUP)) {
      const stored = await findCandidates(
        { ...options, channelId },
        entries.map(({ report }) => report),
      );
      for (const entry of entries) {
        const chosen = chooseCertain(entry.report, stored.get(entry.report));
        if (chosen !== undefined && book.takeOut(entry, chosen)) await takeUpOne(entry, chosen.found);
      }
    }
  };

  const onUplink = async (feedback: Extract<Feedback, { kind: 'uplink' }>): Promise<void> => {
    try {
      const claimed = await storeUplink(feedback);
      options.observe(claimed ? 'uplink' : 'unclaimed');
      feedback.ack();
    } catch (error) {
      log.warn({ err: error }, 'an inbound message could not be stored and is left to the upstream to send again');
      feedback.nack();
    }
  };

  const desk: FeedbackDesk = {
    takeUp(early, flight) {
      for (const kept of early) track(takeUpOne(kept, flight));
    },
    onLossRecorded(part, flight) {
      const early = book.lossRecorded(part, flight);
      if (early !== undefined) track(takeUpIfCertain(early, flight));
      // A report whose part is being looked for in the database may have asked just before it knew.
      void Promise.allSettled(underWay).then(() => book.forgetLost(part));
    },
    matchKept() {
      const failed = (err: unknown) => log.warn({ err }, 'the parts of kept reports could not be looked for again');
      track(matchKept().catch(failed));
    },
    async idle() {
      while (underWay.size > 0 || unmatched.length > 0 || settling > 0) {
        await Promise.all(underWay);
        if (settling > 0) await new Promise<void>((resolve) => quiet.push(resolve));
        else if (unmatched.length > 0) await new Promise((resolve) => setTimeout(resolve, LOOKUP_DELAY_MS));
      }
    },
  };
  channel.onFeedback((feedback) => (feedback.kind === 'report' ? onReport(feedback) : track(onUplink(feedback))));
  channel.onLateAnswer?.((outcome) => track(settleLateAnswer(options, outcome, desk)));
  return desk;
}

/** An answer that came after its part had been given up as unknown settles the question. */
async function settleLateAnswer(options: FeedbackOptions, outcome: SubmitOutcome, desk: FeedbackDesk): Promise<void> {
  if (outcome.kind !== 'accepted' && outcome.kind !== 'refused') return;
  const { lease, recorder, book, log } = options;
  try {
    const question = { messageId: '', reference: outcome.part.reference, phone: outcome.part.to };
    const stored = await findCandidates({ ...options, channelId: lease.channelId }, [question]);
    const flight = chooseCandidate(undefined, stored.get(question) ?? [])?.found;
    if (flight === undefined) return;
    const base = { ...flight, channelId: lease.channelId };
    if (outcome.kind === 'accepted') {
      const { messageId } = outcome;
      await recorder.record([{ ...base, event: { kind: 'accepted' }, messageId }], lease);
      desk.takeUp(book.acceptedLate(flight, messageId), flight);
    } else {
      const { code } = outcome;
      await recorder.record([{ ...base, event: { kind: 'not_accepted' }, code }], lease);
    }
  } catch (error) {
    log.warn({ err: error }, 'a late answer could not be stored; its part stays unknown');
  }
}

async function loadKept({ sql, lease, book }: FeedbackOptions): Promise<void> {
  const orphans = await readOrphans(sql, lease.channelId, MAX_KEPT_IN_MEMORY);
  for (const { orphanId, messageId, reference, status, code, phone, doneAt, receivedAt } of orphans.reverse()) {
    const report: Report = {
      kind: 'report',
      messageId,
      status,
      code,
      ...(reference === null ? {} : { reference }),
      ...(phone === null ? {} : { phone }),
      ...(doneAt === null ? {} : { doneAt }),
      ack: () => {},
      nack: () => {},
    };
    book.keep({ report, stored: Promise.resolve(orphanId), receivedAt: receivedAt.getTime() });
  }
}

function orphanOf({ messageId, reference, status, code, phone, doneAt }: Report): NewOrphan {
  const optional = { reference: reference ?? null, phone: phone ?? null, doneAt: doneAt ?? null };
  return { messageKey: messageKeyOf(messageId), messageId, status, code, ...optional };
}

function inBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function partsOf({ chunk, index }: Flight): number {
  return chunk.numbers.parts[index] ?? 1;
}

function isSame(one: Candidate<Flight>): (other: Candidate<Flight>) => boolean {
  return (other) => other.how === one.how && nameOf(other.found) === nameOf(one.found);
}

function nameOf({ chunk, index, part }: Flight): string {
  const { customerId, taskId, numbers } = chunk;
  return formatReference({ customerId, taskId, seq: numbers.seq[index] ?? 0, part });
}

function happeningOf(flight: Flight, lease: Lease, report: Report, orphanId: bigint | undefined): Happening {
  const { chunk, index, part, submittedAt } = flight;
  const { messageId, status, code, doneAt } = report;
  const event = { kind: 'reported', status } as const;
  return { chunk, index, part, event, channelId: lease.channelId, code, messageId, submittedAt, doneAt, orphanId };
}
