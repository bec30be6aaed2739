// Feedback: reports and inbound messages are received, matched, recorded and acknowledged, in this order. Nothing is acknowledged
// to the upstream before it is committed, and nothing is dropped: a report without a part waits until there is one, and a report
// whose answer is quarantined is retried.

import type { Channel, Feedback, Report } from '../../../channels/channel.js';
import { groupBy } from '../../../domain/group-by.js';
import type { Log } from '../../../domain/log.js';
import { type Lease, LeaseLostError } from '../../../store/channel/channel-lease.js';
import { bisectFailures } from '../../quarantine/bisect-failures.js';
import { EarlyReportError } from '../../settle/settle-apart.js';
import type { PartLifecycle } from '../parts/part-lifecycle.js';
import type { PartMemory } from '../parts/part-memory.js';
import type { PartPosition } from '../parts/part-state.js';
import type { ReportMatcher, StoredParts } from '../parts/report-matcher.js';
import type { WaitingReport } from '../parts/waiting-reports.js';
import { createReportRetries, type StoredReport } from './report-retries.js';
import { createUplinkStore, type UplinkDeps } from './uplinks.js';

export interface FeedbackOptions extends UplinkDeps {
  readonly lease: Lease;
  readonly channel: Channel;
  readonly matcher: ReportMatcher;
  readonly lifecycle: Pick<PartLifecycle, 'recordReports' | 'answerLate'>;
  readonly stored: Pick<StoredParts, 'keep'>;
  readonly memory: Pick<PartMemory, 'hold'>;
  readonly log: Log;
  /** Whether a report may be about a test message. If it turns out that it is not, it is handed on. */
  readonly claimReport: (report: Report, handOn: (report: Report) => void) => boolean;
  readonly observe: (event: 'report' | 'orphan' | 'uplink' | 'unclaimed', report?: Report) => void;
}

export interface FeedbackHandler {
  /** Takes feedback that did not come through the channel. */
  receive(feedback: Feedback): void;
  /** Resolves when everything received is stored, or was refused to the upstream. */
  idle(): Promise<void>;
}

const LOOKUP_DELAY_MS = 5;

export function startFeedback(options: FeedbackOptions): FeedbackHandler {
  const { lease, channel, matcher, lifecycle, log } = options;
  const storeUplink = createUplinkStore(options, lease);
  const underWay = new Set<Promise<void>>();
  const unmatched: Report[] = [];

  const track = (work: Promise<void>): void => {
    const tracked: Promise<void> = work.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  const receive = (feedback: Feedback): void => {
    if (feedback.kind === 'uplink') track(receiveUplink(feedback));
    else if (!options.claimReport(feedback, receiveReport)) receiveReport(feedback);
  };

  const receiveReport = (report: Report): void => {
    options.observe('report', report);
    const position = matcher.recall(report);
    if (position !== undefined) track(recordReport(position, report));
    // The answer to its part may be in the same read of the socket: the part is known a moment later.
    else if (unmatched.push(report) === 1) setTimeout(() => track(matchUnmatched()), LOOKUP_DELAY_MS);
  };

  /** Reports whose part memory alone is not certain of, a batch at a time. */
  const matchUnmatched = () => bisectFailures(unmatched.splice(0), { step: matchAll, onFailure: refuse });

  const matchAll = async (reports: readonly Report[]): Promise<void> => {
    const { found, waiting } = await matcher.match(reports, options.now());
    for (const [report, position] of found) track(recordReport(position, report));
    await Promise.all(waiting.map(acknowledgeStored));
  };

  const recordReport = async (position: PartPosition, report: Report): Promise<void> => {
    const matched = { position, report };
    const failures = await lifecycle.recordReports([matched]);
    const error = failures.get(matched);
    if (error instanceof EarlyReportError) await keepEarly(position, report);
    else if (failures.has(matched)) refuse([report], error);
    else report.ack();
  };

  /** The answer to its part is quarantined. The upstream need not send the report again: it is stored, and retried here. */
  const keepEarly = async (position: PartPosition, report: Report): Promise<void> => {
    try {
      const orphanId = await options.stored.keep([report])[0];
      if (orphanId === undefined) throw new Error('a report was not stored');
      retries.add({ report: acknowledged(report), position, orphanId, tries: 1 });
      report.ack();
    } catch (error) {
      refuse([report], error);
    }
  };

  const acknowledgeStored = async ({ report, stored }: WaitingReport): Promise<void> => {
    try {
      await stored;
      options.observe('orphan');
      report.ack();
    } catch (error) {
      refuse([report], error);
    }
  };

  /** A report that waited has its part. If it could not be stored, it was not acknowledged: the upstream sends it again. */
  const recordFound = async ({ report, stored }: WaitingReport, position: PartPosition): Promise<void> => {
    const orphanId = await Promise.resolve(stored).catch(() => undefined);
    if (orphanId === undefined) return;
    await recordStored([{ report: acknowledged(report), position, orphanId, tries: 0 }]);
  };

  const recordStored = async (due: readonly StoredReport[]): Promise<void> => {
    const byBucket = groupBy(due, ({ position }) => position.chunk.bucket);
    await Promise.all([...byBucket.values()].map(recordGroup));
  };

  const recordGroup = async (group: readonly StoredReport[]): Promise<void> => {
    // One that failed before must not fail others again.
    const mode = group.some(({ tries }) => tries > 0) ? 'isolated' : 'batched';
    const failures = await lifecycle.recordReports(group, mode);
    for (const stored of group) {
      // Without the lease it stays in the table, for the process that owns the channel now.
      if (!failures.has(stored) || failures.get(stored) instanceof LeaseLostError) continue;
      retries.add({ ...stored, tries: stored.tries + 1 });
    }
  };
  const retries = createReportRetries({ ...options, retry: (due) => track(recordStored(due)) });

  const refuse = (reports: readonly Report[], error: unknown): void => {
    log.warn({ err: error }, 'reports could not be stored; the upstream sends them again');
    for (const report of reports) report.nack();
  };

  const receiveUplink = async (feedback: Extract<Feedback, { kind: 'uplink' }>): Promise<void> => {
    try {
      const isClaimed = await storeUplink(feedback);
      options.observe(isClaimed ? 'uplink' : 'unclaimed');
      feedback.ack();
    } catch (error) {
      log.warn({ err: error }, 'an inbound message could not be stored; the upstream sends it again');
      feedback.nack();
    }
  };

  matcher.onFound((waiting, position) => track(recordFound(waiting, position)));
  channel.onFeedback(receive);
  channel.onLateAnswer?.((outcome) => track(lifecycle.answerLate(outcome)));
  return {
    receive,
    async idle() {
      retries.stop();
      await matcher.idle();
      while (underWay.size > 0 || unmatched.length > 0) {
        if (underWay.size > 0) await Promise.all(underWay);
        else await new Promise((resolve) => setTimeout(resolve, LOOKUP_DELAY_MS));
        await matcher.idle();
      }
    },
  };
}

/** The upstream has its acknowledgement. */
function acknowledged(report: Report): Report {
  return { ...report, ack: () => {}, nack: () => {} };
}
