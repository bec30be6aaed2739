// The end of what is unsent of a task, because it was cancelled or its time is up: every number of which nothing was handed
// over gets its receipt, and its money is released. What is under way finishes, through the settlement like everything else.

import { type Chunk, taskKeyOf } from '../chunk/chunk.js';
import { type ChunkState, PART } from '../chunk/chunk-state.js';
import { type DeliveryEvent, deliveryEventsOfNumbers } from '../outcome/delivery-event.js';
import type { Receipt } from '../outcome/records.js';
import { applyDeliveryEvent, type Settlement } from '../outcome/settlement.js';
import type { Ending, Task } from './task.js';

export interface TaskToEnd {
  readonly task: Task;
  readonly ending: Ending;
  /** Those that are open; none while it is not prepared. */
  readonly chunks: readonly { readonly chunk: Chunk; readonly state: ChunkState }[];
  /** The receipts of its numbers, while it is not prepared: of all that can be read. */
  readonly unprepared: readonly Receipt[];
  /** Some part of it had its answer from an upstream. */
  readonly hasSubmits: boolean;
}

/** What to tell the settlement of each number; the settlement passes over what is under way. */
export function endDeliveryEvents({ chunks, ending }: TaskToEnd): DeliveryEvent[] {
  const what = { event: { kind: 'ended' }, code: ending } as const;
  return chunks.flatMap(({ chunk }) => deliveryEventsOfNumbers(chunk, what));
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
    tally.counts.unsent = tally.counts.total - end.unprepared.length;
    tally.countsChanged = true;
  }
  tally.ending = end.ending;
  if (end.ending === 'cancelled' && isUntouched) tally.endsAs = 'cancelled';
  // Numbers that cannot be read have no receipts, so it is not complete, and nobody will ever send them.
  else if (end.task.stage === 'queued' && tally.counts.unsent > 0) tally.endsAs = 'failed';
}

/** Whether nothing of the chunk was handed over, nor may have been. */
export function isAllUnsent({ partStates }: ChunkState): boolean {
  return partStates.every((state) => state === PART.unsent);
}
