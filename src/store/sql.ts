import type { PendingQuery, Row } from './driver/index.js';

/** Every `bigint` column is a BigInt here, and every BigInt a parameter: ids and money do not fit a number. */
export type { AnySql, JSONValue, PendingQuery, Row, Sql } from './driver/index.js';

/** A statement that has not run yet: it runs when it is awaited, alone, or with others through `runTogether`. */
export type Statement = PendingQuery<Row[]>;
