// Finds messages in progress to a number, which cannot be erased meanwhile. Chunks and payloads are read a page at a time: a scan of all
// that waits takes longer than a statement may. A found one is remembered, and looked up by its key until it has ended.

import type { Sql } from '../sql.js';
import type { NumberToErase } from './erase-number.js';

export interface OpenUse {
  readonly bucket: number;
  readonly waitsFor: string;
  readonly place: Place;
}

type Place =
  | { readonly kind: 'task'; readonly customerId: bigint; readonly taskId: bigint }
  | { readonly kind: 'chunk'; readonly customerId: bigint; readonly taskId: bigint; readonly chunkNo: number }
  | { readonly kind: 'unknown' };

export interface SearchDeps {
  readonly sql: Sql;
  readonly signal: AbortSignal;
  readonly rest: () => Promise<unknown>;
}

type Number = Pick<NumberToErase, 'digits' | 'pattern'>;

const WAITS_FOR: Readonly<Record<Place['kind'], string>> = {
  task: 'a task with the number is not prepared',
  chunk: 'a message to the number is being sent, or waits for its receipt',
  unknown: 'it is unknown whether a message to the number was sent',
};
const TASKS_A_PAGE = 20;
/** Of payloads, each of which may be as long as a request: a page ends with the one that reaches this. Searching a megabyte takes 20 to 70 ms. */
const PAYLOAD_BYTES_A_PAGE = 4 * 1024 * 1024;
const CHUNKS_A_PAGE = 100;

/**
 * What of the number is under way in a bucket; undefined when nothing is. In the order in which a message goes, so that one that moves on
 * between two pages is found at its next place: payload, chunk, unknown part. A number that moves to another chunk gets a higher one.
 */
export async function findOpenUse(deps: SearchDeps, bucket: number, number: Number): Promise<OpenUse | undefined> {
  const place =
    (await findTask(deps, bucket, number)) ??
    (await findChunk(deps, bucket, number)) ??
    (await isOpen(deps.sql, bucket, number, { kind: 'unknown' }));
  return place && { bucket, waitsFor: WAITS_FOR[place.kind], place };
}

export async function isStillOpen(sql: Sql, number: Number, { bucket, place }: OpenUse): Promise<boolean> {
  return (await isOpen(sql, bucket, number, place)) !== undefined;
}

async function isOpen(sql: Sql, bucket: number, { digits }: Number, place: Place): Promise<Place | undefined> {
  const found = await readPlace(sql, bucket, digits, place);
  return found.length > 0 ? place : undefined;
}

async function readPlace(sql: Sql, bucket: number, digits: string, place: Place) {
  switch (place.kind) {
    case 'task':
      return await sql`
        select 1 from task where bucket = ${bucket} and customer_id = ${place.customerId} and task_id = ${place.taskId}
          and queued_for is not null`;
    case 'chunk':
      return await sql`
        select 1 from chunk where bucket = ${bucket} and customer_id = ${place.customerId} and task_id = ${place.taskId}
          and chunk_no = ${place.chunkNo}`;
    case 'unknown':
      return await sql`select 1 from unknown_part where bucket = ${bucket} and phone_key = ${digits} limit 1`;
  }
}

interface TaskRow {
  readonly customerId: bigint;
  readonly taskId: bigint;
  readonly isMatch: boolean;
}

async function findTask(deps: SearchDeps, bucket: number, { pattern }: Number): Promise<Place | undefined> {
  const { sql } = deps;
  const found = await findInPages(deps, async (after: TaskRow | undefined) => {
    const from = after ?? { customerId: 0n, taskId: 0n };
    // The length of a payload is known without reading it.
    const rows = await sql<(TaskRow & { found: number })[]>`
      select customer_id as "customerId", task_id as "taskId", coalesce(payload ~ ${pattern}, false) as "isMatch", found
      from (
        select customer_id, task_id, payload, count(*) over ()::int as found,
          sum(octet_length(payload)) over (order by customer_id, task_id) - octet_length(payload) as bytes_before
        from (
          select customer_id, task_id, payload from task
          where bucket = ${bucket} and queued_for is not null and (customer_id, task_id) > (${from.customerId}, ${from.taskId})
          order by customer_id, task_id limit ${TASKS_A_PAGE}
        ) as p
      ) as p
      where coalesce(bytes_before, 0) < ${PAYLOAD_BYTES_A_PAGE}
      order by customer_id, task_id`;
    const found = rows[0]?.found ?? 0;
    return { rows, isLast: rows.length === found && found < TASKS_A_PAGE };
  });
  return found && { kind: 'task', customerId: found.customerId, taskId: found.taskId };
}

interface FoundChunk extends TaskRow {
  readonly chunkNo: number;
}

async function findChunk(deps: SearchDeps, bucket: number, { digits }: Number): Promise<Place | undefined> {
  const { sql } = deps;
  const found = await findInPages(deps, async (after: FoundChunk | undefined) => {
    const from = after ?? { customerId: 0n, taskId: 0n, chunkNo: 0 };
    const rows = await sql<FoundChunk[]>`
      select customer_id as "customerId", task_id as "taskId", chunk_no as "chunkNo", strpos(numbers, ${digits}) > 0 as "isMatch"
      from chunk
      where bucket = ${bucket} and (customer_id, task_id, chunk_no) > (${from.customerId}, ${from.taskId}, ${from.chunkNo})
      order by customer_id, task_id, chunk_no limit ${CHUNKS_A_PAGE}`;
    return { rows, isLast: rows.length < CHUNKS_A_PAGE };
  });
  return found && { kind: 'chunk', customerId: found.customerId, taskId: found.taskId, chunkNo: found.chunkNo };
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly isLast: boolean;
}

async function findInPages<Row extends TaskRow>(
  { signal, rest }: SearchDeps,
  readPage: (after: Row | undefined) => Promise<Page<Row>>,
): Promise<Row | undefined> {
  for (let after: Row | undefined; ; ) {
    signal.throwIfAborted();
    const { rows, isLast }: Page<Row> = await readPage(after);
    const found = rows.find(({ isMatch }) => isMatch);
    if (found !== undefined || isLast) return found;
    after = rows.at(-1);
    await rest();
  }
}
