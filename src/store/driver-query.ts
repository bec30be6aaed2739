// How a statement reaches the driver (postgres 3.4.9). Every query is sent by its method `handle`, which calls the `handler` of
// the pool or of the transaction that built it. The driver has no hook in between; this adds one.

import type { Sql } from './sql.js';

/** The part of the driver's `Query` that is used here. */
export interface DriverQuery {
  readonly strings: readonly string[];
  readonly args: readonly unknown[];
  readonly handler: (query: DriverQuery) => void;
  readonly options: { onexecute?: (connection: DriverConnection) => unknown };
  executed: boolean;
  /** Set when the query is sent, with its text where the connection has not prepared it yet. */
  statement: { string: string } | null;
  /** Set when the query is sent: what the connection knows a prepared statement by. */
  signature: string | false;
  resolve(rows: unknown): void;
  reject(error: unknown): void;
  catch(onError: (error: unknown) => void): unknown;
}

export interface DriverConnection {
  readonly id: number;
}

/** Sends a query, or rejects it. */
type Send = (query: DriverQuery) => void;

/** A feature of the driver that goes past `handle`, and that nothing here needs. */
export class UnfencedError extends Error {
  override readonly name = 'UnfencedError';
  constructor(name: string) {
    super(`${name} cannot be fenced against a lost connection`);
  }
}

const senders = new WeakMap<DriverQuery['handler'], Send>();

/** From now on `send` gets every query of this pool or transaction in place of the driver. */
export function interceptQueries(sql: Sql, send: Send): void {
  senders.set(queryOf(sql).handler, send);
}

/** Calls back once, when the query is answered or has failed. */
export function onSettled(query: DriverQuery, callBack: () => void): void {
  const { resolve, reject } = query;
  let isSettled = false;
  const settle = (): void => {
    if (!isSettled) callBack();
    isSettled = true;
  };
  query.resolve = (rows) => {
    settle();
    resolve(rows);
  };
  query.reject = (error) => {
    settle();
    reject(error);
  };
}

/** Calls back with the error of a failed query, before the caller gets it. */
export function onRejected(query: DriverQuery, callBack: (error: unknown) => void): void {
  const { reject } = query;
  query.reject = (error) => {
    callBack(error);
    reject(error);
  };
}

/** The text of a query that has not been sent, with its fragments, and without its values. */
export function textOf({ strings, args }: Pick<DriverQuery, 'strings' | 'args'>): string {
  return strings.map((text, at) => text + (at < args.length ? textOfValue(args[at]) : '')).join('');
}

function textOfValue(value: unknown): string {
  const isFragment = value instanceof Promise && 'strings' in value;
  return isFragment ? textOf(value as unknown as DriverQuery) : '$1';
}

/** A query of this handle that is never sent. */
function queryOf(sql: Sql): DriverQuery {
  return sql`` as unknown as DriverQuery;
}

const preparers = new WeakMap<DriverQuery['handler'], (query: DriverQuery) => void>();

/** From now on `prepare` gets every query of this transaction before it is sent. One for which it throws is not sent. */
export function prepareQueries(tx: Sql, prepare: (query: DriverQuery) => void): void {
  preparers.set(queryOf(tx).handler, prepare);
}

/** Has `send` get this one query, when it is awaited, in place of the pool that built it. */
export function interceptQuery(query: DriverQuery, send: Send): void {
  const handleOnce = (): void => {
    if (query.executed) return;
    query.executed = true;
    send(query);
  };
  Object.assign(query, { handle: handleOnce });
}

/** Sends a query that was intercepted as the pool does that built it. */
export function sendPlainly(query: DriverQuery): void {
  query.executed = false;
  void handle.call(query);
}

/** Sends a query that was intercepted as one of this transaction. Resolves with its rows, of which the caller of the query does not know yet. */
export function sendWithin(tx: Sql, query: DriverQuery): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const { handler } = queryOf(tx);
    Object.assign(query, { handler, resolve, reject, executed: false });
    void handle.call(query);
  });
}

const patched = new WeakSet<object>();

/** The class of the driver's queries is not exported, and is the same for all pools. */
export function patchQueries(sql: Sql): void {
  const queries: object = Object.getPrototypeOf(queryOf(sql));
  if (patched.has(queries)) return;
  patched.add(queries);
  Object.assign(queries, { handle });
  // Between two pages of a cursor, and two pieces of a COPY, the driver writes to the connection without asking `handle`; a
  // cancel request may meet the next session of the connection.
  refuse(queries, ['cursor', 'readable', 'writable', 'cancel']);
}

export function refuse(target: object, names: readonly string[]): void {
  for (const name of names) {
    const refuseCall = (): never => {
      throw new UnfencedError(name);
    };
    Object.assign(target, { [name]: refuseCall });
  }
}

/** As the driver's, with the hook in front of the handler. No event of a connection can come in between. */
async function handle(this: DriverQuery): Promise<void> {
  if (this.executed) return;
  this.executed = true;
  // The driver sends a query only in the next microtask, so that what is chained to it until then counts.
  await undefined;
  try {
    preparers.get(this.handler)?.(this);
  } catch (error) {
    this.reject(error);
    return;
  }
  const send = senders.get(this.handler);
  if (send === undefined) this.handler(this);
  else send(this);
}
