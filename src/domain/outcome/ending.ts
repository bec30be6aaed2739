// Ends the unsent numbers of a task that was cancelled or expired: each gets its receipt, and its money is released. Of a cancelled task
// nothing more is sent. Of an expired one messages in progress are completed, where their channel can send.

import { type Chunk, taskKeyOf } from '../chunk/chunk.js';
import { type ChunkState, PART } from '../chunk/chunk-state.js';
import { isCancelled } from '../record/receipt-codes.js';
import type { Receipt } from '../record/records.js';
import type { Ending, Task } from '../task/task.js';
import { type DeliveryEvent, deliveryEventsOfNumbers } from './delivery-event.js';
import { applyDeliveryEvent, type Settlement } from './settlement.js';

export interface TaskToEnd {
  readonly task: Task;
  readonly ending: Ending;
  /** Chunks without all receipts; none before the task is prepared. */
  readonly chunks: readonly {
    readonly chunk: Chunk;
    readonly state: ChunkState;
    /** Whether its channel may send it now: a message in progress can be completed. */
    readonly canSend: boolean;
  }[];
  /** Before it is prepared: the receipts of its readable numbers. */
  readonly unprepared: readonly Receipt[];
  /** Whether a part was answered by a carrier. */
  readonly hasSubmits: boolean;
}

/** One event for each number; the settlement ignores those of numbers that it does not concern. */
export function endDeliveryEvents({ chunks, ending }: TaskToEnd): DeliveryEvent[] {
  return chunks.flatMap(({ chunk, canSend }) => {
    const event = { kind: ending === 'expired_unsent' && canSend ? 'ended' : 'stopped' } as const;
    return deliveryEventsOfNumbers(chunk, { event, code: ending });
  });
}

/** Ends a task in a settlement that was started with its delivery events. */
export function endTask(batch: Settlement, end: TaskToEnd): void {
  const tally = batch.tasks.get(taskKeyOf(end.task));
  if (tally === undefined) throw new Error(`task ${end.task.taskId} is ended and was not read`);
  const isUntouched = !end.hasSubmits && end.chunks.every(({ state }) => isAllUnsent(state));
  for (const deliveryEvent of endDeliveryEvents(end)) applyDeliveryEvent(batch, deliveryEvent);
  if (end.task.stage === 'queued') {
    batch.receipts.push(...end.unprepared);
    tally.counts.rejected = end.unprepared.length;
    tally.cancelled = end.unprepared.filter(isCancelled).length;
    tally.counts.unsent = tally.counts.total - end.unprepared.length;
    tally.countsChanged = true;
  }
  tally.ending = end.ending;
  if (end.ending === 'cancelled' && isUntouched) tally.endsAs = 'cancelled';
  // Unreadable numbers have no receipts and can never be sent, so the task is not complete.
  else if (end.task.stage === 'queued' && tally.counts.unsent > 0) tally.endsAs = 'failed';
}

/** Whether no part of the chunk was sent, or may have been. */
export function isAllUnsent({ partStates }: ChunkState): boolean {
  return partStates.every((state) => state === PART.unsent);
}
