// The database side of the report matcher: looks up parts, and stores unmatched reports.

import type { Report } from '../../../channels/channel.js';
import { messageKeyOf } from '../../../domain/message/message-id.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import {
  insertUnmatchedReports,
  type NewUnmatchedReport,
  readUnmatchedReports,
  type UnmatchedReportRow,
} from '../../../store/wire/unmatched-report.js';
import { bisectFailures } from '../../quarantine/bisect-failures.js';
import type { Recorder } from '../../settle/recorder.js';
import type { StoredParts } from '../parts/report-matcher.js';
import type { UnmatchedReport } from '../parts/unmatched-reports.js';
import { type FindDeps, findCandidates } from './find-parts.js';

export interface StoredPartsDeps extends Omit<FindDeps, 'channelId'> {
  readonly lease: Lease;
  readonly recorder: Pick<Recorder, 'flush'>;
}

export function createStoredParts(deps: StoredPartsDeps): StoredParts {
  const { sql, lease, recorder } = deps;
  return {
    find: (lookups) => findCandidates({ ...deps, channelId: lease.channelId }, lookups),
    awaitRecorded: (bucket, customerIds) => recorder.flush(bucket, customerIds),
    store(reports) {
      const pending = reports.map((report) => ({ report, ...createPendingId() }));
      void bisectFailures(pending, {
        async step(some) {
          const ids = await insertUnmatchedReports(
            sql,
            lease,
            some.map(({ report }) => rowOf(report)),
          );
          for (const [at, { resolve }] of some.entries()) resolve(ids[at] ?? 0n);
        },
        onFailure(some, error) {
          for (const { reject } of some) reject(error);
        },
      });
      return pending.map(({ stored }) => stored);
    },
  };
}

function createPendingId() {
  let resolve: (id: bigint) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const stored = new Promise<bigint>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { stored, resolve, reject };
}

/** The newest unmatched reports, in ascending order. */
export async function readUnmatched({ sql, lease }: StoredPartsDeps, limit: number): Promise<UnmatchedReport[]> {
  const rows = await readUnmatchedReports(sql, lease.channelId, limit);
  return rows.reverse().map((row) => ({
    report: reportOf(row),
    stored: row.reportId,
    receivedAt: row.receivedAt.getTime(),
  }));
}

function rowOf({ messageId, reference, status, code, phone, doneAt }: Report): NewUnmatchedReport {
  const optional = { reference: reference ?? null, phone: phone ?? null, doneAt: doneAt ?? null };
  return { messageKey: messageKeyOf(messageId), messageId, status, code, ...optional };
}

/** Acknowledged when it was stored. */
function reportOf({ messageId, reference, status, code, phone, doneAt }: UnmatchedReportRow): Report {
  return {
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
}
