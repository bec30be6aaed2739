// OpenAPI 3.1, generated from the table of operations: the schemas shown are the ones that check.

import { type TSchema, Type } from '@sinclair/typebox';
import { rolesWith, scopeOf } from '../domain/access/permissions.js';
import { ERROR_KEYS, type ErrorKey, type ErrorParams, errorText } from '../domain/fault/error-text.js';
import { createFault, FAULT_CODES } from '../domain/fault/fault.js';
import { CSV_MEDIA_TYPE, type FileType, NDJSON_MEDIA_TYPE } from './media-type.js';
import {
  invalidRequest,
  PROBLEM_MEDIA_TYPE,
  Problem,
  type ProblemCode,
  problemCatalogue,
  renderProblem,
} from './problem/problem.js';
import { EXAMPLE_DETAILS } from './problem/problem-examples.js';
import { type FilterSchemas, pageParameters, timeParameters } from './query/list-query.js';
import type { Operation } from './route.js';
import { sampleOf } from './sample.js';

export interface ApiDescription {
  readonly operations: readonly Operation[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** `token`: in the path. */
  readonly security: 'signature' | 'bearer' | 'session' | 'token';
  /** What every operation of the API can answer. */
  readonly problems: readonly ProblemCode[];
}

export type OpenApiDocument = Readonly<Record<string, unknown>> & {
  readonly info: JsonSchema & { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: JsonSchema & { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: OpenApiContent;
}

export type OpenApiContent = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly example?: unknown; readonly examples?: unknown }>
>;

const SESSION_COOKIE = 'A session of the console. Behind TLS the name begins with `__Host-`.';

const errorTextFields = {
  key: Type.Unsafe<ErrorKey>({
    type: 'string',
    enum: [...ERROR_KEYS],
    description: 'Which sentence it is. Translate by it: keys are stable, sentences may change. More are added.',
  }),
  params: Type.Unsafe<ErrorParams>({
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    description: 'What is filled into the sentence.',
  }),
};

const FaultSchema = Type.Object(
  {
    pointer: Type.String({ description: 'A JSON pointer into the body, or `?name` for a query parameter.' }),
    code: Type.Unsafe<string>({ type: 'string', enum: [...FAULT_CODES] }),
    message: Type.String(),
    ...errorTextFields,
  },
  { $id: 'Fault', description: 'One fault of a request.' },
);

const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: '`urn:postrider:problem:<code>`' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Unsafe<string>({ type: 'string', enum: Object.keys(problemCatalogue) }),
    ...errorTextFields,
    request_id: Type.String({ description: 'The same as the header `X-Request-Id`.' }),
    errors: Type.Optional(Type.Array(FaultSchema, { description: 'Every fault of an invalid request, at most 20.' })),
  },
  { $id: 'Problem', description: 'RFC 9457.' },
);

const description = `Signed requests for customers, bearer tokens for operators; JSON both ways.

Sign \`METHOD\\nREQUEST_TARGET\\nX-Timestamp\\nhex(sha256(body))\` with HMAC-SHA256 under the API secret and send the lower-case
hex as \`X-Sign\`, with \`X-API-Key\` and \`X-Timestamp\` (milliseconds since the epoch; the clock may differ by 300 seconds).
REQUEST_TARGET is the path with its query exactly as sent. An HTTP 200 implies neither delivery nor charging: read stage,
receipts and ledger. Every answer has \`X-Request-Id\`; problems are RFC 9457. Paths answer with and without the final slash.`;

export function createOpenApi(apis: readonly ApiDescription[], version: string): OpenApiDocument {
  const components: Record<string, JsonSchema> = {};
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const api of apis) {
    for (const operation of api.operations) {
      const path = paths[operation.path] ?? {};
      path[operation.method.toLowerCase()] = describeOperation(api, operation, components);
      paths[operation.path] = path;
    }
  }
  liftSchemas(ProblemSchema, components);
  return {
    openapi: '3.1.0',
    info: { title: 'Postrider', version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: apis.flatMap((api) => api.tags),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        Timestamp: { type: 'apiKey', in: 'header', name: 'X-Timestamp', description: 'Milliseconds since the epoch.' },
        Signature: { type: 'apiKey', in: 'header', name: 'X-Sign', description: 'Lower-case hex of the HMAC-SHA256.' },
        Operator: { type: 'http', scheme: 'bearer' },
        CustomerSession: { type: 'apiKey', in: 'cookie', name: 'postrider_customer', description: SESSION_COOKIE },
        OperatorSession: { type: 'apiKey', in: 'cookie', name: 'postrider_operator', description: SESSION_COOKIE },
        CsrfToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'The `csrf_token` of `GET /auth/session`.',
        },
        View: { type: 'http', scheme: 'bearer', description: 'Of an operator who sees what a customer sees.' },
      },
    },
  };
}

function describeOperation(
  api: ApiDescription,
  operation: Operation,
  components: Record<string, JsonSchema>,
): OpenApiOperation {
  const parameters = describeParameters(operation, components);
  const { body } = operation;
  return {
    operationId: operation.name,
    tags: [operation.tag],
    summary: operation.summary,
    ...describeNeed(api, operation),
    security: describeSecurity(api, operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.optional !== true,
            content: {
              'application/json': {
                schema: liftSchemas(body.schema, components),
                example: body.example ?? sampleOf(body.schema),
              },
            },
          },
        }),
    responses: { ...describeAnswer(operation, components), ...describeProblems(problemsOf(api, operation)) },
  };
}

/** Sessions of the console act on both APIs; what customers sign, operators who view as the customer may read. */
function describeSecurity({ security }: ApiDescription, { method, isOpen }: Operation): OpenApiOperation['security'] {
  if (security === 'token' || isOpen === true) return [];
  const isChange = method !== 'GET';
  const session = (name: string) => ({ [name]: [], ...(isChange ? { CsrfToken: [] } : {}) });
  if (security === 'session') return [session('CustomerSession'), session('OperatorSession')];
  if (security === 'bearer') return [{ Operator: [] }, session('OperatorSession')];
  const signed = { ApiKey: [], Timestamp: [], Signature: [] };
  return [signed, session('CustomerSession'), ...(isChange ? [] : [{ View: [] }])];
}

/** What the caller must be allowed to, in words and for tools. */
function describeNeed(api: ApiDescription, { method, path, permission, description: said }: Operation) {
  const sentences = said === undefined ? [] : [said];
  if (api.security === 'signature') {
    const scope = scopeOf(method, path);
    return { description: [...sentences, `Takes the scope \`${scope}\`.`].join(' '), 'x-scope': scope };
  }
  if (permission === undefined) return said === undefined ? {} : { description: said };
  const roles = rolesWith(permission);
  const need = `For the role${roles.length > 1 ? 's' : ''} ${roles.map((role) => `\`${role}\``).join(', ')}.`;
  return { description: [...sentences, need].join(' '), 'x-permission': permission, 'x-roles': roles };
}

function describeParameters(operation: Operation, components: Record<string, JsonSchema>): OpenApiParameter[] {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): OpenApiParameter => {
    const schema = operation.params?.[name] ?? Type.String();
    return describeParameter(name, 'path', true, schema, components);
  });
  const query = operation.list === undefined ? (operation.query ?? {}) : queryOf(operation.list);
  const needed = new Set(operation.list?.needed);
  return [
    ...inPath,
    ...Object.entries(query).map(([name, schema]) =>
      describeParameter(name, 'query', needed.has(name), schema, components),
    ),
  ];
}

function queryOf({ filters, timed }: NonNullable<Operation['list']>): FilterSchemas {
  return { ...filters, ...(timed ? timeParameters : {}), ...pageParameters };
}

function describeParameter(
  name: string,
  place: 'path' | 'query',
  required: boolean,
  schema: TSchema,
  components: Record<string, JsonSchema>,
): OpenApiParameter {
  const { description: said, ...rest } = liftSchemas(schema, components);
  return {
    name,
    in: place,
    required,
    ...(typeof said === 'string' ? { description: said } : {}),
    schema: rest,
  };
}

function describeAnswer(
  { answer, files }: Operation,
  components: Record<string, JsonSchema>,
): Record<string, OpenApiResponse> {
  const headers = Object.entries({ 'X-Request-Id': 'Names this request in our logs.', ...answer.headers }).map(
    ([name, said]) => [name, { description: said, schema: { type: 'string' } }] as const,
  );
  return {
    [answer.status]: {
      description: answer.description,
      headers: Object.fromEntries(headers),
      ...(answer.schema === undefined
        ? {}
        : {
            content: {
              'application/json': {
                schema: liftSchemas(answer.schema, components),
                example: answer.example ?? sampleOf(answer.schema),
              },
              ...(files === undefined ? {} : describeFiles(files)),
            },
          }),
    },
  };
}

function describeFiles({ types, columns, description: said }: NonNullable<Operation['files']>): OpenApiContent {
  const shapes: Record<FileType, string> = {
    [CSV_MEDIA_TYPE]: `Columns: ${columns.map((column) => `\`${column}\``).join(', ')}.`,
    [NDJSON_MEDIA_TYPE]: 'One item a line, with its `cursor`.',
  };
  return Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', description: `${said} ${shapes[type]}` } }]),
  );
}

/** Those every operation of the API has, its own, and those that follow from its body and parameters. */
export function problemsOf(api: ApiDescription, operation: Operation): ProblemCode[] {
  const codes = new Set<ProblemCode>([...api.problems, ...operation.problems, 'invalid_request']);
  if (operation.list !== undefined) codes.add('page_too_deep');
  if (operation.body !== undefined) {
    for (const code of ['malformed_json', 'payload_too_large', 'unsupported_media_type'] as const) codes.add(code);
  }
  if (operation.path.includes('{')) codes.add('not_found');
  return [...codes];
}

function describeProblems(codes: readonly ProblemCode[]): Record<string, OpenApiResponse> {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = problemCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, own]): [string, OpenApiResponse] => [
    String(status),
    {
      description: own.map((code) => `\`${code}\``).join(', '),
      content: {
        [PROBLEM_MEDIA_TYPE]: {
          schema: { $ref: '#/components/schemas/Problem' },
          examples: Object.fromEntries(own.map((code) => [code, { value: exampleOf(code) }])),
        },
      },
    },
  ]);
  return Object.fromEntries(responses);
}

function exampleOf(code: ProblemCode): Record<string, unknown> {
  const errors = [createFault('/client_request_id', 'too_long', errorText('too_long', { count: 65, max: 64 }))];
  const problem = code === 'invalid_request' ? invalidRequest(errors) : new Problem(code, EXAMPLE_DETAILS[code]);
  return renderProblem(problem, '5b0c8a52-7a0e-4f3c-9d0c-0b8d7f6f2a11');
}

/** A plain copy in which schemas that have a name are moved to the components and referred to. */
function liftSchemas(schema: unknown, components: Record<string, JsonSchema>): JsonSchema {
  return lift(schema, components) as JsonSchema;
}

function lift(value: unknown, components: Record<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((member) => lift(member, components));
  if (typeof value !== 'object' || value === null) return value;
  const { $id, ...members } = value as Record<string, unknown>;
  const copy = Object.fromEntries(
    Object.entries(members).map(([key, member]) => [
      key,
      // Examples are data that may look like schemas.
      key === 'examples' || key === 'default' || key === 'enum' ? member : lift(member, components),
    ]),
  );
  if (typeof $id !== 'string') return copy;
  components[$id] = copy;
  return { $ref: `#/components/schemas/${$id}` };
}
