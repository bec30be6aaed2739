// Fences the transactions of a pool against the driver (postgres 3.4.9), which loses hold of them in two ways.
//
// When the connection of a transaction ends, the driver rejects `begin` but does not stop the function: its later statements,
// and the commit or rollback behind them, still go to the same connection object. While that is closed, the write ends the
// process; once it is open again, they run in another session, outside a transaction or inside another one, without the locks
// under which their values were computed. The same happens to a statement that is sent after its transaction has ended.
//
// When all connections are taken, the driver sends `begin` behind the plain statements of a busy one. As the last that fits
// into its pipeline, the transaction is opened there and abandoned: what others then write on that connection is not committed.
// So a plain statement and a transaction each take a place of the pool, and there are as many places as connections.

import { createGate } from '../domain/gate.js';
import {
  type DriverConnection,
  type DriverQuery,
  interceptQueries,
  onRejected,
  onSettled,
  patchQueries,
  refuse,
} from './driver-query.js';
import type { Sql } from './sql.js';

interface Fence {
  /** Why nothing more may be sent. An error is made when it is needed: its stack costs more than a small statement. */
  closed: 'lost' | 'ended' | undefined;
  /** Sent or queued and not answered: the driver forgets the queued ones when the connection ends. */
  readonly pending: Set<DriverQuery>;
}

/** A statement, commit or rollback of a transaction whose connection has ended. It was not sent, or not answered. */
export class TransactionLostError extends Error {
  override readonly name = 'TransactionLostError';
  override readonly message =
    'the connection of this transaction has ended: nothing more of it is written or committed';
  /** As the driver reports a lost connection. */
  readonly code = 'CONNECTION_CLOSED';
}

/** A statement that was sent behind the commit or rollback of its transaction. */
export class TransactionEndedError extends Error {
  override readonly name = 'TransactionEndedError';
  override readonly message = 'this transaction has ended: the statement would run outside of it';
}

export interface TransactionFences {
  /** The driver's `onclose` option: called as soon as a connection is closed. */
  onClose(connectionId: number): void;
  /** Fences a new pool. `onTransaction` gets every transaction before its function does. */
  install(sql: Sql, onTransaction: (tx: object) => void): void;
}

type FaultListener = (error: unknown) => void;

const faultListeners = new WeakMap<Sql, FaultListener>();

/** `listener` gets the error of every failed statement and transaction of this pool, before the caller does. One for each pool. */
export function onPoolFault(sql: Sql, listener: FaultListener): void {
  faultListeners.set(sql, listener);
}

export function createTransactionFences(maxConnections: number): TransactionFences {
  const places = createGate(maxConnections);
  const byConnection = new Map<number, Fence>();
  /** Set while the driver's `begin` creates its first query, which it does before it first waits. */
  let beginning: Fence | undefined;

  const sendPlain = async (query: DriverQuery): Promise<void> => {
    await places.enter();
    onSettled(query, places.leave);
    query.handler(query);
  };

  /** The driver's own first query of a transaction, which has its place already and says which connection it got. */
  const watchBegin = (query: DriverQuery, fence: Fence): void => {
    const { onexecute } = query.options;
    query.options.onexecute = (connection: DriverConnection) => {
      byConnection.set(connection.id, fence);
      return onexecute?.(connection);
    };
  };

  return {
    onClose(connectionId) {
      const fence = byConnection.get(connectionId);
      byConnection.delete(connectionId);
      if (fence === undefined) return;
      fence.closed = 'lost';
      const error = new TransactionLostError();
      for (const query of fence.pending) query.reject(error);
    },

    install(sql, onTransaction) {
      patchQueries(sql);
      const watchFault = (query: DriverQuery): void => {
        const onFault = faultListeners.get(sql);
        if (onFault !== undefined) onRejected(query, onFault);
      };
      interceptQueries(sql, (query) => {
        watchFault(query);
        if (query.options.onexecute === undefined) void sendPlain(query);
        else query.handler(query);
      });
      const { unsafe } = sql;
      const begin = sql.begin.bind(sql) as (...args: unknown[]) => Promise<unknown>;
      // The driver's `begin` finds its first query here.
      const unsafeWatched = (...args: Parameters<typeof unsafe>) => {
        const query = unsafe(...args);
        if (beginning !== undefined) watchBegin(query as unknown as DriverQuery, beginning);
        return query;
      };
      const beginFenced = async (...args: unknown[]): Promise<unknown> => {
        const run = args.pop() as (tx: Sql) => unknown;
        const fence: Fence = { closed: undefined, pending: new Set() };
        const runFenced = (tx: Sql): unknown => {
          interceptQueries(tx, (query) => {
            watchFault(query);
            sendFenced(fence, query);
          });
          // These bypass the fence: `savepoint` sends before its function is called, `file` sends later, `notify` uses the pool.
          refuse(tx, ['savepoint', 'file', 'notify', 'prepare']);
          onTransaction(tx);
          return run(tx);
        };
        await places.enter();
        try {
          beginning = fence;
          const done = begin(...args, runFenced);
          beginning = undefined;
          return await done;
        } catch (error) {
          faultListeners.get(sql)?.(error);
          throw error;
        } finally {
          places.leave();
          fence.closed ??= 'ended';
          for (const [id, other] of byConnection) if (other === fence) byConnection.delete(id);
        }
      };
      Object.assign(sql, { begin: beginFenced, unsafe: unsafeWatched });
    },
  };
}

function sendFenced(fence: Fence, query: DriverQuery): void {
  if (fence.closed !== undefined) {
    // As the driver does it: a query that is executed and not awaited must not end the process.
    query.catch(() => {});
    query.reject(fence.closed === 'lost' ? new TransactionLostError() : new TransactionEndedError());
    return;
  }
  const [text] = query.strings;
  if (text === 'commit' || text === 'rollback') fence.closed = 'ended';
  fence.pending.add(query);
  onSettled(query, () => fence.pending.delete(query));
  query.handler(query);
}
