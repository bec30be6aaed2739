// Feedback: receives, matches, records and acknowledges reports and inbound messages, in this order. Nothing is acknowledged to the
// carrier before it is committed, and nothing is dropped: a report without a match waits for its part, and a report on a part whose
// answer is quarantined is retried.

import type { Channel, Feedback, Report } from '../../../channels/channel.js';
import { groupBy } from '../../../domain/group-by.js';
import type { Log } from '../../../domain/log.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import { isRetryable } from '../../../store/retry.js';
import { bisectFailures } from '../../quarantine/bisect-failures.js';
import { EarlyReportError } from '../../settle/settle-batch.js';
import type { MatchedReport, PartLifecycle } from '../parts/part-lifecycle.js';
import type { PartMemory } from '../parts/part-memory.js';
import type { PartPosition } from '../parts/part-state.js';
import type { ReportMatcher, StoredParts } from '../parts/report-matcher.js';
import type { UnmatchedReport } from '../parts/unmatched-reports.js';
import { createReportRetries, type ReportRetry } from './report-retries.js';
import { createUplinkStore, type UplinkDeps } from './uplinks.js';

export interface FeedbackOptions extends UplinkDeps {
  readonly lease: Lease;
  readonly channel: Channel;
  readonly matcher: ReportMatcher;
  readonly lifecycle: Pick<PartLifecycle, 'recordReports' | 'answerLate'>;
  readonly stored: Pick<StoredParts, 'store'>;
  readonly memory: Pick<PartMemory, 'reserve'>;
  readonly log: Log;
  /**
   * Returns true if a report may be about a test message of the operator. The report is then left to the test, which calls `onForeign` if
   * it turns out to be about another message.
   */
  readonly claimReport: (report: Report, onForeign: (report: Report) => void) => boolean;
  /** `unmatched`: a report that matches no part yet was stored. `unclaimed`: an inbound message belongs to no customer. */
  readonly observe: (event: 'report' | 'unmatched' | 'uplink' | 'unclaimed', report?: Report) => void;
}

export interface FeedbackHandler {
  /** For feedback that did not arrive through the channel. */
  receive(feedback: Feedback): void;
  /** Resolves when everything received is stored or rejected. Stored reports are still retried. */
  idle(): Promise<void>;
  /** Ends the retries, and resolves when everything received is stored or rejected. */
  stop(): Promise<void>;
}

/** How long a report waits for the answer to its part before the database is searched. */
const LOOKUP_DELAY_MS = 5;

export function startFeedback(options: FeedbackOptions): FeedbackHandler {
  const { lease, channel, matcher, lifecycle, log } = options;
  const storeUplink = createUplinkStore(options, lease);
  const underWay = new Set<Promise<void>>();
  /** Reports of this tick of the event loop whose parts are known. */
  const matchedNow: MatchedReport[] = [];
  /** Reports whose parts are not in memory. */
  const toLookUp: Report[] = [];
  const retries = createReportRetries({ ...options, retry: (due) => track(recordStored(due)) });

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
    if (position !== undefined) recordSoon({ position, report });
    // The answer to its part may be in the same socket read: the part is known a moment later.
    else if (toLookUp.push(report) === 1) setTimeout(() => track(lookUp()), LOOKUP_DELAY_MS);
  };

  /** Matches reports against the database, in a batch. */
  const lookUp = () => bisectFailures(toLookUp.splice(0), { step: matchAll, onFailure: reject });

  const matchAll = async (reports: readonly Report[]): Promise<void> => {
    const { found, unmatched } = await matcher.match(reports, options.now());
    for (const [report, position] of found) recordSoon({ position, report });
    await Promise.all(unmatched.map(acknowledgeStored));
  };

  /** The reports of one socket read are recorded in one call per customer: a locked account delays no report of others. */
  const recordSoon = (matched: MatchedReport): void => {
    if (matchedNow.push(matched) === 1) queueMicrotask(() => track(recordMatched()));
  };

  const recordMatched = async (): Promise<void> => {
    const byCustomer = groupBy(matchedNow.splice(0), ({ position }) => position.chunk.customerId);
    await Promise.all([...byCustomer.values()].map(recordReports));
  };

  const recordReports = async (reports: readonly MatchedReport[]): Promise<void> => {
    const failures = await lifecycle.recordReports(reports);
    for (const matched of reports) {
      const { position, report } = matched;
      const error = failures.get(matched);
      if (error instanceof EarlyReportError) track(storeEarly(position, report));
      else if (failures.has(matched)) reject([report], error);
      else report.ack();
    }
  };

  /** The answer to its part is quarantined. The report is stored, acknowledged and retried here. */
  const storeEarly = async (position: PartPosition, report: Report): Promise<void> => {
    try {
      const reportId = await options.stored.store([report])[0];
      if (reportId === undefined) throw new Error('a report was not stored');
      retries.add({ report: acknowledged(report), position, reportId, tries: 1 });
      report.ack();
    } catch (error) {
      reject([report], error);
    }
  };

  const acknowledgeStored = async ({ report, stored }: UnmatchedReport): Promise<void> => {
    try {
      await stored;
      options.observe('unmatched');
      report.ack();
    } catch (error) {
      reject([report], error);
    }
  };

  /** Records an unmatched report whose part became known. */
  const recordFound = async ({ report, stored }: UnmatchedReport, position: PartPosition): Promise<void> => {
    const reportId = await Promise.resolve(stored).catch(() => undefined);
    // It could not be stored and was not acknowledged: the carrier sends it again.
    if (reportId === undefined) return;
    await recordStored([{ report: acknowledged(report), position, reportId, tries: 0 }]);
  };

  const recordStored = async (due: readonly ReportRetry[]): Promise<void> => {
    const byBucket = groupBy(due, ({ position }) => position.chunk.bucket);
    await Promise.all([...byBucket.values()].map(recordGroup));
  };

  const recordGroup = async (group: readonly ReportRetry[]): Promise<void> => {
    // A report that failed before must not make others fail.
    const mode = group.some(({ tries }) => tries > 0) ? 'isolated' : 'batched';
    const failures = await lifecycle.recordReports(group, mode);
    for (const stored of group) {
      if (!failures.has(stored)) continue;
      const error = failures.get(stored);
      const isExpected = error instanceof EarlyReportError || isRetryable(error);
      if (!isExpected)
        log.error({ err: error, tries: stored.tries + 1 }, 'a stored report could not be recorded; it is retried');
      retries.add({ ...stored, tries: stored.tries + 1 });
    }
  };

  const reject = (reports: readonly Report[], error: unknown): void => {
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

  matcher.onFound((entry, position) => track(recordFound(entry, position)));
  channel.onFeedback(receive);
  channel.onLateAnswer?.((outcome) => track(lifecycle.answerLate(outcome)));

  const idle = async (): Promise<void> => {
    await matcher.idle();
    while (underWay.size > 0 || toLookUp.length > 0) {
      if (underWay.size > 0) await Promise.all(underWay);
      else await new Promise((resolve) => setTimeout(resolve, LOOKUP_DELAY_MS));
      await matcher.idle();
    }
  };

  return {
    receive,
    idle,
    async stop() {
      retries.stop();
      await idle();
    },
  };
}

/** A copy that is not acknowledged again. */
function acknowledged(report: Report): Report {
  return { ...report, ack: () => {}, nack: () => {} };
}
