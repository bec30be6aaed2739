// Feedback: what comes in is received, matched with its part, recorded and acknowledged, in this order. Nothing is acknowledged
// to the upstream before it is committed, and nothing is dropped: a report that matches no part yet waits until one turns up, and
// one whose answer is not recorded waits until it is.

import type { Channel, Feedback, Report, SubmitOutcome } from '../../../channels/channel.js';
import { groupBy } from '../../../domain/group-by.js';
import type { Log } from '../../../domain/log.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import { type Lease, LeaseLostError } from '../../../store/channel/channel-lease.js';
import { bisectFailures } from '../../quarantine/bisect-failures.js';
import type { Recorder } from '../../settle/recorder.js';
import { EarlyReportError } from '../../settle/settle-apart.js';
import type { PartMemory, PartPosition } from '../parts/part-memory.js';
import type { ReportMatcher } from '../parts/report-matcher.js';
import type { WaitingReport } from '../parts/waiting-reports.js';
import { createReportRetries, type ReportRetry } from './report-retries.js';
import { createUplinkStore, type UplinkDeps } from './uplinks.js';

export interface FeedbackOptions extends UplinkDeps {
  readonly lease: Lease;
  readonly channel: Channel;
  readonly book: ReportMatcher;
  readonly memory: Pick<PartMemory, 'hold'>;
  readonly recorder: Recorder;
  readonly log: Log;
  /** Whether a report is about a test message; then it is taken care of, or handed on once it turns out that it is not. */
  readonly claimReport: (report: Report, handOn: (report: Report) => void) => boolean;
  readonly now: () => number;
  readonly observe: (event: 'report' | 'orphan' | 'uplink' | 'unclaimed', report?: Report) => void;
}

export interface FeedbackHandler {
  /** Takes feedback that did not come through the channel itself. */
  receive(feedback: Feedback): void;
  /** Resolves when everything that came in is stored or given back. */
  idle(): Promise<void>;
}

const LOOKUP_DELAY_MS = 5;

export function startFeedback(options: FeedbackOptions): FeedbackHandler {
  const { lease, channel, recorder, book, log } = options;
  const storeUplink = createUplinkStore(options, lease);
  const underWay = new Set<Promise<void>>();
  const quiet: (() => void)[] = [];
  let settling = 0;
  const unmatched: Report[] = [];

  const track = (work: Promise<void>): void => {
    const tracked: Promise<void> = work.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  const endSettling = (): void => {
    settling -= 1;
    if (settling === 0) for (const resolve of quiet.splice(0)) resolve();
  };

  const onRecorded = (report: Report): void => {
    if (report.status !== 'intermediate') book.finished(report.messageId);
    report.ack();
  };

  const settleReport = (sent: PartPosition, report: Report): void => {
    settling += 1;
    const deliveryEvent = deliveryEventOf(sent, lease, report);
    recorder.add([deliveryEvent], lease, ({ failed }) => {
      const error = failed.get(deliveryEvent);
      if (error instanceof EarlyReportError) track(keepEarly(sent, report));
      else if (failed.has(deliveryEvent)) giveBack([report], error);
      else onRecorded(report);
      endSettling();
    });
  };

  /** The answer to its part is quarantined: the upstream need not send the report again, it is stored and retried here. */
  const keepEarly = async (sent: PartPosition, report: Report): Promise<void> => {
    try {
      const orphanId = await book.store(report);
      const waiting = { report: acknowledged(report), receivedAt: options.now(), stored: orphanId };
      retries.add({ waiting, sent, orphanId, tries: 1 });
      report.ack();
    } catch (error) {
      giveBack([report], error);
    }
  };

  /** Stored reports. They go in their own transaction, because one that failed before must not fail others again. */
  const settleStored = (due: readonly ReportRetry[]): void => {
    for (const group of groupBy(due, ({ sent }) => sent.chunk.bucket).values()) {
      settling += 1;
      const deliveryEvents = group.map(({ sent, waiting, orphanId }) =>
        deliveryEventOf(sent, lease, waiting.report, orphanId),
      );
      const add = group.some(({ tries }) => tries > 0) ? recorder.addIsolated : recorder.add;
      add(deliveryEvents, lease, ({ failed }) => {
        for (const [at, each] of group.entries()) {
          const deliveryEvent = deliveryEvents[at] as DeliveryEvent;
          const error = failed.get(deliveryEvent);
          if (!failed.has(deliveryEvent)) onRecorded(each.waiting.report);
          // Without the lease it is left in the table, to the process that owns the channel now.
          else if (!(error instanceof LeaseLostError)) retries.add({ ...each, tries: each.tries + 1 });
        }
        endSettling();
      });
    }
  };
  const retries = createReportRetries({ ...options, retry: settleStored });

  const giveBack = (reports: readonly Report[], error: unknown): void => {
    log.warn({ err: error }, 'reports could not be stored and are left to the upstream to send again');
    for (const report of reports) report.nack();
  };

  const onReport = (report: Report): void => {
    if (!options.claimReport(report, accept)) accept(report);
  };

  const accept = (report: Report): void => {
    options.observe('report', report);
    const sent = book.recall(report);
    if (sent !== undefined) settleReport(sent, report);
    // It may come in one breath with the answer to its part and be read before it: the part is known a moment later.
    else if (unmatched.push(report) === 1) setTimeout(() => track(matchUnmatched()), LOOKUP_DELAY_MS);
  };

  /** Reports on parts that are not certain from memory alone, a batch at a time. */
  const matchUnmatched = () => bisectFailures(unmatched.splice(0), { step: matchAll, onFailure: giveBack });

  const matchAll = async (reports: readonly Report[]): Promise<void> => {
    const { found, waiting } = await book.match(reports, options.now());
    for (const [report, sent] of found) settleReport(sent, report);
    await Promise.all(waiting.map(acknowledgeStored));
  };

  const acknowledgeStored = async ({ report, stored }: WaitingReport): Promise<void> => {
    try {
      await stored;
      options.observe('orphan');
      report.ack();
    } catch (error) {
      giveBack([report], error);
    }
  };

  /** One that could not be stored was not acknowledged either: the upstream sends it again. */
  const settleWaiting = async (found: WaitingReport, sent: PartPosition): Promise<void> => {
    const orphanId = await Promise.resolve(found.stored).catch(() => undefined);
    if (orphanId === undefined) return;
    const waiting = { ...found, report: acknowledged(found.report) };
    settleStored([{ waiting, sent, orphanId, tries: 0 }]);
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

  book.onFound((waiting, sent) => track(settleWaiting(waiting, sent)));
  const receive = (feedback: Feedback): void => {
    if (feedback.kind === 'report') onReport(feedback);
    else track(onUplink(feedback));
  };
  channel.onFeedback(receive);
  channel.onLateAnswer?.((outcome) => track(settleLateAnswer(options, outcome)));
  return {
    receive,
    async idle() {
      retries.stop();
      await book.idle();
      while (underWay.size > 0 || unmatched.length > 0 || settling > 0) {
        await Promise.all(underWay);
        if (settling > 0) await new Promise<void>((resolve) => quiet.push(resolve));
        else if (unmatched.length > 0) await new Promise((resolve) => setTimeout(resolve, LOOKUP_DELAY_MS));
        await book.idle();
      }
    },
  };
}

/** An answer that came after its part had been given up as unknown settles the question. */
async function settleLateAnswer(options: FeedbackOptions, outcome: SubmitOutcome): Promise<void> {
  if (outcome.kind !== 'accepted' && outcome.kind !== 'refused') return;
  const { lease, recorder, book, log } = options;
  try {
    const sent = await book.findGivenUp(outcome.part);
    if (sent === undefined) return;
    const base = { ...sent, channelId: lease.channelId };
    if (outcome.kind === 'accepted') {
      const { messageId } = outcome;
      await recorder.record([{ ...base, event: { kind: 'accepted' }, messageId }], lease);
      book.acceptedLate(sent, messageId);
    } else {
      const { code } = outcome;
      await recorder.record([{ ...base, event: { kind: 'not_accepted' }, code }], lease);
    }
  } catch (error) {
    log.warn({ err: error }, 'a late answer could not be stored; its part stays unknown');
  }
}

/** The upstream has its acknowledgement already. */
function acknowledged(report: Report): Report {
  return { ...report, ack: () => {}, nack: () => {} };
}

function deliveryEventOf(sent: PartPosition, lease: Lease, report: Report, orphanId?: bigint): DeliveryEvent {
  const { chunk, index, part, submittedAt, isAnswered } = sent;
  const { messageId, status, code, doneAt } = report;
  const event = { kind: 'reported', status, ...(isAnswered && { isAnswered }) } as const;
  return { chunk, index, part, event, channelId: lease.channelId, code, messageId, submittedAt, doneAt, orphanId };
}
