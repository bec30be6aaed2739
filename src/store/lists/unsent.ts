// The numbers of a task that were not handed over yet, in the order of the request. No table of records has them: they stand in the
// chunks of the task, and before it is prepared in what was sent. What is read is bounded by the task.

import { priceOf, type StoredChunk } from '../../domain/chunk/chunk.js';
import { isMoved, numberStateOf } from '../../domain/chunk/chunk-state.js';
import type { Money } from '../../domain/money/money.js';
import { readPhones } from '../../domain/request/payload.js';
import type { TaskKey } from '../../domain/task/task.js';
import { readChunksOfTasks } from '../chunk/chunk.js';
import type { ListSource } from '../list.js';
import type { AnySql } from '../sql.js';
import { readPayloads } from '../task/task.js';

export interface UnsentRow {
  readonly seq: number;
  readonly phone: string;
  /** Null while the task is not prepared. */
  readonly firm: string | null;
  readonly parts: number | null;
  readonly price: Money | null;
}

export function listUnsent(sql: AnySql, bucket: number, task: TaskKey): ListSource<UnsentRow> {
  // Rows and count are of the same numbers, which are read once.
  let reading: Promise<readonly UnsentRow[]> | undefined;
  const read = () => {
    reading ??= readUnsent(sql, bucket, task);
    return reading;
  };
  return {
    keyOf: ({ seq }) => String(seq),
    rows: async ({ after, offset, limit }) => {
      const unsent = await read();
      // The last number of the page before may have been sent meanwhile.
      const rest = after === undefined ? unsent : unsent.filter(({ seq }) => seq > Number(after));
      return rest.slice(offset, offset + limit);
    },
    count: async (limit) => Math.min((await read()).length, limit),
  };
}

async function readUnsent(sql: AnySql, bucket: number, task: TaskKey): Promise<readonly UnsentRow[]> {
  // Before the chunks: a task that is prepared in between has them when they are looked for.
  const payload = (await readPayloads(sql, bucket, [task])).get(task.taskId);
  if (payload !== undefined) {
    return readPhones(payload).flatMap((phone, index) =>
      phone === undefined ? [] : [{ seq: index + 1, phone, firm: null, parts: null, price: null }],
    );
  }
  const chunks = await readChunksOfTasks(sql, bucket, [task]);
  return chunks.flatMap(unsentOf).sort((one, other) => one.seq - other.seq);
}

function unsentOf({ chunk, state }: StoredChunk): readonly UnsentRow[] {
  const { seq, phone, parts } = chunk.numbers;
  return seq.flatMap((number, index) =>
    isMoved(state, index) || numberStateOf(state, index) !== 'unsent'
      ? []
      : [
          {
            seq: number,
            phone: phone[index] ?? '',
            firm: chunk.firm,
            parts: parts[index] ?? null,
            price: priceOf(chunk, index),
          },
        ],
  );
}
