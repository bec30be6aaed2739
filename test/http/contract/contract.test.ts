// What was promised, against what the API reference says: it is made of the schemas that check requests, and answers are held
// to it elsewhere.

import { describe, expect, it } from 'vitest';
import { SimulatorConfigSchema } from '../../../src/channels/simulator/config.js';
import { SmppConfigSchema } from '../../../src/channels/smpp/config.js';
import { createCustomerApi } from '../../../src/http/customer/api.js';
import { createOpenApi, type JsonSchema, type OpenApiOperation } from '../../../src/http/openapi.js';
import { createOperatorApi } from '../../../src/http/operator/routes.js';
import { problemCatalogue } from '../../../src/http/problem/problem.js';
import {
  customerCalls,
  lists,
  operatorCalls,
  parts,
  problems,
  simulatorDefaults,
  smppDefaults,
  words,
} from './tables.js';

// What the operations do is not wanted here, only what they look like, and that needs none of their dependencies.
const nothing = {} as never;
const document = createOpenApi([createCustomerApi(nothing), createOperatorApi(nothing)], 'test');

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

const split = (names: string): string[] => names.split(/\s+/).filter((name) => name !== '');
const sorted = (names: Iterable<string>): string[] => [...names].sort();

/** What a schema is about: through references, lists, and what may be null as well. */
function resolve(schema: Schema | JsonSchema | undefined): Schema {
  const { $ref, items, anyOf, ...own } = (schema ?? {}) as Schema;
  if ($ref !== undefined) return resolve(document.components.schemas[$ref.split('/').at(-1) ?? '']);
  if (items !== undefined) return resolve(items);
  const other = anyOf?.find((variant) => variant.type !== 'null');
  return other === undefined ? own : resolve(other);
}

function fieldAt(place: string): Schema | undefined {
  const [name = '', field = ''] = place.split('/');
  return resolve(document.components.schemas[name]).properties?.[field];
}

function findOperation(call: string): OpenApiOperation {
  const [method = '', path = ''] = call.split(' ');
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The reference has no ${call}`);
  return operation;
}

const fieldsOf = (schema: Schema): string[] => Object.keys(schema.properties ?? {});

function bodyOf({ requestBody }: OpenApiOperation): Schema {
  return resolve(requestBody?.content['application/json']?.schema);
}

/** The answer, or one item of it where it is a list. */
function answerOf(operation: OpenApiOperation): Schema {
  const [, good] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
  const answer = resolve(good?.content?.['application/json']?.schema);
  return answer.properties?.items === undefined ? answer : resolve(answer.properties.items);
}

function queryOf({ parameters = [] }: OpenApiOperation): Map<string, Schema> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return new Map(inQuery.map(({ name, schema }) => [name, schema as Schema]));
}

describe('lists', () => {
  it.each(Object.entries(lists))('%s has its filters and the fields of its items', (path, { filters, item, timed }) => {
    const operation = findOperation(`GET ${path}`);
    const times = timed ? ['start_at', 'end_at'] : [];
    const expected = [...split(filters), ...times, 'page', 'page_size', 'cursor'];
    expect(sorted(queryOf(operation).keys())).toEqual(sorted(expected));
    expect(sorted(fieldsOf(answerOf(operation)))).toEqual(sorted(split(item)));
  });

  it.each(Object.keys(lists))('%s comes in the envelope, by pages and as a file', (path) => {
    const operation = findOperation(`GET ${path}`);
    const content = operation.responses['200']?.content ?? {};
    const envelope = ['items', 'page', 'page_size', 'total', 'total_is_exact', 'next_cursor'];
    expect(sorted(fieldsOf(resolve(content['application/json']?.schema)))).toEqual(sorted(envelope));
    expect(Object.keys(content)).toEqual(['application/json', 'text/csv', 'application/x-ndjson']);
    expect(queryOf(operation).get('page_size')).toMatchObject({ default: 20, maximum: 100 });
    expect(operation.responses['400']?.description).toContain('page_too_deep');
  });
});

describe('calls', () => {
  const below = operatorCalls.map(
    ([call, body, answer]) => [call.replace(' ', ' /operator/v1/'), body, answer] as const,
  );
  it.each([...customerCalls, ...below])('%s takes and answers what was promised', (call, body, answer) => {
    const operation = findOperation(call);
    expect(fieldsOf(bodyOf(operation))).toEqual(expect.arrayContaining(split(body)));
    expect(fieldsOf(answerOf(operation))).toEqual(expect.arrayContaining(split(answer)));
  });

  it('a send takes no field beside those', () => {
    const [, body] = customerCalls.find(([call]) => call === 'POST /openapi/v1/messages/send/') ?? ['', ''];
    expect(sorted(fieldsOf(bodyOf(findOperation('POST /openapi/v1/messages/send/'))))).toEqual(sorted(split(body)));
  });

  it('a send has its limits and defaults', () => {
    const { properties = {}, required } = bodyOf(findOperation('POST /openapi/v1/messages/send/'));
    expect(required).toEqual(['template_no']);
    expect(properties.phones).toMatchObject({ type: 'array', minItems: 1, maxItems: 5000 });
    expect(properties.recipients).toMatchObject({ type: 'array', minItems: 1, maxItems: 5000 });
    expect(sorted(fieldsOf(resolve(properties.recipients)))).toEqual(['phone', 'variable_values']);
    expect(resolve(properties.phones).maxLength).toBe(32);
    for (const id of ['client_request_id', 'batch_id']) {
      expect(properties[id]).toMatchObject({ minLength: 1, maxLength: 64 });
    }
    const flags = ['auto_prepare', 'auto_freeze', 'auto_submit'].map((flag) => properties[flag]?.default);
    expect(flags).toEqual([true, false, false]);
  });

  it('a customer has requests_per_second of 1,000 unless said otherwise', () => {
    const { properties = {}, required } = bodyOf(findOperation('POST /operator/v1/customers'));
    expect(properties.requests_per_second?.default).toBe(1000);
    expect(sorted(required ?? [])).toEqual(['name', 'unit_price']);
    expect(sorted(fieldsOf(resolve(properties.policy)))).toEqual(['freeze', 'prepare', 'submit']);
  });
});

describe('parts of answers', () => {
  it.each(parts)('%s has its fields', (place, fields) => {
    expect(sorted(fieldsOf(resolve(fieldAt(place))))).toEqual(sorted(split(fields)));
  });

  it.each(words)('%s is one of its words', (place, expected) => {
    expect(sorted(resolve(fieldAt(place)).enum ?? [])).toEqual(sorted(split(expected)));
  });
});

describe('the configuration of a channel', () => {
  const defaultsOf = (schema: Schema) =>
    Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, field.default]));

  it('of the simulator has its fields and their defaults', () => {
    expect(defaultsOf(SimulatorConfigSchema)).toEqual(simulatorDefaults);
  });

  it('of SMPP has what is required and the promised defaults', () => {
    const required = ['host', 'port', 'system_id', 'password'];
    const undefaulted = SmppConfigSchema.required.filter((name) => defaultsOf(SmppConfigSchema)[name] === undefined);
    expect(sorted(undefaulted)).toEqual(sorted(required));
    expect(defaultsOf(SmppConfigSchema)).toMatchObject(smppDefaults);
  });
});

describe('problems', () => {
  it('have the promised codes under their status, and no others', () => {
    const known: Record<number, string[]> = {};
    for (const [code, { status }] of Object.entries(problemCatalogue)) {
      known[status] = sorted([...(known[status] ?? []), code]);
    }
    const promised = Object.entries(problems).map(([status, codes]) => [status, sorted(split(codes))]);
    expect(known).toEqual(Object.fromEntries(promised));
  });

  it('of a send are all that can befall it', () => {
    const { responses } = findOperation('POST /openapi/v1/messages/send/');
    const codes = Object.values(responses).flatMap(({ description }) => description.match(/(?<=`)\w+(?=`)/g) ?? []);
    const others = [
      'not_found',
      'method_not_allowed',
      'page_too_deep',
      'invalid_stage',
      'insufficient_funds',
      'already_exists',
      'last_admin',
    ];
    const promised = Object.values(problems).flatMap(split);
    expect(sorted(codes)).toEqual(sorted(promised.filter((code) => !others.includes(code))));
  });
});
