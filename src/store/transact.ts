import type { AnySql, Sql } from './connect.js';

/** What a transaction ends with: statements that are sent without waiting for each other. */
export type LastStatements = () => Promise<unknown>;

export interface Transacted<Result> {
  readonly result: Result;
  readonly end?: LastStatements;
}

/**
 * A transaction whose commit is pipelined behind its last statements, which saves a round trip. If one of them fails, the commit becomes
 * a rollback without an error.
 */
export async function transact<Result>(sql: Sql, run: (tx: AnySql) => Promise<Transacted<Result>>): Promise<Result> {
  let ended: Promise<unknown> | undefined;
  const done = await sql.begin(async (tx) => {
    const work = await run(tx);
    ended = work.end?.();
    // It is looked at after the commit, which may fail itself.
    ended?.catch(() => {});
    return { result: work.result };
  });
  await ended;
  return done.result;
}
