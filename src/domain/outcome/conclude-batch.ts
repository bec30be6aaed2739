// What a batch of delivery events comes to once all of them are applied: how its chunks stand, which numbers go on in new ones, how
// its tasks stand with their money posted, and the ids of its records, all under the locks that the batch was made under.

import type { NewChunk } from '../chunk/chunk.js';
import { isFinished, isHandedOver } from '../chunk/chunk-state.js';
import type { CustomerId } from '../id.js';
import { type Account, nextChunkNo, nextQueueNo, nextRecordId, nextSubmitId } from '../money/ledger.js';
import { cutMoved } from '../plan/failover.js';
import { classOfPlace } from '../rules/queue-place.js';
import type { TaskChange } from '../task/task.js';
import { concludeTasks } from '../task/task-tally.js';
import type { Delivery } from './records.js';
import type { ChunkTally, Settlement, StoredState } from './settlement.js';

/** What is written of a chunk that changed. */
export interface ChunkChange extends Pick<ChunkTally, 'state' | 'hasIntents'> {
  readonly stored: Pick<StoredState, 'customerId' | 'taskId' | 'chunkNo'>;
  /** All its parts have their answers now: it leaves the queue and waits for its receipts. */
  readonly leavesQueue: boolean;
  /** A new place in the queue, where it goes anew. */
  readonly newPlace: bigint | null;
}

export interface Conclusion {
  /** Chunks whose numbers all have their receipts: nothing is left to say of them. */
  readonly finished: readonly StoredState[];
  readonly open: readonly ChunkChange[];
  /** The chunks in which numbers go on elsewhere, with their places in the queues there. */
  readonly moved: readonly NewChunk[];
  readonly movedTo: readonly (bigint | null)[];
  readonly tasks: readonly TaskChange[];
  /** Of the batch's submits, deliveries and receipts, in their order. */
  readonly submitIds: readonly bigint[];
  readonly deliveryIds: readonly bigint[];
  readonly receiptIds: readonly bigint[];
}

export function concludeBatch(batch: Settlement): Conclusion {
  const { now, submits, deliveries, receipts } = batch;
  const finished: StoredState[] = [];
  const open: ChunkChange[] = [];
  for (const { stored, state, changed, hasIntents, wasHandedOver, waitsAnew, goesAnew } of batch.chunks.values()) {
    if (!changed) continue;
    // A late answer to one number must not take those out of the queue that are still to go.
    const leavesQueue = isHandedOver(state) && (!wasHandedOver || waitsAnew);
    const newPlace = goesAnew ? nextPlace(accountOf(batch, stored.customerId), stored.queueNo) : null;
    if (isFinished(state)) finished.push(stored);
    else open.push({ stored, state, hasIntents, leavesQueue, newPlace });
  }
  const moved: NewChunk[] = [];
  const movedTo: (bigint | null)[] = [];
  for (const move of batch.moves.values()) {
    const account = accountOf(batch, move.from.customerId);
    moved.push(cutMoved(move, nextChunkNo(account)));
    movedTo.push(move.isUp ? nextPlace(account, move.from.queueNo) : null);
  }
  const idOf = (row: { readonly customerId: CustomerId }) => nextRecordId(accountOf(batch, row.customerId), now);
  return {
    finished,
    open,
    moved,
    movedTo,
    tasks: concludeTasks(batch),
    submitIds: submits.map((row) => nextSubmitId(accountOf(batch, row.customerId), row.submittedAt)),
    deliveryIds: deliveries.map(idOf),
    receiptIds: receipts.map(idOf),
  };
}

/** A new place in the same class. */
function nextPlace(account: Account, place: bigint | null): bigint {
  return nextQueueNo(account, classOfPlace(place ?? 0n));
}

type ReportKey = Pick<Delivery, 'customerId' | 'taskId' | 'seq' | 'part' | 'status'>;

/** Reports that came after their number had its receipt are kept as records, unless the same report is there already. */
export function newLateDeliveries(late: readonly Delivery[], known: readonly ReportKey[]): Delivery[] {
  const keyOf = (row: ReportKey) => `${row.customerId}/${row.taskId}/${row.seq}/${row.part}/${row.status}`;
  const seen = new Set(known.map(keyOf));
  return late.filter((row) => row.status === 'intermediate' || (!seen.has(keyOf(row)) && seen.add(keyOf(row))));
}

function accountOf(batch: Settlement, customerId: CustomerId): Account {
  const account = batch.accounts.get(customerId);
  if (account === undefined) throw new Error(`a record of customer ${customerId} without its account`);
  return account;
}
