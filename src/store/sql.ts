import type postgres from 'postgres';

/** Every `bigint` column is a BigInt here, and every BigInt a parameter: ids and money do not fit a number. */
export type Sql = postgres.Sql<{ bigint: bigint }>;
/** The pool or a transaction. */
export type AnySql = postgres.ISql<{ bigint: bigint }>;
/** A statement that has not run yet: it runs when it is awaited, alone, or with others through `runTogether`. */
export type Statement = postgres.PendingQuery<postgres.Row[]>;
