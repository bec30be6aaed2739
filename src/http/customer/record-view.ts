// Records as their customer sees them: in lists, in the history of a number, and in webhook messages.

import { formatNo, timeOfId } from '../../domain/id.js';
import { describeReceipt } from '../../domain/record/receipt-codes.js';
import type { ReceiptResult } from '../../domain/record/records.js';
import { createTextReader, decodeContent, hideCodes } from '../../domain/request/content.js';
import { formatTime, formatTimeOrNull } from '../../domain/rfc3339.js';
import type { DeliveryRow } from '../../store/lists/deliveries.js';
import type { ReceiptRow, TaskNames } from '../../store/lists/receipts.js';
import type { SubmitRow } from '../../store/lists/submits.js';
import type { UnsentRow } from '../../store/lists/unsent.js';
import type { UplinkRow } from '../../store/lists/uplinks.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { formatMillionths } from '../resources/ledger-view.js';
import { clientRequestIdOf } from './request-key.js';

export function renderReceipt(row: ReceiptRow, task: TaskNames | undefined) {
  return {
    task_no: formatNo('T', row.task_id),
    client_request_id: clientRequestIdOf(task?.requestKey),
    seq: row.seq,
    phone: row.phone,
    firm: row.firm,
    result: row.result,
    code: row.code,
    description: describeReceipt(row.result as ReceiptResult, row.code),
    parts: row.parts,
    price: formatMillionths(row.price),
    charged: formatMillionths(isCharged(row, task) ? row.price : 0n),
    submitted_at: formatTimeOrNull(row.submitted_at),
    done_at: formatTimeOrNull(row.done_at),
    received_at: formatTime(timeOfId(row.receipt_id)),
  };
}

/** Receipts from before it was recorded: a carrier reports only what it accepted. */
function isCharged(
  { is_charged: recorded, result, done_at: doneAt }: ReceiptRow,
  task: TaskNames | undefined,
): boolean {
  if (recorded !== null) return recorded;
  if (task?.chargeOn === 'delivery') return result === 'delivered';
  return task?.chargeOn === 'submit' && (result !== 'rejected' || doneAt !== null);
}

export function renderUnsent({ price, ...row }: UnsentRow) {
  return { ...row, price: price === null ? null : formatMillionths(price) };
}

/** Receipts with the texts that were sent, by `include=text`. Null for tasks from before texts were kept. */
export function createTextView(
  hides: (task: TaskNames) => boolean,
): (row: ReceiptRow, task: TaskNames | undefined) => { readonly text: string | null } {
  const readText = createTextReaders(hides);
  return (row, task) => ({ text: readText(row, task) });
}

/** The texts of numbers of several tasks, each task read once. */
export function createTextReaders(
  hides: (task: TaskNames) => boolean,
): (row: { readonly task_id: bigint; readonly seq: number }, task: TaskNames | undefined) => string | null {
  const readers = new Map<bigint, ((seq: number) => string) | undefined>();
  return ({ task_id: taskId, seq }, task) => {
    if (!readers.has(taskId)) {
      if (readers.size >= MAX_TEXT_READERS) readers.clear();
      const content = decodeContent(task?.content);
      readers.set(taskId, content && createTextReader(task && hides(task) ? hideCodes(content) : content));
    }
    return readers.get(taskId)?.(seq) ?? null;
  };
}

const MAX_TEXT_READERS = 100;

export function renderUplink(row: UplinkRow, snapshot: Snapshot) {
  return {
    uplink_no: formatNo('U', row.uplink_id),
    phone: row.phone,
    service_account_no: snapshot.serviceAccountById(row.service_account_id)?.serviceAccountNo ?? null,
    firm: row.firm,
    content: row.content,
    task_no: row.task_id === null ? null : formatNo('T', row.task_id),
    received_at: formatTime(timeOfId(row.uplink_id)),
  };
}

export function renderSubmit(row: SubmitRow) {
  return {
    submit_no: formatNo('S', row.submit_id),
    ...renderPart(row),
    submitted_at: formatTime(row.submitted_at),
    answered_at: formatTimeOrNull(row.answered_at),
  };
}

export function renderDelivery(row: DeliveryRow) {
  return {
    delivery_no: formatNo('D', row.delivery_id),
    ...renderPart(row),
    done_at: formatTimeOrNull(row.done_at),
    received_at: formatTime(timeOfId(row.delivery_id)),
  };
}

function renderPart(row: SubmitRow | DeliveryRow) {
  return {
    task_no: formatNo('T', row.task_id),
    seq: row.seq,
    phone: row.phone,
    firm: row.firm,
    part: row.part,
    parts: row.parts,
    status: row.status,
    code: row.code,
    upstream_message_id: row.upstream_message_id,
  };
}
