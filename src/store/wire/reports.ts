// Where delivery reports stand. The report that gives a number its receipt says what the receipt says, and is recorded with it in one
// row; all others have a row in `delivery`.

import type { Delivery, Receipt } from '../../domain/record/records.js';
import type { Condition } from '../condition.js';
import type { AnySql } from '../sql.js';

/** What a receipt knows of its report beside the columns that both have. */
export type ReportOfReceipt = Pick<Delivery, 'part' | 'parts' | 'upstreamMessageId'>;

interface PlacedReports {
  /** For each receipt, in their order. */
  readonly ofReceipts: readonly (ReportOfReceipt | undefined)[];
  /** Reports with a row of their own, and their ids. */
  readonly others: readonly Delivery[];
  readonly otherIds: readonly bigint[];
}

/** Lists of other statuses read `delivery` alone: most receipts that are rejected or expired have no report. */
export function mayStandInReceipt(status: string): boolean {
  return status === 'delivered' || status === 'undelivered';
}

/** Finds the receipt for each report of the same transaction that may stand in it. */
export function placeReports(
  deliveries: readonly Delivery[],
  deliveryIds: readonly bigint[],
  receipts: readonly Receipt[],
): PlacedReports {
  const ofReceipts: (ReportOfReceipt | undefined)[] = receipts.map(() => undefined);
  if (deliveries.length === 0) return { ofReceipts, others: deliveries, otherIds: deliveryIds };
  const places = new Map<bigint, Map<number, number>>();
  for (const [place, { taskId, seq, result }] of receipts.entries()) {
    if (!mayStandInReceipt(result)) continue;
    const ofTask = places.get(taskId);
    if (ofTask === undefined) places.set(taskId, new Map([[seq, place]]));
    else ofTask.set(seq, place);
  }
  const others: Delivery[] = [];
  const otherIds: bigint[] = [];
  for (const [index, delivery] of deliveries.entries()) {
    const place = places.get(delivery.taskId)?.get(delivery.seq);
    const receipt = place === undefined ? undefined : receipts[place];
    if (place !== undefined && receipt !== undefined && ofReceipts[place] === undefined && isSame(delivery, receipt)) {
      ofReceipts[place] = delivery;
    } else {
      others.push(delivery);
      otherIds.push(deliveryIds[index] ?? 0n);
    }
  }
  return { ofReceipts, others, otherIds };
}

function isSame(delivery: Delivery, receipt: Receipt): boolean {
  return (
    delivery.status === receipt.result &&
    delivery.customerId === receipt.customerId &&
    delivery.channelId === receipt.channelId &&
    delivery.phoneKey === receipt.phoneKey &&
    delivery.phone === receipt.phone &&
    delivery.firm === receipt.firm &&
    delivery.code === receipt.code &&
    delivery.doneAt?.getTime() === receipt.doneAt?.getTime()
  );
}

/**
 * All reports of some numbers under one name, with the columns of `delivery`. A join asks for `part is not null`: with that condition in
 * here, no index would be looked into. What is read in an order and cut is read table by table.
 */
export function reportRows(sql: AnySql): Condition {
  return sql`(
    select bucket, customer_id, delivery_id, task_id, seq, part, channel_id, status, code, done_at from delivery
    union all
    select bucket, customer_id, receipt_id, task_id, seq, report_part, channel_id, result, code, done_at from receipt
  ) as report`;
}

/** Of a receipt. */
export function hasReport(sql: AnySql): Condition {
  return sql`report_part is not null`;
}
