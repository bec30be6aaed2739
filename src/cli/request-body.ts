import type { Invocation, OptionSpec } from './command.js';
import { UsageError } from './failure.js';

/** An option that becomes a field of a request body. */
interface BodyField extends OptionSpec {
  /** As the wire spells it; a dot reaches into an object: `policy.submit`. */
  readonly field: string;
  readonly as: 'text' | 'words' | 'whole number' | 'flag' | 'json';
}

export type BodyFields = Readonly<Record<string, BodyField>>;

function readValue(invocation: Invocation, name: string, as: BodyField['as']): unknown {
  switch (as) {
    case 'text':
      return invocation.text(name);
    case 'words':
      return invocation.words(name);
    case 'whole number':
      return invocation.wholeNumber(name);
    case 'flag':
      return invocation.choice(name);
    case 'json':
      return parseJson(invocation.text(name), name);
  }
}

function parseJson(text: string | undefined, name: string): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${name} takes JSON, not ${text}`, `For example: --${name} '{"receipt_ms":500}'`);
  }
}

/** The fields that were given, and no others: what is left out keeps its default or its present value. */
export function readBody(invocation: Invocation, fields: BodyFields): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, { field, as }] of Object.entries(fields)) {
    const value = readValue(invocation, name, as);
    if (value === undefined) continue;
    const [outer = '', inner] = field.split('.');
    if (inner === undefined) body[outer] = value;
    else body[outer] = { ...(body[outer] as object | undefined), [inner]: value };
  }
  return body;
}

/** The same options for a change, where nothing is required. */
export function makeOptional(fields: BodyFields): BodyFields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { ...field, required: false }]));
}
