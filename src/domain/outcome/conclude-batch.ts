// Concludes a batch after all its delivery events are applied: changed chunks, new chunks for numbers that move, tasks with their money
// posted, and the ids of records. Runs under the locks of the batch.

import { type NewChunk, taskKeyOf } from '../chunk/chunk.js';
import { isFinished, isHandedOver } from '../chunk/chunk-state.js';
import type { CustomerId } from '../id.js';
import { type Account, nextChunkNo, nextQueueNo, nextRecordId, nextSubmitId } from '../money/ledger.js';
import { cutMoved } from '../plan/failover.js';
import type { Delivery } from '../record/records.js';
import { classOfPlace } from '../rules/queue-place.js';
import type { TaskChange } from '../task/task.js';
import { concludeTasks } from '../task/task-tally.js';
import type { ChunkTally, Settlement, StoredState } from './settlement.js';

/** The changes of a chunk. */
export interface ChunkChange extends Pick<ChunkTally, 'state' | 'hasIntents' | 'startsReceiptWait'> {
  readonly stored: Pick<StoredState, 'customerId' | 'taskId' | 'chunkNo'>;
  /** All its parts have answers now: it leaves the queue for good. */
  readonly leavesQueue: boolean;
  /** A new place in the queue, if it is queued again. */
  readonly newPlace: bigint | null;
}

export interface Conclusion {
  /** Chunks whose numbers all have receipts: they are deleted. */
  readonly finished: readonly StoredState[];
  readonly open: readonly ChunkChange[];
  /** New chunks on other channels, and their places in the queues there; null: not queued. */
  readonly moved: readonly NewChunk[];
  readonly movedPlaces: readonly (bigint | null)[];
  readonly tasks: readonly TaskChange[];
  /** Tasks whose pause ended because no number is left to send, and a place for each. Their chunks are not queued. */
  readonly unpaused: readonly TaskChange[];
  readonly unpausedPlaces: readonly bigint[];
  /** Ids of the batch's submits, deliveries and receipts, in their order. */
  readonly submitIds: readonly bigint[];
  readonly deliveryIds: readonly bigint[];
  readonly receiptIds: readonly bigint[];
}

export function concludeBatch(batch: Settlement): Conclusion {
  const { now, submits, deliveries, receipts } = batch;
  const finished: StoredState[] = [];
  const open: ChunkChange[] = [];
  for (const tally of batch.chunks.values()) {
    const { stored, state, hasIntents, startsReceiptWait } = tally;
    if (!tally.changed) continue;
    // Only if all are handed over: a late answer to one number must not remove others from the queue.
    const leavesQueue = isHandedOver(state) && !tally.wasHandedOver;
    const newPlace = tally.needsNewPlace ? nextPlace(accountOf(batch, stored.customerId), stored.queueNo) : null;
    if (isFinished(state)) finished.push(stored);
    else open.push({ stored, state, hasIntents, startsReceiptWait, leavesQueue, newPlace });
  }
  const moved: NewChunk[] = [];
  const movedPlaces: (bigint | null)[] = [];
  for (const move of batch.moves.values()) {
    const account = accountOf(batch, move.from.customerId);
    moved.push(cutMoved(move, nextChunkNo(account)));
    movedPlaces.push(move.isQueued ? nextPlace(account, move.from.queueNo) : null);
  }
  const tasks = concludeTasks(batch);
  const unpaused = tasks.filter(
    (task) => task.paused === false && batch.tasks.get(taskKeyOf(task))?.task.paused === true,
  );
  const idOf = (row: { readonly customerId: CustomerId }) => nextRecordId(accountOf(batch, row.customerId), now);
  return {
    finished,
    open,
    moved,
    movedPlaces,
    tasks,
    unpaused,
    unpausedPlaces: unpaused.map((task) => nextPlace(accountOf(batch, task.customerId), null)),
    submitIds: submits.map((row) => nextSubmitId(accountOf(batch, row.customerId), now)),
    deliveryIds: deliveries.map(idOf),
    receiptIds: receipts.map(idOf),
  };
}

/** A new place in the same class. */
function nextPlace(account: Account, place: bigint | null): bigint {
  return nextQueueNo(account, classOfPlace(place ?? 0n));
}

type ReportKey = Pick<Delivery, 'customerId' | 'taskId' | 'seq' | 'part' | 'channelId' | 'status'>;

/** Reports after the receipt of their number are kept as records, unless the same report is stored already. */
export function newLateDeliveries(late: readonly Delivery[], known: readonly ReportKey[]): Delivery[] {
  const keyOf = (row: ReportKey) =>
    `${row.customerId}/${row.taskId}/${row.seq}/${row.part}/${row.channelId}/${row.status}`;
  const seen = new Set(known.map(keyOf));
  return late.filter((row) => {
    if (row.status === 'intermediate') return true;
    const isNew = !seen.has(keyOf(row));
    seen.add(keyOf(row));
    return isNew;
  });
}

function accountOf(batch: Settlement, customerId: CustomerId): Account {
  const account = batch.accounts.get(customerId);
  if (account === undefined) throw new Error(`a record of customer ${customerId} without its account`);
  return account;
}
