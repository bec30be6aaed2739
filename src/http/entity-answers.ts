// How entities of the configuration come back in both APIs: the fields that were written, under the same names, and more.

import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { isGroup } from '../domain/entities/fields.js';
import { ServiceAccountFields } from '../domain/entities/service-account.js';
import { TemplateFields } from '../domain/entities/template.js';
import { OptOutFields } from '../domain/entities/terms-of-use.js';
import { oneOf } from './list-query.js';

export const Time = () => Type.String({ format: 'date-time' });
export const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
export const created = { created_at: Time() };
export const changed = { created_at: Time(), updated_at: Time() };

/** Everything is always there in an answer: what may be left out of a request has a default. */
export function answerOf($id: string, fields: TProperties, written?: TObject): TObject {
  return requireAll(Type.Object({ ...written?.properties, ...fields }, { $id }));
}

function requireAll(schema: TObject): TObject {
  const properties = Object.entries(schema.properties).map(([name, field]): [string, TSchema] => [
    name,
    requireWithin(field),
  ]);
  return { ...schema, properties: Object.fromEntries(properties), required: Object.keys(schema.properties) };
}

/** Also in the entries of a list. */
function requireWithin(field: TSchema): TSchema {
  if (isGroup(field)) return requireAll(field);
  return field.type === 'array' && isGroup(field.items) ? { ...field, items: requireAll(field.items) } : field;
}

export const ServiceAccountAnswer = answerOf(
  'ServiceAccount',
  { service_account_no: Type.String(), ...changed },
  ServiceAccountFields,
);

export const TemplateAnswer = answerOf('Template', { template_no: Type.String(), ...changed }, TemplateFields);

export const OptOutAnswer = answerOf(
  'OptOut',
  { source: oneOf(['uplink', 'operator'], 'Who put it on the list.'), ...created },
  OptOutFields,
);
