// From the description of an entity to its row and back. A field is a column of its name; a group of fields has a column for
// each, `policy_prepare`; a record of anything is JSON. Statements stay where they were: these are their lists of columns.

import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { isGroup } from '../../domain/entities/fields.js';
import type { AnySql, JSONValue } from '../sql.js';

interface Column {
  readonly name: string;
  readonly schema: TSchema;
  /** Where the value is in the entity. */
  readonly path: readonly [string] | readonly [string, string];
}

function listColumns(schema: TObject): Column[] {
  return Object.entries(schema.properties).flatMap(([outer, field]): Column[] => {
    if (!isGroup(field)) return [{ name: outer, schema: field, path: [outer] }];
    return Object.entries(field.properties).map(([inner, member]) => ({
      name: `${outer}_${inner}`,
      schema: member,
      path: [outer, inner],
    }));
  });
}

/** For `select` and `returning`. */
export function columnsOf(sql: AnySql, table: string, schema: TObject) {
  return sql(listColumns(schema).map(({ name }) => `${table}.${name}`));
}

/** For `insert`, with the columns that no field describes. */
export function insertOf<Schema extends TObject>(
  sql: AnySql,
  schema: Schema,
  terms: Static<Schema>,
  others: Readonly<Record<string, unknown>>,
) {
  return sql({ ...others, ...valuesOf(sql, schema, terms) } as Readonly<Record<string, string>>);
}

/** For `update … set`. */
export function updateOf<Schema extends TObject>(sql: AnySql, schema: Schema, terms: Static<Schema>) {
  return sql(valuesOf(sql, schema, terms) as Readonly<Record<string, string>>);
}

/** The described fields of a row that was read with `columnsOf`. */
export function fieldsOf<Schema extends TObject>(schema: Schema, row: object): Static<Schema> {
  const columns = row as Readonly<Record<string, unknown>>;
  const fields: Record<string, unknown> = {};
  for (const { name, path } of listColumns(schema)) {
    const [outer, inner] = path;
    if (inner === undefined) fields[outer] = columns[name];
    else fields[outer] = { ...(fields[outer] as object | undefined), [inner]: columns[name] };
  }
  return fields as Static<Schema>;
}

/** A record of anything, or a list of entries. */
function isJson(field: TSchema): boolean {
  return field.type === 'object' || (field.type === 'array' && (field.items as TSchema).type === 'object');
}

function valuesOf<Schema extends TObject>(sql: AnySql, schema: Schema, terms: Static<Schema>): Record<string, unknown> {
  const given = terms as Readonly<Record<string, unknown>>;
  const values = listColumns(schema).map(({ name, schema: field, path: [outer, inner] }) => {
    const value = inner === undefined ? given[outer] : (given[outer] as Readonly<Record<string, unknown>>)[inner];
    return [name, isJson(field) ? sql.json(value as JSONValue) : value];
  });
  return Object.fromEntries(values);
}
