// Feedback: reports find the part they are about, uplinks their customer. Nothing is acknowledged to the upstream before
// it is committed, and nothing is dropped: a report that matches no part yet is kept until one turns up.

import type { Channel, Feedback, Part, Report, SubmitOutcome } from '../channels/channel.js';
import type { Log } from '../domain/log.js';
import { type MessageIdFormat, messageKeyOf, reportKeysOf } from '../domain/message-id.js';
import type { Lease } from '../store/channel-lease.js';
import { insertOrphan, readOrphans } from '../store/orphan-delivery.js';
import type { Flight, FlightDirectory } from './flight.js';
import { type KeptReport, type KeptReports, makeKeptReports } from './kept-reports.js';
import { locateReports } from './locate.js';
import type { Recorder } from './recorder.js';
import type { Happening } from './settlement.js';
import { storeUplink, type UplinkDeps } from './uplinks.js';

export interface FeedbackOptions extends UplinkDeps {
  readonly lease: Lease;
  readonly channel: Channel;
  readonly messageIdFormat: MessageIdFormat;
  readonly directory: FlightDirectory;
  readonly recorder: Recorder;
  readonly log: Log;
  readonly now: () => number;
  readonly observe: (event: 'report' | 'orphan' | 'uplink' | 'unclaimed') => void;
}

export interface FeedbackDesk {
  /** A part has its message id now: a report that came before it is taken up. */
  onAccepted(messageId: string): void;
  /** A part is known to have lost its answer: a report that came while its answer was waited for is taken up. */
  onLost(part: Part, flight: Flight): void;
  /** Resolves when everything that came in is stored or given back. */
  idle(): Promise<void>;
}

const LOOKUP_DELAY_MS = 5;
const MAX_ORPHANS_IN_MEMORY = 100_000;

export async function startFeedback(options: FeedbackOptions): Promise<FeedbackDesk> {
  const { sql, lease, channel, recorder, directory, log } = options;
  const kept = await loadOrphans(options);
  const underWay = new Set<Promise<void>>();
  const quiet: (() => void)[] = [];
  let settling = 0;
  let unmatched: Report[] = [];

  const track = (work: Promise<void>): void => {
    const tracked: Promise<void> = work.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  const keysOf = (report: Report) => reportKeysOf(report.messageId, options.messageIdFormat);

  const settleReport = (flight: Flight, report: Report, orphanId?: bigint): void => {
    settling += 1;
    recorder.add(flight.chunk.customerId, [happeningOf(flight, lease, report, orphanId)], lease, (error) => {
      settling -= 1;
      if (settling === 0) for (const resolve of quiet.splice(0)) resolve();
      if (error === undefined) return report.ack();
      log.warn({ err: error }, 'a report could not be stored and is left to the upstream to send again');
      report.nack();
    });
  };

  const onReport = (report: Report): void => {
    options.observe('report');
    const flight = directory.find(keysOf(report)) ?? directory.findLost(report);
    if (flight !== undefined) {
      settleReport(flight, report);
      return;
    }
    unmatched.push(report);
    if (unmatched.length === 1) setTimeout(() => track(matchInDatabase()), LOOKUP_DELAY_MS);
  };

  /** Reports on parts that are no longer in memory, a batch at a time. */
  const matchInDatabase = async (): Promise<void> => {
    const reports = unmatched;
    unmatched = [];
    try {
      const { isFlyingTo } = directory;
      const found = await locateReports({ sql, channelId: lease.channelId, keysOf, isFlyingTo }, reports);
      for (const report of reports) {
        // Its part may have been answered while the database was asked.
        const flight = found.get(report) ?? directory.find(keysOf(report)) ?? directory.findLost(report);
        if (flight !== undefined) settleReport(flight, report);
        else track(keep(report));
      }
    } catch (error) {
      log.warn({ err: error }, 'reports could not be matched and are left to the upstream to send again');
      for (const report of reports) report.nack();
    }
  };

  const keep = async (report: Report): Promise<void> => {
    options.observe('orphan');
    const { messageId, status, code } = report;
    const messageKey = messageKeyOf(messageId);
    const orphan = { messageKey, messageId, status, code };
    const rest = { phone: report.phone ?? null, doneAt: report.doneAt ?? null };
    const stored = insertOrphan(sql, lease, { ...orphan, ...rest });
    const receivedAt = options.now();
    const entry = { report, stored, receivedAt };
    kept.add(entry, keysOf(report));
    try {
      await stored;
      report.ack();
    } catch (error) {
      kept.remove(entry);
      log.warn({ err: error }, 'a report could not be kept and is left to the upstream to send again');
      report.nack();
    }
  };

  const takeUp = async (early: KeptReport, flight: Flight): Promise<void> => {
    const { report, stored } = early;
    kept.remove(early);
    const orphanId = await stored.catch(() => undefined);
    // A report that could not be kept was not acknowledged either: the upstream sends it again.
    if (orphanId !== undefined) settleReport(flight, { ...report, ack: () => {}, nack: () => {} }, orphanId);
  };

  const onUplink = async (feedback: Extract<Feedback, { kind: 'uplink' }>): Promise<void> => {
    try {
      const claimed = await storeUplink(options, lease.channelId, feedback);
      options.observe(claimed ? 'uplink' : 'unclaimed');
      feedback.ack();
    } catch (error) {
      log.warn({ err: error }, 'an inbound message could not be stored and is left to the upstream to send again');
      feedback.nack();
    }
  };

  const desk: FeedbackDesk = {
    onAccepted(messageId) {
      const key = messageKeyOf(messageId);
      for (const early of kept.find(key)) {
        const flight = directory.find([key]);
        if (flight !== undefined) track(takeUp(early, flight));
      }
    },
    onLost(part, flight) {
      const early = kept.filter(mayMean(part, flight, directory));
      // Two reports to one number, and no telling which is whose: they stay with the operator.
      const [only] = early;
      if (only !== undefined && early.length === 1) track(takeUp(only, flight));
      // A report whose part is being looked for in the database may have asked just before it knew.
      void Promise.allSettled(underWay).then(() => directory.forgetLost(part));
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
  channel.onLateAnswer?.((outcome) => track(settleLateAnswer(options, outcome, desk.onAccepted)));
  return desk;
}

/** An answer that came after its part had been given up as unknown settles the question. */
async function settleLateAnswer(
  options: FeedbackOptions,
  outcome: SubmitOutcome,
  onAccepted: (messageId: string) => void,
): Promise<void> {
  if (outcome.kind !== 'accepted' && outcome.kind !== 'refused') return;
  const { sql, lease, recorder, directory, log } = options;
  try {
    const deps = { sql, channelId: lease.channelId, keysOf: () => [], isFlyingTo: directory.isFlyingTo };
    const { reference, to: phone } = outcome.part;
    const question = { messageId: '', reference, phone };
    const flight = (await locateReports(deps, [question])).get(question);
    if (flight === undefined) return;
    const base = { ...flight, channelId: lease.channelId };
    if (outcome.kind === 'accepted') {
      directory.remember(outcome.messageId, flight);
      const { messageId } = outcome;
      await recorder.record(flight.chunk.customerId, [{ ...base, event: { kind: 'accepted' }, messageId }], lease);
      onAccepted(messageId);
    } else {
      const { code } = outcome;
      await recorder.record(flight.chunk.customerId, [{ ...base, event: { kind: 'not_accepted' }, code }], lease);
    }
  } catch (error) {
    log.warn({ err: error }, 'a late answer could not be stored; its part stays unknown');
  }
}

/** Whether a kept report can be about a part whose answer was lost: by our own reference, or to its number since it left. */
function mayMean(part: Part, flight: Flight, directory: FlightDirectory): (kept: KeptReport) => boolean {
  return ({ report, receivedAt }) => {
    if (report.reference !== undefined) return report.reference === part.reference;
    return report.phone === part.to && receivedAt >= flight.submittedAt && !directory.isFlyingTo(part.to);
  };
}

async function loadOrphans(options: FeedbackOptions): Promise<KeptReports> {
  const kept = makeKeptReports(MAX_ORPHANS_IN_MEMORY);
  const orphans = await readOrphans(options.sql, options.lease.channelId, MAX_ORPHANS_IN_MEMORY);
  for (const { orphanId, messageId, status, code, phone, doneAt, receivedAt } of orphans.reverse()) {
    const report: Report = {
      kind: 'report',
      messageId,
      status,
      code,
      ...(phone === null ? {} : { phone }),
      ...(doneAt === null ? {} : { doneAt }),
      ack: () => {},
      nack: () => {},
    };
    const entry = { report, stored: Promise.resolve(orphanId), receivedAt: receivedAt.getTime() };
    kept.add(entry, reportKeysOf(messageId, options.messageIdFormat));
  }
  return kept;
}

function happeningOf(flight: Flight, lease: Lease, report: Report, orphanId: bigint | undefined): Happening {
  const { chunk, index, part, submittedAt } = flight;
  const { messageId, status, code, doneAt } = report;
  const event = { kind: 'reported', status } as const;
  return { chunk, index, part, event, channelId: lease.channelId, code, messageId, submittedAt, doneAt, orphanId };
}
