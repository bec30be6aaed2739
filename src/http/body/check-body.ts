import type { Static, TSchema } from '@sinclair/typebox';
import { type CheckOptions, checkFields } from '../../domain/request/check-fields.js';
import { invalidRequest } from '../problem/problem.js';

/** The one way to check a body by its schema. Throws a Problem that names every fault. */
export function checkBody<Schema extends TSchema>(
  schema: Schema,
  body: unknown,
  options: CheckOptions<Static<Schema>>,
): Static<Schema> {
  const checked = checkFields(schema, body, options);
  if (checked.faults !== undefined) throw invalidRequest(checked.faults);
  return checked.value;
}
