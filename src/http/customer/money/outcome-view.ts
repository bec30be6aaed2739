// Numbers by their outcome, as statistics and statements show them.

import { errorText } from '../../../domain/fault/error-text.js';
import type { Tenant } from '../../../domain/tenant.js';
import { sumToTheEnd } from '../../../pipeline/maintenance/sum-up.js';
import type { Counted } from '../../../store/money/statistics.js';
import type { Sql } from '../../../store/sql.js';
import { unavailable } from '../../problem/problem.js';
import { formatMillionths } from '../../resources/ledger-view.js';

/** Reads that only look into the sums take no longer than this between two statements. */
export const MAX_QUIET_MS = 4000;

export function renderOutcomes({ handedOver, parts, charged, ...counts }: Counted) {
  const { delivered, undelivered, expired, rejected, cancelled } = counts;
  return {
    total: delivered + undelivered + expired + rejected + cancelled,
    delivered,
    undelivered,
    expired,
    rejected,
    cancelled,
    handed_over: handedOver,
    parts,
    charged: formatMillionths(charged),
  };
}

/** So that an answer has everything that was there when it was asked for. */
export async function bringUpToDate(sql: Sql, tenant: Tenant): Promise<void> {
  if (await sumToTheEnd(sql, tenant)) return;
  throw unavailable(errorText('sums_not_ready'), 30);
}
