// How entities of the configuration come back in both APIs: the fields that were written, under the same names, and more.

import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { isGroup } from '../../domain/entities/fields.js';
import { ServiceAccountFields } from '../../domain/entities/service-account.js';
import { TEMPLATE_STATUSES, type Template, TemplateFields, templateStatusOf } from '../../domain/entities/template.js';
import { ListedNumberFields } from '../../domain/entities/terms-of-use.js';
import { timeOfId } from '../../domain/id.js';
import { oneOf } from '../query/list-query.js';

export const Time = (description?: string) => Type.String({ format: 'date-time', ...(description && { description }) });
export const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
export const created = { created_at: Time() };
export const changed = { created_at: Time(), updated_at: Time() };

/** Everything is always there in an answer: what may be left out of a request has a default. */
export function answerOf(
  name: string | { readonly $id: string; readonly description: string },
  fields: TProperties,
  written?: TObject,
): TObject {
  const options = typeof name === 'string' ? { $id: name } : name;
  return requireAll(Type.Object({ ...written?.properties, ...fields }, { ...options }));
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

/** How a template stands with its review, in both APIs. */
export const reviewFields = {
  status: oneOf(
    TEMPLATE_STATUSES,
    '`pending` and `rejected` ones cannot be sent until an operator approves them, `disabled` ones not at all.',
  ),
  revision: Type.Integer({ minimum: 1, description: 'Counts the texts it has had.' }),
  reason: orNull(Type.String({ description: 'What the operator said of the present text.' })),
  submitted_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'When the text was submitted; null for one that an operator wrote.',
    }),
  ),
  reviewed_at: orNull(Type.String({ format: 'date-time', description: 'When the present text was decided on.' })),
};

export const TemplateAnswer = answerOf(
  'Template',
  { template_no: Type.String(), ...changed },
  Type.Object({ ...TemplateFields.properties, ...reviewFields }),
);

/** Fields of `reviewFields`. */
export function renderReviewState({ status, review, revision, reason, submission_id, reviewed_at }: Template) {
  return {
    status: templateStatusOf({ status, review }),
    revision,
    reason,
    submitted_at: submission_id === null ? null : timeOfId(submission_id),
    reviewed_at,
  };
}

export const OptOutAnswer = answerOf(
  'OptOut',
  { source: oneOf(['uplink', 'operator'], 'Who put it on the list.'), ...created },
  ListedNumberFields,
);
