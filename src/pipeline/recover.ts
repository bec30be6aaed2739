// After the database has lost commits, parts that read as unsent may have been sent. They are listed, and become unknown if the operator
// decides so: unknown numbers are never sent again. Tasks that would continue without a call are paused.

import type { StoredChunk } from '../domain/chunk/chunk.js';
import { PART } from '../domain/chunk/chunk-state.js';
import { partsIn } from '../domain/chunk/part-walk.js';
import { groupBy } from '../domain/group-by.js';
import type { CustomerId } from '../domain/id.js';
import type { DeliveryEvent } from '../domain/outcome/delivery-event.js';
import { pauseByHand } from '../domain/task/task-moves.js';
import {
  readBuckets,
  readTasksGoingOn,
  readUnsentChunks,
  type UnsentPlace,
  type WaitingTask,
} from '../store/recovery/under-way.js';
import type { AnySql, Sql } from '../store/sql.js';
import { type SettleLimits, settleWithin } from './settle/settle.js';
import { lockTasks } from './task-moves/end-tasks.js';
import { writeTasks } from './task-moves/write-tasks.js';

/** The numbers of one customer that read as unsent. */
export interface UnderWay {
  readonly customerId: CustomerId;
  /** Tasks with queued numbers. */
  readonly tasks: number;
  readonly numbers: number;
  /** Tasks that go on without a call, and have nothing queued yet. */
  readonly waitingTasks: number;
}

export interface Marked {
  readonly tasks: number;
  readonly numbers: number;
  readonly pausedTasks: number;
}

/** Up to ten thousand numbers: bounds how long a transaction locks their accounts. */
const CHUNKS_A_STEP = 20;
const TASKS_A_STEP = 100;
/** The code in the submit records of parts that may have been sent. */
export const LOST_COMMITS_CODE = 'commits_lost';

/** Of tasks that were accepted before this moment, by customer, the largest first. */
export async function readUnderWay(sql: Sql, acceptedBefore: Date): Promise<UnderWay[]> {
  const byCustomer = new Map<CustomerId, { tasks: Set<string>; numbers: number; waitingTasks: number }>();
  const entryOf = (customerId: CustomerId) => {
    const entry = byCustomer.get(customerId) ?? { tasks: new Set(), numbers: 0, waitingTasks: 0 };
    byCustomer.set(customerId, entry);
    return entry;
  };
  for (const bucket of await readBuckets(sql)) {
    for await (const page of pagesOf(sql, bucket, acceptedBefore)) {
      for (const { chunk, state } of page) {
        const entry = entryOf(chunk.customerId);
        entry.tasks.add(chunk.taskKey);
        entry.numbers += countNumbers(partsIn(state, PART.unsent));
      }
    }
    for (const { customerId } of await readTasksGoingOn(sql, bucket, acceptedBefore)) {
      entryOf(customerId).waitingTasks += 1;
    }
  }
  return [...byCustomer]
    .map(([customerId, { tasks, ...counts }]) => ({ customerId, tasks: tasks.size, ...counts }))
    .sort((one, other) => other.numbers - one.numbers);
}

/** In small steps, each a transaction. The next call continues after an interruption. */
export async function markUnsentUnknown(sql: Sql, acceptedBefore: Date, limits: SettleLimits): Promise<Marked> {
  const tasks = new Set<string>();
  let numbers = 0;
  let pausedTasks = 0;
  for (const bucket of await readBuckets(sql)) {
    const going = await readTasksGoingOn(sql, bucket, acceptedBefore);
    for (let at = 0; at < going.length; at += TASKS_A_STEP) {
      pausedTasks += await pauseTasks(sql, bucket, going.slice(at, at + TASKS_A_STEP));
    }
    for await (const page of pagesOf(sql, bucket, acceptedBefore)) {
      const deliveryEvents = page.flatMap(unknownOf);
      await sql.begin((tx) => settleWithin(tx, bucket, deliveryEvents, [], limits));
      for (const { chunk, state } of page) {
        tasks.add(chunk.taskKey);
        numbers += countNumbers(partsIn(state, PART.unsent));
      }
    }
  }
  return { tasks: tasks.size, numbers, pausedTasks };
}

async function* pagesOf(sql: Sql, bucket: number, acceptedBefore: Date): AsyncGenerator<StoredChunk[]> {
  for (let after: UnsentPlace | undefined; ; ) {
    const page: StoredChunk[] = await readUnsentChunks(sql, bucket, acceptedBefore, after, CHUNKS_A_STEP);
    after = page.at(-1)?.chunk;
    if (after === undefined) return;
    yield page;
  }
}

/** As if this process had committed the intents, and ended before it had answers. */
function unknownOf({ chunk, state }: StoredChunk): DeliveryEvent[] {
  const { channelId } = chunk;
  return partsIn(state, PART.unsent).flatMap(({ index, part }): DeliveryEvent[] => [
    { chunk, index, part, channelId, event: { kind: 'intended' } },
    { chunk, index, part, channelId, event: { kind: 'unknown' }, code: LOST_COMMITS_CODE },
  ]);
}

function countNumbers(parts: readonly { readonly index: number }[]): number {
  return new Set(parts.map(({ index }) => index)).size;
}

/** The chunks of a paused task are in no queue, so its class is not needed. */
const NO_CLASSES = { classOf: () => 'notice' as const };

async function pauseTasks(sql: Sql, bucket: number, keys: readonly WaitingTask[]): Promise<number> {
  let paused = 0;
  for (const ofCustomer of groupBy(keys, ({ customerId }) => customerId).values()) {
    paused += await sql.begin(async (tx: AnySql) => {
      const { locked, tasks } = await lockTasks(tx, bucket, ofCustomer);
      const moved = tasks.flatMap((task) => pauseByHand(task, locked.now).task ?? []);
      await writeTasks(tx, locked, moved, NO_CLASSES);
      return moved.length;
    });
  }
  return paused;
}
