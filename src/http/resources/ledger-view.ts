// A ledger entry as both APIs show it.

import { formatNo } from '../../domain/id.js';
import { formatMoney, moneyFromMillionths } from '../../domain/money/money.js';
import { formatTime } from '../../domain/rfc3339.js';
import type { LedgerRow } from '../../store/lists/ledgers.js';

/** What a task is called by its customer. */
interface TaskTitles {
  readonly title: string | null;
  readonly client_request_id: string | null;
}

const NO_TASK: TaskTitles = { title: null, client_request_id: null };

export function renderLedgerEntry(row: LedgerRow, currency: string, task: TaskTitles = NO_TASK) {
  return {
    ledger_no: formatNo('L', row.seq),
    seq: Number(row.seq),
    type: row.type,
    amount: formatMillionths(row.amount),
    currency,
    task_no: row.task_id === null ? null : formatNo('T', row.task_id),
    client_request_id: task.client_request_id,
    title: task.title,
    numbers: row.numbers,
    available_delta: formatMillionths(row.available_delta),
    frozen_delta: formatMillionths(row.frozen_delta),
    available_after: formatMillionths(row.available_after),
    frozen_after: formatMillionths(row.frozen_after),
    remark: row.remark,
    created_at: formatTime(row.created_at),
  };
}

export function formatMillionths(column: bigint): string {
  return formatMoney(moneyFromMillionths(column));
}
