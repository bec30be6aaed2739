import { type CommitPosition, noteCommit, readPosition } from './connection/commit-position.js';
import type { AnySql, Sql } from './sql.js';

/** Sends the last statements of a transaction, without waiting for each other. */
export type LastStatements = () => Promise<unknown>;

export interface Transacted<Result> {
  readonly result: Result;
  /** Missing if nothing is written. */
  readonly end?: LastStatements;
}

/**
 * A transaction whose commit is pipelined behind its last statements, which saves a round trip. If one of them fails, the commit becomes
 * a rollback without an error, and the error of the statement is thrown. The position of the commit in the log is read with them.
 */
export async function transact<Result>(sql: Sql, run: (tx: AnySql) => Promise<Transacted<Result>>): Promise<Result> {
  let ended: Promise<unknown> | undefined;
  let position: Promise<CommitPosition | undefined> | undefined;
  const done = await sql.begin(async (tx) => {
    const work = await run(tx);
    ended = work.end?.();
    // Awaited after the commit. Without a handler until then, a failure would end the process.
    ended?.catch(() => {});
    if (ended !== undefined) position = readPosition(tx);
    return work.result;
  });
  await ended;
  noteCommit(sql, await position);
  return done;
}
