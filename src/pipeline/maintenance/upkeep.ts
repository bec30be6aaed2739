// What a process with the worker role does once a minute.

import type { Log } from '../../domain/log.js';
import { deleteOldCallbacks } from '../../store/channel/upstream-callback.js';
import { auditLastEntries } from '../../store/money/audit-money.js';
import { ensurePartitions } from '../../store/partitions.js';
import type { Sql } from '../../store/sql.js';
import { deleteOldUnmatchedReports } from '../../store/wire/unmatched-report.js';
import { deleteOldUnclaimedUplinks } from '../../store/wire/uplink.js';

export interface UpkeepOptions {
  readonly sql: Sql;
  readonly log: Log;
  readonly setImbalances: (count: number) => void;
}

/** How long unmatched reports, unclaimed inbound messages and callbacks are kept. */
const KEPT_FOR_MS = 30 * 24 * 3_600_000;
const DELETED_A_ROUND = 10_000;

/** Creates partitions for the coming months, deletes temporary rows, and runs the quick audit. Each step runs whatever the others do. */
export async function runUpkeep(options: UpkeepOptions): Promise<boolean> {
  const { sql } = options;
  let isMore = false;
  const deleteSome = async (deleteOld: typeof deleteOldUnmatchedReports) => {
    if ((await deleteOld(sql, KEPT_FOR_MS, DELETED_A_ROUND)) === DELETED_A_ROUND) isMore = true;
  };
  const steps: readonly (() => Promise<unknown>)[] = [
    () => ensurePartitions(sql, new Date()),
    () => deleteSome(deleteOldUnmatchedReports),
    () => deleteSome(deleteOldUnclaimedUplinks),
    () => deleteSome(deleteOldCallbacks),
    () => auditQuickly(options),
  ];
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
  return isMore;
}

async function auditQuickly({ sql, log, setImbalances }: UpkeepOptions): Promise<void> {
  const imbalances = await auditLastEntries(sql);
  setImbalances(imbalances.length);
  if (imbalances.length > 0) log.error({ imbalances }, 'the money does not add up; run: postrider audit');
}
