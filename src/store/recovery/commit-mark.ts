// Marks of committed transactions. A transaction leaves its number in the row of its slot. If the answer to its commit is lost, the next
// attempt reads the row under the same locks and knows whether anything happened. docs/decisions/0096-commit-marks.md

import { bucketRow } from '../bucket.js';
import type { AnySql, Statement } from '../sql.js';

export interface CommitMark {
  /** The process that writes it, by a random id of its own. */
  readonly process: string;
  /** No two transactions of a process that run at the same time have the same slot. */
  readonly slot: number;
  /** Of the transaction. Rises with every transaction in the slot. */
  readonly number: number;
}

export function writeCommitMark(tx: AnySql, bucket: number, { process, slot, number }: CommitMark): Statement {
  return tx`
    insert into commit_mark (bucket, process, slot, number, marked_at)
    select b.bucket, ${process}::uuid, ${slot}::int, ${number}::bigint, now() from ${bucketRow(tx, bucket)}
    on conflict (bucket, process, slot) do update set number = excluded.number, marked_at = excluded.marked_at
    where commit_mark.number < excluded.number`;
}

/** The number of the last committed transaction in this slot. Read under locks that the transaction in doubt held, so that it has ended. */
export async function readCommitMark(
  tx: AnySql,
  bucket: number,
  { process, slot }: Pick<CommitMark, 'process' | 'slot'>,
): Promise<number | undefined> {
  const rows = await tx<{ number: bigint }[]>`
    select number from commit_mark where bucket = ${bucket} and process = ${process}::uuid and slot = ${slot}::int`;
  const [row] = rows;
  return row === undefined ? undefined : Number(row.number);
}

/** Deletes the marks of processes that ended long ago: a few dozen rows for each start. Never leaves more to do. */
export async function deleteOldCommitMarks(sql: AnySql, bucket: number, keptForMs: number): Promise<boolean> {
  await sql`
    delete from commit_mark
    where bucket = ${bucket} and marked_at < now() - ${keptForMs} * interval '1 millisecond'`;
  return false;
}
