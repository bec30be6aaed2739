// The customer API as the SDKs are generated from it: types, filters and methods, in no language yet. It follows from the
// table of operations, like the TypeScript client (test/client).

import { WEBHOOK_MESSAGES } from '../../src/domain/entities/webhook-events.js';
import type { Operation } from '../../src/http/route.js';
import { FIELD_ARGUMENTS, FILTER_TYPES, methodOf, ONCE, REPEATABLE, SHARED_BODIES } from '../client/method-names.js';
import {
  AMOUNT_PATTERN,
  descriptionOf,
  findNamed,
  isSchema,
  listSchemas,
  propertiesOf,
  requiredOf,
  type Schema,
  withoutNull,
} from '../client/schema-to-type.js';
import { ANSWER_NAMES, BODY_NAMES } from '../client/wire-names.js';
import { bodies, customerApi, customerDocument, customerOperations, namedParts } from '../client/wire-types.js';

export type FieldType =
  /** `decimal` is an amount, as text on the wire. `time` is RFC 3339 on the wire, and a caller may give epoch milliseconds too. */
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'decimal' | 'time' | 'any' }
  | { readonly kind: 'enum' | 'record'; readonly name: string }
  | { readonly kind: 'list'; readonly of: FieldType }
  /** By text. `keys` is the enum that its keys are from, where there is one. */
  | { readonly kind: 'map'; readonly keys: string | null; readonly of: FieldType }
  /** One of several: of `variable_values` a map or a list, of its values text or a number. */
  | { readonly kind: 'either'; readonly of: readonly FieldType[] };

export interface Field {
  /** As it travels. */
  readonly name: string;
  readonly type: FieldType;
  readonly isNullable: boolean;
  /** Always there in an answer; must be given in a request. */
  readonly isRequired: boolean;
  readonly description: string | undefined;
}

/** Words; a later service may add some, so an SDK keeps those that it does not know. */
export interface Enum {
  readonly name: string;
  readonly words: readonly string[];
}

/** An object with known fields; a later service may add some, which an SDK ignores. */
export interface Model {
  readonly name: string;
  readonly description: string | undefined;
  readonly fields: readonly Field[];
  /** The caller gives it; the service answers all others. */
  readonly isGiven: boolean;
}

export interface Body extends Model {
  /** The request may go without a body. */
  readonly isOptional: boolean;
  /** Its one field is better given as an argument. */
  readonly isArgument: boolean;
}

export interface Method {
  /** In camelCase, as the TypeScript client calls it. */
  readonly name: string;
  /** The name in the table of operations, which is `operationId` in the OpenAPI document. */
  readonly operation: string;
  readonly http: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its parameters in braces. */
  readonly path: string;
  readonly pathParameters: readonly { readonly name: string; readonly type: 'text' | 'integer' }[];
  /**
   * `list`: pages, cursors, and files where `hasFiles`. `query`: a GET with filters. `call`: anything else. `send`: the
   * send, which the core repeats in its own way.
   */
  readonly kind: 'list' | 'query' | 'call' | 'send';
  readonly hasFiles: boolean;
  /** The type of its filters; null where there are none. */
  readonly filters: string | null;
  readonly body: Body | null;
  /** The model that is answered; of a list, that of its items. */
  readonly answer: string;
  /** It changes nothing the second time, and is retried like a query. All others only where they certainly did nothing. */
  readonly isRepeatable: boolean;
  /** In whole sentences. */
  readonly description: string;
}

/** Filters of a list or a query, with `start_at` and `end_at` where it has times; `page_size` and positions are not among them. */
export interface Filters {
  readonly name: string;
  readonly fields: readonly Field[];
}

export interface ApiModel {
  /** For the first line of every generated file, as a comment. */
  readonly header: string;
  readonly enums: readonly Enum[];
  readonly models: readonly Model[];
  readonly bodies: readonly Body[];
  readonly filters: readonly Filters[];
  readonly methods: readonly Method[];
  /** What a webhook receives: the `type` of the message, and the model of its `data`. */
  readonly webhookMessages: readonly { readonly type: string; readonly data: string }[];
}

/** Methods whose operation has another name, beside those that `methodOf` knows. */
const METHOD_NAMES: Readonly<Record<string, string>> = { sendMessages: 'send', previewMessages: 'preview' };
const MOVES = ['prepare', 'freeze', 'submit', 'cancel', 'pause', 'resume'];
/** Writes that the TypeScript client repeats in methods of its own. */
const MORE_REPEATABLE = new Set(['previewMessages', ...MOVES.flatMap((move) => [`${move}Task`, `${move}Batch`])]);
const TIMES = ['start_at', 'end_at'];

class Collector {
  readonly enums = new Map<string, Enum>();
  readonly models = new Map<string, Model>();

  typeOf(schema: unknown, isGiven: boolean, place: string): FieldType {
    if (!isSchema(schema)) return { kind: 'any' };
    const named = findNamed(schema, { isGiven, named: namedParts, hasComments: false });
    if (named !== undefined) return this.nameShape(named.name, named.schema, isGiven);
    return this.shapeOf(schema, isGiven, place);
  }

  /** Words and fields get the name; other shapes are spelled out where they are. */
  private nameShape(name: string, schema: Schema, isGiven: boolean): FieldType {
    if (Array.isArray(schema.enum) || propertiesOf(schema).length > 0) return this.declare(name, schema, isGiven);
    return this.shapeOf(schema, isGiven, name);
  }

  private declare(name: string, schema: Schema, isGiven: boolean): FieldType {
    const keyed = Array.isArray(schema.enum) ? undefined : this.keyedOf(schema, isGiven, name);
    if (keyed !== undefined) return keyed;
    if (Array.isArray(schema.enum)) {
      this.enums.set(name, { name, words: schema.enum.map(String) });
      return { kind: 'enum', name };
    }
    this.addModel(name, schema, isGiven);
    return { kind: 'record', name };
  }

  addModel(name: string, schema: Schema, isGiven: boolean): void {
    if (this.models.has(name)) return;
    // The place is taken before the fields are looked at: a model may hold itself.
    const model = { name, description: descriptionOf(schema), isGiven, fields: [] as Field[] };
    this.models.set(name, model);
    model.fields.push(...this.fieldsOf(schema, isGiven, name));
  }

  fieldsOf(schema: Schema, isGiven: boolean, owner: string): Field[] {
    const required = requiredOf(schema);
    return propertiesOf(schema).map(([name, member]) => ({
      name,
      type: isGivenTime(name, member, isGiven)
        ? { kind: 'time' }
        : this.typeOf(withoutNull(member), isGiven, owner + toPascalCase(name)),
      isNullable: withoutNull(member) !== member || listTypes(member).includes('null'),
      isRequired: required.includes(name),
      description: descriptionOf(member),
    }));
  }

  private shapeOf(schema: Schema, isGiven: boolean, place: string): FieldType {
    if (typeof schema.$ref === 'string') {
      const name = schema.$ref.replace('#/components/schemas/', '');
      return this.declare(ANSWER_NAMES[name] ?? name, customerDocument.components.schemas[name] ?? {}, false);
    }
    if (Array.isArray(schema.enum)) return this.declare(place, schema, isGiven);
    if (schema.const !== undefined) return this.declare(place, { enum: [schema.const] }, isGiven);
    const choices = listSchemas(schema.anyOf);
    if (choices.length > 0 && schema.type === undefined) return this.eitherOf(choices, isGiven, place);
    switch (schema.type) {
      case 'string':
        return textOf(schema);
      case 'boolean':
        return { kind: 'boolean' };
      case 'integer':
      case 'number':
        return { kind: schema.type };
      case 'array':
        return { kind: 'list', of: this.typeOf(schema.items, isGiven, toSingular(place)) };
      case 'object':
        return propertiesOf(schema).length === 0
          ? this.mapOf(schema, isGiven, place)
          : this.declare(place, schema, isGiven);
      default:
        return { kind: 'any' };
    }
  }

  private eitherOf(choices: readonly Schema[], isGiven: boolean, place: string): FieldType {
    const types = choices.map((choice) => this.typeOf(choice, isGiven, place));
    const different = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
    const [first] = different;
    return different.length === 1 && first !== undefined ? first : { kind: 'either', of: different };
  }

  private mapOf(schema: Schema, isGiven: boolean, place: string): FieldType {
    const patterns = isSchema(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
    const values = [...patterns, ...(isSchema(schema.additionalProperties) ? [schema.additionalProperties] : [])];
    const of = values.length === 0 ? ({ kind: 'any' } as const) : this.typeOf(values[0], isGiven, place);
    return { kind: 'map', keys: null, of };
  }

  /** One value for each of the words of an enum that has a name. */
  private keyedOf(schema: Schema, isGiven: boolean, place: string): FieldType | undefined {
    const properties = propertiesOf(schema);
    const keys = JSON.stringify(properties.map(([name]) => name));
    const words = namedParts.find((one) => JSON.stringify(one.schema.enum) === keys);
    if (words === undefined) return undefined;
    this.typeOf(words.schema, isGiven, words.name);
    const types = properties.map(([, member]) => this.typeOf(member, isGiven, toSingular(place)));
    const [of] = types;
    if (of === undefined || new Set(types.map((type) => JSON.stringify(type))).size > 1) return undefined;
    return { kind: 'map', keys: words.name, of };
  }
}

/** Times that callers may give in several spellings have no format in their schema. */
function isGivenTime(name: string, { enum: words }: Schema, isGiven: boolean): boolean {
  return isGiven && words === undefined && (name.endsWith('_at') || name === 'from');
}

function textOf({ format, pattern }: Schema): FieldType {
  if (pattern === AMOUNT_PATTERN || String(format).endsWith('amount')) return { kind: 'decimal' };
  return { kind: format === 'date-time' ? 'time' : 'text' };
}

function listTypes({ type, anyOf }: Schema): unknown[] {
  return [type, ...listSchemas(anyOf).map((one) => one.type)];
}

export function toPascalCase(name: string): string {
  return name
    .replace(/^./, (letter) => letter.toUpperCase())
    .replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function toCamelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');
}

function toSingular(name: string): string {
  return name.replace(/(?<!s)s$/, '');
}

export function createApiModel(): ApiModel {
  const collector = new Collector();
  // Problems are read by the core; their words are generated all the same.
  for (const name of ['Problem', 'Fault']) collector.typeOf({ $ref: `#/components/schemas/${name}` }, false, name);
  const filters = new Map<string, Filters>();
  const methods = customerApi.operations.map((operation): Method => {
    const list = describeFilters(collector, operation);
    if (list !== null) filters.set(list.name, list);
    return describeMethod(collector, operation, list);
  });
  const given = methods.flatMap(({ body }) => (body === null ? [] : [body]));
  const bodiesByName = new Map(given.map((body) => [body.name, body]));
  for (const extra of describeMessages()) collector.models.set(extra.name, extra);
  return {
    header: 'Generated by `npm run generate`. Do not edit.',
    enums: [...collector.enums.values()],
    models: [...collector.models.values()],
    bodies: [...bodiesByName.values()],
    filters: [...filters.values()],
    methods,
    webhookMessages: Object.entries(WEBHOOK_MESSAGES).map(([type, { name, isList }]) => ({
      type,
      data: isList === true ? `${name}Items` : name,
    })),
  };
}

function describeFilters(collector: Collector, operation: Operation): Filters | null {
  const { list, query } = operation;
  const schemas = { ...(list?.filters ?? query ?? {}) };
  const own = Object.entries(schemas).filter(([name]) => !TIMES.includes(name));
  const isTimed = list === undefined ? TIMES.some((name) => name in schemas) : list.timed;
  if (own.length === 0 && !isTimed) return null;
  const name = FILTER_TYPES[operation.name];
  if (name === undefined) throw new Error(`The filters of ${operation.name} have no name`);
  const required = (list?.needed ?? []) as readonly string[];
  const fields = collector.fieldsOf(
    { properties: Object.fromEntries(own), required },
    true,
    name.replace('Filters', ''),
  );
  return { name, fields: isTimed ? [...fields, ...TIME_FIELDS] : fields };
}

const TIME_FIELDS: readonly Field[] = [
  { name: 'start_at', description: 'Inclusive.' },
  { name: 'end_at', description: 'Exclusive.' },
].map((field) => ({ ...field, type: { kind: 'time' }, isNullable: false, isRequired: false }));

function describeMethod(collector: Collector, operation: Operation, filters: Filters | null): Method {
  const { name, method: http, path, list, files, query, summary, description: more } = operation;
  const answered = customerOperations.find(({ operationId }) => operationId === name)?.responses[
    operation.answer.status
  ];
  const schema = answered?.content?.['application/json']?.schema;
  const item = list === undefined ? schema : findItem(schema);
  const answer = collector.typeOf(item, false, toPascalCase(methodOf(name)));
  if (answer.kind !== 'record') throw new Error(`The answer of ${name} has no name`);
  const sentences = [summary, more].filter((part) => part !== undefined).join('. ');
  return {
    name: METHOD_NAMES[name] ?? methodOf(name),
    operation: name,
    http,
    path,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => ({
      name: parameter,
      type: parameter === 'id' ? 'integer' : 'text',
    })),
    kind: name === 'sendMessages' ? 'send' : list !== undefined ? 'list' : query !== undefined ? 'query' : 'call',
    hasFiles: files !== undefined && list !== undefined,
    filters: filters?.name ?? null,
    body: describeBody(collector, operation),
    answer: answer.name,
    isRepeatable: http === 'POST' ? REPEATABLE.has(name) || MORE_REPEATABLE.has(name) : !ONCE.has(name),
    description: sentences.endsWith('.') ? sentences : `${sentences}.`,
  };
}

function findItem(schema: Schema | undefined): unknown {
  const items = propertiesOf(schema ?? {}).find(([name]) => name === 'items')?.[1];
  return items?.items;
}

function describeBody(collector: Collector, { name, body }: Operation): Body | null {
  if (body === undefined) return null;
  const schema = customerOperations.find(({ operationId }) => operationId === name)?.requestBody?.content[
    'application/json'
  ]?.schema;
  if (schema === undefined) throw new Error(`The operation ${name} has no body`);
  const type = bodyNameOf(name);
  // Moves accept an empty object, for tools that always send one.
  if (propertiesOf(schema).length === 0) return null;
  return {
    name: type,
    description: descriptionOf(schema),
    isGiven: true,
    isOptional: body.optional === true,
    isArgument: FIELD_ARGUMENTS[name] !== undefined,
    fields: collector.fieldsOf(schema, true, type),
  };
}

function bodyNameOf(operation: string): string {
  const own = (BODY_NAMES as Readonly<Record<string, string>>)[operation] ?? SHARED_BODIES[operation];
  if (operation === 'sendMessages' || operation === 'previewMessages') return 'SendRequest';
  if (own !== undefined && bodies.some(({ name }) => name === own)) return own;
  const noun = /^update(\w+)$/.exec(methodOf(operation))?.[1];
  return noun === undefined ? `${toPascalCase(methodOf(operation))}Request` : `${noun}Change`;
}

/** Data of messages that no operation answers. Its words are texts: a later service may add some. */
function describeMessages(): Model[] {
  const all = Object.values(WEBHOOK_MESSAGES);
  const described = all.flatMap(({ name, schema }) =>
    schema === undefined
      ? []
      : [{ name, description: descriptionOf(schema), isGiven: false, fields: textsOf(schema, name) }],
  );
  const lists = all.flatMap(({ name, isList }) =>
    isList === true ? [{ name: `${name}Items`, description: undefined, isGiven: false, fields: [itemsOf(name)] }] : [],
  );
  return [...described, ...lists];
}

function textsOf(schema: Schema, name: string): Field[] {
  const fields = new Collector().fieldsOf(schema, false, name);
  return fields.map((field) => (field.type.kind === 'enum' ? { ...field, type: { kind: 'text' } } : field));
}

function itemsOf(name: string): Field {
  const type: FieldType = { kind: 'list', of: { kind: 'record', name } };
  return { name: 'items', type, isNullable: false, isRequired: true, description: undefined };
}
