// Rows of a bulk statement, described once. A column is named as the field that it is filled from, in snake case, so that a value
// cannot end up in another column; column lists, casts and arrays follow from the description.

import { booleanArray, numericArray, textArray, timeArray } from '../array-literal.js';
import { isPlannedByCluster } from '../cluster/distribution.js';
import type { AnySql, Statement } from '../sql.js';

/** What each type of column is filled from. */
interface ColumnValues {
  /** Phone keys are kept as digits. */
  readonly bigint: bigint | number | string | null;
  readonly int: number | null;
  readonly smallint: number | null;
  readonly boolean: boolean | null;
  readonly timestamptz: Date | null;
  /** As `2026-11-15`. */
  readonly date: string | null;
  readonly text: string | null;
  readonly 'text[]': readonly string[] | null;
  readonly 'bigint[]': readonly bigint[] | null;
  readonly jsonb: object | null;
  /** JSON in a text column, which keeps it as it is written. */
  readonly json: object | null;
  readonly bytea: Uint8Array | null;
  /** A bytea of so many zeros. */
  readonly zeros: number;
}

type ColumnType = keyof ColumnValues;
type Columns = Readonly<Record<string, ColumnType>>;
/** A nested object is a member of the row whose fields are columns, too. */
type Description = Readonly<Record<string, ColumnType | Columns>>;

type RowOf<D> = {
  readonly [Name in keyof D]: D[Name] extends ColumnType ? ColumnValues[D[Name]] : RowOf<D[Name]> | null;
};

/** Values of columns that are not fields of the rows, in the order of the rows. */
type ArraysOf<D> = {
  readonly [Name in keyof D as D[Name] extends ColumnType ? Name : never]?: D[Name] extends ColumnType
    ? readonly ColumnValues[D[Name]][]
    : never;
};

export interface RowSet<D extends Description> {
  /** `customer_id, payload`: the column list of an insert. */
  names(sql: AnySql): Statement;
  /** `r.customer_id, decode(r.payload, 'hex')`: what an insert selects for them. */
  values(sql: AnySql): Statement;
  /**
   * `(select unnest($1::bigint[]) as customer_id, unnest($2::text[]) as payload) as r`. Columns that are in `arrays` are not read from
   * the rows. Types that have no array form here arrive as text: `values` converts them.
   */
  unnest<Given extends ArraysOf<D> = Record<never, never>>(
    sql: AnySql,
    rows: readonly RowOf<Omit<D, keyof Given>>[],
    arrays?: Given,
  ): Statement;
}

/** Define rows at module level: the driver remembers every template that it has seen. */
export function defineRows<const D extends Description>(alias: string, description: D): RowSet<D> {
  const columns = Object.entries(description).flatMap(([field, type]) =>
    typeof type === 'string' ? [createColumn(field, type)] : listNested(field, type),
  );
  const names = columns.map(({ name }) => name).join(', ');
  const values = columns.map(({ name, type }) => TYPES[type].convert?.(`${alias}.${name}`) ?? `${alias}.${name}`);
  const template = createTemplate(
    '(select unnest(',
    columns.map(({ name, type }) => `::${TYPES[type].sent}[]) as ${name}`),
    ', unnest(',
    `) as ${alias}`,
  );
  const templateForCluster = createTemplate(
    'unnest(',
    columns.map(({ type }) => `::${TYPES[type].sent}[]`),
    ', ',
    `) as ${alias} (${names})`,
  );
  // The driver copies a fragment into the statement that it is part of, so one serves all statements of all pools.
  let namesFragment: Statement | undefined;
  let valuesFragment: Statement | undefined;
  return {
    names: (sql) => (namesFragment ??= sql.unsafe(names)),
    values: (sql) => (valuesFragment ??= sql.unsafe(values.join(', '))),
    unnest: (sql, rows, arrays) => {
      const given: Readonly<Record<string, readonly unknown[] | undefined>> = arrays ?? {};
      const literals = columns.map(({ field, type, read }) =>
        TYPES[type].write((given[field] ?? read(rows as readonly Fields[])) as never),
      );
      // In the list of tables PostgreSQL stores the values of each array and reads them again, which takes a tenth to a sixth of a bulk
      // write. In the list of columns it does not, but Citus cannot push such a subquery down.
      return sql(isPlannedByCluster(sql) ? templateForCluster : template, ...literals);
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

interface Column {
  readonly field: string;
  readonly name: string;
  readonly type: ColumnType;
  readonly read: (rows: readonly Fields[]) => readonly unknown[];
}

function createColumn(field: string, type: ColumnType): Column {
  return { field, name: toSnakeCase(field), type, read: (rows) => rows.map((row) => row[field]) };
}

function listNested(member: string, columns: Columns): Column[] {
  return Object.entries(columns).map(([field, type]) => ({
    ...createColumn(field, type),
    read: (rows) => rows.map((row) => (row[member] as Fields | null)?.[field] ?? null),
  }));
}

interface TypeForm<Value> {
  /** The type that the array is cast to. */
  readonly sent: string;
  readonly write: (values: readonly Value[]) => string;
  readonly convert?: (column: string) => string;
}

const TYPES: { readonly [Type in ColumnType]: TypeForm<ColumnValues[Type]> } = {
  bigint: { sent: 'bigint', write: numericArray },
  int: { sent: 'int', write: numericArray },
  smallint: { sent: 'smallint', write: numericArray },
  boolean: { sent: 'boolean', write: booleanArray },
  timestamptz: { sent: 'timestamptz', write: timeArray },
  date: { sent: 'date', write: textArray },
  text: { sent: 'text', write: textArray },
  'text[]': { sent: 'text', write: (values) => writeTexts(values, textArray), convert: (name) => `${name}::text[]` },
  'bigint[]': {
    sent: 'text',
    write: (values) => writeTexts(values, numericArray),
    convert: (name) => `${name}::bigint[]`,
  },
  jsonb: { sent: 'text', write: (values) => writeTexts(values, JSON.stringify), convert: (name) => `${name}::jsonb` },
  json: { sent: 'text', write: (values) => writeTexts(values, JSON.stringify) },
  bytea: { sent: 'text', write: (values) => writeTexts(values, toHex), convert: (name) => `decode(${name}, 'hex')` },
  zeros: { sent: 'int', write: numericArray, convert: (name) => `decode(repeat('00', ${name}), 'hex')` },
};

function writeTexts<Value>(values: readonly (Value | null)[], write: (value: Value) => string): string {
  return textArray(values.map((value) => (value === null ? null : write(value))));
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What the compiler makes of a template literal with one value before each of the pieces `after`. */
function createTemplate(start: string, after: readonly string[], between: string, end: string): TemplateStringsArray {
  const last = after.length - 1;
  const strings = [start, ...after.map((piece, index) => `${piece}${index < last ? between : end}`)];
  return Object.assign(strings, { raw: strings });
}
