// What time decides: unknown parts, missing receipts, numbers whose channel is gone. Mirrors `src/pipeline/maintenance`.

import { chunkKeyOf, taskKeyOf } from '#src/domain/chunk/chunk.js';
import { numberStateOf } from '#src/domain/chunk/chunk-state.js';
import { type DeliveryEvent, deliveryEventsOfNumbers } from '#src/domain/outcome/delivery-event.js';
import type { Process } from './process.js';
import { record, settleNow } from './recording.js';
import { type ChunkRow, readChunk, type UnknownRow } from './store.js';
import { RECEIPT_TIMEOUT_MS, UNSENT_TIMEOUT_MS, type World } from './world.js';

/** The events that resolve unknown parts, by decision of the operator or at the deadline. */
export function resolvedEvents(
  { store }: World,
  parts: readonly UnknownRow[],
  outcome: 'accepted' | 'not_accepted',
): DeliveryEvent[] {
  const code = outcome === 'not_accepted' ? outcome : undefined;
  return parts.flatMap((unknown): DeliveryEvent[] => {
    const row = store.chunks.get(chunkKeyOf(unknown));
    if (row === undefined) return [];
    const { chunk } = readChunk(row);
    const index = chunk.numbers.seq.indexOf(unknown.seq);
    const submission = store
      .submitsOf(taskKeyOf(unknown))
      .find(({ seq, part, status }) => seq === unknown.seq && part === unknown.part && status === 'unknown');
    const { submittedAt, channelId } = submission ?? { submittedAt: unknown.since, channelId: chunk.channelId };
    return [{ chunk, index, part: unknown.part, event: { kind: outcome }, channelId, code, submittedAt }];
  });
}

export function giveUpUnknown(world: World, process: Process): boolean {
  const overdue = [...world.store.unknown.values()].filter(({ deadline }) => deadline <= world.nowMs);
  const events = resolvedEvents(world, overdue, 'not_accepted');
  record(process, events, undefined);
  return events.length > 0;
}

/** The numbers of a slow chunk become overdue one by one: it is looked at no more often than this. */
const MIN_LOOK_MS = 60_000;

/** Each number waits from its own acceptance, whatever the others of its chunk do. */
export function expireReceipts(world: World, process: Process): boolean {
  const { nowMs } = world;
  const due = [...world.store.chunks.values()].filter(({ dueAt }) => dueAt !== null && dueAt <= nowMs);
  const looks: (() => void)[] = [];
  const overdue = due.flatMap((row): DeliveryEvent[] => {
    const { chunk, state } = readChunk(row);
    const submits = world.store.submitsOf(row.taskKey).filter(({ status }) => status === 'accepted');
    const noReceipt = { event: { kind: 'no_receipt' }, code: 'no_receipt' } as const;
    const missing = deliveryEventsOfNumbers(chunk, noReceipt, (index) => numberStateOf(state, index) === 'awaiting');
    let next = nowMs + RECEIPT_TIMEOUT_MS;
    const events = missing.flatMap((event): DeliveryEvent[] => {
      const ofNumber = submits.filter(({ seq }) => seq === chunk.numbers.seq[event.index]);
      const acceptedAt = Math.max(0, ...ofNumber.map(({ answeredAt }) => answeredAt?.getTime() ?? 0));
      const overdueAt = acceptedAt + RECEIPT_TIMEOUT_MS;
      const { submittedAt, channelId } = ofNumber[0] ?? event;
      if (overdueAt <= nowMs) return [{ ...event, submittedAt, channelId }];
      next = Math.min(next, overdueAt);
      return [];
    });
    looks.push(() => {
      row.dueAt = Math.max(next, nowMs + MIN_LOOK_MS);
    });
    return events;
  });
  const onRecorded = () => {
    for (const postpone of looks) postpone();
  };
  // A process that dies in between leaves them overdue.
  if (overdue.length === 0) onRecorded();
  else record(process, overdue, undefined, onRecorded);
  return overdue.length > 0;
}

/** When what waits in a chunk is given up, because its channel is gone or its customer without the grant; undefined: not while it is so. */
export function strandedAt(world: World, { channelId, queuedAt, fixed }: ChunkRow): number | undefined {
  const { isUp, downSince } = world.channel(channelId);
  const since = [isUp ? undefined : downSince, world.customerOf(fixed.customerId).revokedAt.get(channelId)];
  const times = since.flatMap((time) => (time === undefined ? [] : [Math.max(queuedAt, time) + UNSENT_TIMEOUT_MS]));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Numbers whose channel, or the grant for it, has been gone for too long are rejected. */
export function giveUpStranded(world: World): boolean {
  const stranded = [...world.store.chunks.values()].filter(
    (row) => row.queueNo !== null && (strandedAt(world, row) ?? Number.POSITIVE_INFINITY) <= world.nowMs,
  );
  const what = { event: { kind: 'stranded' }, code: 'no_channel' } as const;
  const events = stranded.flatMap((row) => deliveryEventsOfNumbers(readChunk(row).chunk, what));
  return settleNow(world, events);
}
