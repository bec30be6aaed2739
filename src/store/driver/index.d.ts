// The part of the driver that is used here; see README.md.

import type { Socket } from 'node:net';

export function postgres(options: Options): Sql;
export function postgres(url: string, options: Options): Sql;

/** For the option `types`. */
export const BIGINT: ValueType<bigint>;

/** What the server refused, with the fields of its error. */
export class PostgresError extends Error {
  readonly severity: string;
  readonly code: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly position?: string;
  readonly where?: string;
  readonly schema_name?: string;
  readonly table_name?: string;
  readonly column_name?: string;
  readonly constraint_name?: string;
  readonly routine?: string;
  /** Not enumerable, so that no log has them. */
  readonly query: string;
  readonly parameters: readonly unknown[];
}

export interface ValueType<T> {
  readonly to: number;
  readonly from: readonly number[];
  readonly serialize: (value: T) => string;
  readonly parse: (text: string) => unknown;
}

export interface Options {
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly username?: string;
  readonly password?: string;
  readonly max?: number;
  readonly idle_timeout?: number;
  /** Seconds; null: for ever. */
  readonly max_lifetime?: number | null;
  readonly connect_timeout?: number;
  readonly keep_alive?: number;
  readonly prepare?: boolean;
  /** Seconds before a connection is opened again, by the number of failures in a row. */
  readonly backoff?: false | ((failures: number) => number);
  readonly types?: Readonly<Record<string, ValueType<never>>>;
  readonly connection?: Readonly<Record<string, string | number | boolean>>;
  /** Makes the sockets. */
  readonly socket?: (target: Target) => Socket | Promise<Socket>;
  readonly onnotice?: (notice: Readonly<Record<string, string>>) => void;
  readonly onclose?: (connectionId: number) => void;
  readonly debug?: (connectionId: number, query: string, parameters: unknown[]) => void;
}

/** Where a connection leads. */
export interface Target {
  readonly path?: string | false;
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Null for the connection that listens for notifications. */
  readonly idle_timeout?: number | null;
}

export interface Row {
  // biome-ignore lint/suspicious/noExplicitAny: what a column holds is known by who wrote the statement
  readonly [column: string]: any;
}

export type RowList<Rows extends readonly unknown[]> = Rows &
  Iterable<NonNullable<Rows[number]>> & {
    readonly count: number;
    readonly command: string;
    readonly statement: { readonly string: string };
  };

/** A statement, sent when it is awaited or executed; or a fragment of another one. */
export interface PendingQuery<Rows extends readonly unknown[]> extends Promise<RowList<Rows>> {
  execute(): this;
  /** By the simple protocol. */
  simple(): this;
}

/** A name, a list of names, or values for `insert`, `update` or `in`: what stands before it decides. */
export interface Helper {
  readonly first: unknown;
}

export interface Parameter {
  readonly value: unknown;
  readonly type: number;
}

export type JSONValue =
  | null
  | string
  | number
  | boolean
  | Date
  | readonly JSONValue[]
  // biome-ignore lint/suspicious/noExplicitAny: of JSON.stringify
  | { toJSON(): any }
  | { readonly [name: string]: undefined | JSONValue };

type Value = null | boolean | number | bigint | string | Date | Uint8Array | Helper | Parameter | readonly Value[];
// biome-ignore lint/suspicious/noExplicitAny: a fragment has no rows
type Fragment = PendingQuery<any>;

/** A pool or a transaction. */
export interface AnySql {
  <Rows extends readonly (object | undefined)[] = Row[]>(
    template: TemplateStringsArray,
    ...values: readonly (Value | Fragment | readonly Fragment[])[]
  ): PendingQuery<Rows>;
  (names: string | readonly string[]): Helper;
  (values: object | readonly unknown[], ...names: readonly (string | readonly string[])[]): Helper;
  unsafe<Rows extends readonly (object | undefined)[] = Row[]>(
    text: string,
    values?: readonly (Value | JSONValue)[],
    options?: { readonly prepare?: boolean },
  ): PendingQuery<Rows>;
  json(value: JSONValue): Parameter;
}

export interface TransactionSql extends AnySql {
  /** The pool to which the transaction belongs. */
  readonly pool: Sql;
  /** The same transaction, whose statements go to `fn`. */
  intercept(fn: Interceptor): TransactionSql;
  send(query: Query): void;
}

export interface Sql extends AnySql {
  readonly options: {
    /** Called with the error of each failed statement and each lost connection, before the caller gets it. */
    onfault?: (error: unknown) => void;
  };
  begin<T>(run: (tx: TransactionSql) => T | Promise<T>): Promise<T>;
  begin<T>(mode: string, run: (tx: TransactionSql) => T | Promise<T>): Promise<T>;
  /** A session of its own, until it is released. */
  reserve(): Promise<TransactionSql & { release(): void }>;
  listen(channel: string, onNotify: (payload: string) => void): Promise<{ unlisten(): Promise<void> }>;
  /** Seconds until what is under way is given up. */
  end(options?: { readonly timeout?: number }): Promise<void>;
  /** The same pool, whose statements outside of transactions go to `fn`. */
  intercept(fn: Interceptor): Sql;
  send(query: Query): void;
}

/** Gets a statement before it is sent. It is rejected if this throws. */
export type Interceptor = (query: Query, send: (query: Query) => void) => void;

export interface Query {
  readonly strings: readonly string[];
  readonly args: readonly unknown[];
  /** Gives the statement another text where a connection does not have it yet. */
  rewrite: ((text: string) => string) | null;
  /** Tells apart what one connection has prepared from the same text. */
  rewrittenFor: string;
  resolve(rows: unknown): void;
  reject(error: unknown): void;
}
