// The words in which the entities of the configuration are described. One description of a field serves all: it checks
// bodies and fills in defaults, is the API reference, names the column, and makes the option of the command line.

import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import type { Money } from '../money/money.js';

export const words = <const Word extends string>(values: readonly Word[], options: object = {}) =>
  Type.Unsafe<Word>({ type: 'string', enum: [...values], ...options });

/** One line of text. */
export const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, format: 'line', description });

/** A decimal string on the wire; money once it has been checked. */
export const amount = (description: string, options: object = {}) =>
  Type.Unsafe<Money>({ type: 'string', format: 'amount', maxLength: 32, description, ...options });

/** RFC 3339 with an offset on the wire; a `Date` once it has been checked. */
export const time = (description: string, options: object = {}) =>
  Type.Unsafe<Date>({ type: 'string', format: 'date-time', maxLength: 64, description, ...options });

/** The price of one message part. */
export const unitPrice = (description: string) => amount(description, { format: 'price-amount' });

export const nullable = <Schema extends TSchema>(schema: Schema, options: object = {}) =>
  Type.Union([schema, Type.Null()], options);

/** Fields with a default may be left out, which the reference says and the types need not. */
export function closedObject<Properties extends TProperties>(
  properties: Properties,
  options: object = {},
): TObject<Properties> {
  const schema = Type.Object(properties, { additionalProperties: false, ...options });
  const required = ((schema.required ?? []) as string[]).filter((name) => properties[name]?.default === undefined);
  return Object.assign(schema, { required });
}

/** The same fields, each of which may be left out. */
export function changeOf<Properties extends TProperties>(create: TObject<Properties>) {
  return Type.Partial(create, { additionalProperties: false });
}

/** A field that is itself made of fields, such as a policy. A record of anything is none. */
export function isGroup(schema: TSchema): schema is TObject {
  return schema.type === 'object' && schema.properties !== undefined;
}

/** The described fields of a record, without what else it has. */
export function pickFields<Schema extends TObject>(schema: Schema, record: Static<Schema>): Static<Schema> {
  const given = record as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.keys(schema.properties).map((name) => [name, given[name]])) as Static<Schema>;
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The same fields under the names that they have in code. */
export type InCode<Terms> = { readonly [Name in keyof Terms as CamelCase<Name & string>]: Terms[Name] };

export function toCode<Terms extends object>(terms: Terms): InCode<Terms> {
  const renamed = Object.entries(terms).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(renamed) as InCode<Terms>;
}
