// One transaction that settles delivery events: reads, lets the domain decide, and writes. It mirrors `src/pipeline/settle/settle.ts` on
// tables in memory.

import { chunkKeyOf, taskKeyOf } from '#src/domain/chunk/chunk.js';
import { PART, partStateOf } from '#src/domain/chunk/chunk-state.js';
import type { CustomerId } from '#src/domain/id.js';
import type { Account } from '#src/domain/money/ledger.js';
import { concludeBatch, newLateDeliveries } from '#src/domain/outcome/conclude-batch.js';
import type { DeliveryEvent } from '#src/domain/outcome/delivery-event.js';
import { explainDeclined, explainMixed } from '#src/domain/outcome/explain.js';
import {
  applyDeliveryEvent,
  type Settlement,
  type StoredState,
  startSettlement,
} from '#src/domain/outcome/settlement.js';
import { formatReference } from '#src/domain/record/part-reference.js';
import type { Task } from '#src/domain/task/task.js';
import type { Observe } from './observe.js';
import type { ChunkRow, Store } from './store.js';

export interface SettleLimits {
  readonly receiptTimeoutMs: number;
  readonly unknownTimeoutMs: number;
}

export interface SettleContext {
  readonly store: Store;
  readonly limits: SettleLimits;
  readonly now: Date;
  readonly observe: Observe;
}

export interface Settled {
  readonly settlement: Settlement;
  /** The intents that this transaction committed. */
  readonly intents: readonly DeliveryEvent[];
}

export function settle(context: SettleContext, events: readonly DeliveryEvent[]): Settled {
  const { store, now, observe } = context;
  const accounts = new Map<CustomerId, Account>();
  const rows = new Map<string, ChunkRow>();
  const tasks = new Map<string, Task>();
  const ends = new Map<DeliveryEvent, DeliveryEvent>();
  for (const deliveryEvent of events) {
    const { event, chunk } = deliveryEvent;
    const end = endOf(store, deliveryEvent);
    if (end !== undefined) ends.set(deliveryEvent, end);
    if (!accounts.has(chunk.customerId)) accounts.set(chunk.customerId, store.lockAccount(chunk.customerId));
    const row = store.chunks.get(chunk.key);
    if (row !== undefined) rows.set(chunk.key, row);
    const task = store.tasks.get(chunk.taskKey);
    if (task !== undefined && (event.kind !== 'intended' || end !== undefined)) tasks.set(chunk.taskKey, task);
  }
  const states = [...rows.values()].map(storedStateOf);
  const settlement = startSettlement(now, accounts, states, [...tasks.values()], events);
  const intents: DeliveryEvent[] = [];
  for (const event of events) {
    const isUnsent = event.event.kind === 'intended' && stateOf(settlement, event) === PART.unsent;
    const end = ends.get(event);
    observe(settlement, event);
    if (end !== undefined) observe(settlement, end);
    applyDeliveryEvent(settlement, event, end);
    if (isUnsent && stateOf(settlement, event) === PART.intended) intents.push(event);
  }
  writeSettlement(context, settlement);
  return { settlement, intents };
}

/** What happens to a number that may no longer be sent, in place of its intent. */
function endOf({ optedOut }: Store, { chunk, index, channelId, event, instead }: DeliveryEvent) {
  if (event.kind !== 'intended') return undefined;
  const hasOptedOut = optedOut.size > 0 && optedOut.has(`${chunk.customerId}/${chunk.numbers.to[index]}`);
  if (!hasOptedOut) return instead;
  return { chunk, index, part: 1, channelId, event: { kind: 'ended' }, code: 'opted_out' } as const;
}

function stateOf({ chunks }: Settlement, { chunk, index, part }: DeliveryEvent): number | undefined {
  const tally = chunks.get(chunk.key);
  return tally && partStateOf(tally.state, index, part);
}

export function storedStateOf(row: ChunkRow): StoredState {
  const { customerId, taskId, chunkNo, expiresAt } = row.fixed;
  const { channelId, queueNo } = row;
  const [partStates, results] = [row.partStates.slice(), row.results.slice()];
  return { customerId, taskId, chunkNo, channelId, expiresAt, queueNo, partStates, results };
}

export function writeSettlement({ store, limits, now }: SettleContext, settlement: Settlement): void {
  const { submits, deliveries, receipts } = settlement;
  const nowMs = now.getTime();
  const reportsOf = (rows: readonly { readonly customerId: CustomerId; readonly taskId: bigint }[]) =>
    [...new Set(rows.map(keyOf))].flatMap((key) => store.deliveries.get(key) ?? []);
  if (settlement.mixed.length > 0) explainMixed(settlement, reportsOf(settlement.mixed));
  if (settlement.declinedBefore.length > 0) {
    const keys = new Set(settlement.declinedBefore.map(taskKeyOf));
    const refusals = [...keys].flatMap((key) => store.submitsOf(key).filter(({ status }) => status === 'rejected'));
    explainDeclined(settlement, refusals.reverse());
  }
  const late = settlement.lateDeliveries;
  if (late.length > 0) deliveries.push(...newLateDeliveries(late, reportsOf(late)));
  const end = concludeBatch(settlement);
  for (const [at, submit] of submits.entries()) store.insertSubmit(submit, end.submitIds[at] ?? 0n);
  for (const delivery of deliveries) store.insertDelivery(delivery);
  store.changes.receipts.push(...receipts);
  const number = (rows: readonly { readonly customerId: CustomerId }[], ids: readonly bigint[]) => {
    for (const [at, { customerId }] of rows.entries()) store.changes.recordIds.push({ customerId, id: ids[at] ?? 0n });
  };
  number(submits, end.submitIds);
  number(deliveries, end.deliveryIds);
  number(receipts, end.receiptIds);
  for (const part of settlement.unknown) {
    store.unknown.set(formatReference(part), { ...part, since: nowMs, deadline: nowMs + limits.unknownTimeoutMs });
  }
  for (const { stored, state, hasIntents, startsReceiptWait, leavesQueue, newPlace } of end.open) {
    const row = store.chunks.get(chunkKeyOf(stored));
    if (row === undefined) continue;
    row.partStates = state.partStates;
    row.results = state.results;
    if (hasIntents) row.intendedAt = now;
    if (newPlace !== null) row.queuedAt = nowMs;
    row.queueNo = leavesQueue ? null : (newPlace ?? row.queueNo);
    row.isHandedOver ||= leavesQueue;
    if (startsReceiptWait) row.dueAt ??= nowMs + limits.receiptTimeoutMs;
  }
  for (const stored of end.finished) store.chunks.delete(chunkKeyOf(stored));
  for (const [at, chunk] of end.moved.entries()) store.insertChunk(chunk, end.movedPlaces[at] ?? null, nowMs);
  for (const change of end.tasks) {
    const task = store.tasks.get(taskKeyOf(change));
    if (task !== undefined) store.writeTask({ ...task, ...change, updatedAt: now });
  }
  for (const id of settlement.reportIds) store.unmatchedReports.delete(id);
  for (const account of settlement.accounts.values()) store.writeAccount(account);
  for (const resolution of settlement.resolutions) {
    const { seq, part, status, code, upstreamMessageId } = resolution;
    const isIt = (record: { seq: number; part: number; status: string }) =>
      record.seq === seq && record.part === part && record.status === 'unknown';
    const messageId = upstreamMessageId === null ? {} : { upstreamMessageId };
    store.replaceSubmit(taskKeyOf(resolution), isIt, { status, code, answeredAt: now, ...messageId });
  }
  for (const part of settlement.known) store.unknown.delete(formatReference(part));
  for (const { task, hasLostCommits } of settlement.tasks.values()) {
    const key = taskKeyOf(task);
    // Those of a task without unsent numbers, which is not paused, stay in the queue.
    if (hasLostCommits && store.tasks.get(key)?.paused === true) {
      for (const row of store.chunksOfTask(key)) row.queueNo = null;
    }
  }
  for (const [at, task] of end.unpaused.entries()) {
    for (const row of store.chunksOfTask(taskKeyOf(task))) {
      if (row.queueNo === null && row.partStates.includes(PART.intended)) {
        row.queueNo = end.unpausedPlaces[at] ?? null;
        row.queuedAt = nowMs;
      }
    }
  }
}

function keyOf(row: { readonly customerId: CustomerId; readonly taskId: bigint }): string {
  return `${row.customerId}/${row.taskId}`;
}
