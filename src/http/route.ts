// One table of operations serves both ends: the server registers it, and the API reference is generated from it.

import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { containsNumber } from '../domain/access/mask.js';
import type { Permission } from '../domain/access/permissions.js';
import { type ErrorText, errorText } from '../domain/fault/error-text.js';
import { slicer } from '../pipeline/fairness/slicer.js';
import type { Sealer } from '../store/secrets/seal.js';
import { MAX_SMALL_BYTES, parseJsonBody, parseJsonInSteps } from './body/json-body.js';
import { createMaskedSearches } from './masked-searches.js';
import { markMasked, showTo } from './masking.js';
import { type AnswerType, chooseAnswerType, type FileType, requireJsonBody, requireMediaType } from './media-type.js';
import { Problem, type ProblemCode } from './problem/problem.js';
import { rateLimited } from './problem/rate-limited.js';
import { FailedWrite } from './problem/uncertain-write.js';
import { type Cursors, createCursors } from './query/cursor.js';
import type { FilterSchemas, ListDefinition } from './query/list-query.js';
import { parseQueryString } from './query/query-string.js';

/** Passed to every handler. */
export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Path and query exactly as on the request line. */
  readonly requestTarget: string;
  /** Of the lists that this call may ask for. */
  readonly cursors: Cursors;
  /** Chosen by the Accept header among the types that the operation offers. */
  readonly answerType: AnswerType;
  readonly params: Readonly<Record<string, string>>;
  /** Undefined if the operation takes no body, or an optional body is absent. */
  readonly body: unknown;
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The full path as OpenAPI writes it: `/openapi/v1/messages/tasks/{task_no}/`. */
  readonly path: string;
  /** In camelCase, unique over both APIs. */
  readonly name: string;
  readonly tag: string;
  /** The permission that an operator needs. */
  readonly permission?: Permission;
  /** Needs no credentials, unlike the other operations of its API. */
  readonly isOpen?: true;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Readonly<Record<string, TSchema>>;
  readonly list?: ListDefinition<FilterSchemas, string>;
  /** Query parameters, if the operation is not a list. */
  readonly query?: FilterSchemas;
  readonly body?: { readonly schema: TSchema; readonly example?: unknown; readonly optional?: boolean };
  readonly answer: {
    readonly status: 200 | 201 | 202 | 204;
    readonly description: string;
    readonly schema?: TSchema;
    readonly example?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Set if the answer is also available as a file. */
  readonly files?: {
    readonly types: readonly FileType[];
    /** The columns of the CSV, in order. */
    readonly columns: readonly string[];
    /** What the file contains, for the API reference. */
    readonly description: string;
  };
  /** In addition to those that every operation of its API can return. */
  readonly problems: readonly ProblemCode[];
}

/** The value returned by `handle` is sent as JSON with the status of the operation's answer, a stream as it is. */
export interface Route<Context extends Call> extends Operation {
  readonly handle: (context: Context) => Promise<unknown>;
  /** For a write: tells the caller how to check whether it took effect when its answer is lost. */
  readonly adviseOnLostAnswer?: (context: Context) => ErrorText;
  /** A POST that only reads: a lost answer leaves nothing uncertain. */
  readonly changesNothing?: true;
}

interface AdmittedCaller {
  readonly rawBody: Buffer;
  /** As the audit log names it. */
  readonly actor?: string;
  /** Sees phone numbers as `138****9001`. */
  readonly isMasked?: boolean;
}

/**
 * Registers the routes. `admit` authenticates a request, reads its raw body and returns what its handler gets besides the call.
 * Other methods on a known path are answered with 405 and the allowed methods.
 */
export function registerRoutes<Context extends Call, Admitted extends AdmittedCaller>(
  app: FastifyInstance,
  routes: readonly Route<Context>[],
  options: {
    readonly admit: (request: FastifyRequest, reply: FastifyReply, operation: Operation) => Promise<Admitted>;
    readonly contextOf: (call: Call, admitted: Admitted) => Context;
    /** The owner whose share of processor time the parsing of a large body uses. */
    readonly ownerOf: (admitted: Admitted) => string;
    readonly sealer: Pick<Sealer, 'deriveKeys'>;
  },
): void {
  const cursors = createCursors(options.sealer);
  const maskedSearches = createMaskedSearches(() => performance.now());
  const serve = async (route: Route<Context>, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const admitted = await options.admit(request, reply, route);
    if (admitted.isMasked === true) {
      markMasked(request);
      for (const number of numbersAskedFor(request)) maskedSearches.note(admitted.actor ?? '', number);
    }
    if (route.method !== 'GET') requireMediaType(request.headers);
    const call: Call = {
      request,
      reply,
      requestTarget: requestTargetOf(request),
      cursors,
      answerType: chooseAnswerType(request.headers, route.files?.types ?? []),
      params: request.params as Record<string, string>,
      body: await readJson(route, request, admitted.rawBody, options.ownerOf(admitted)),
    };
    const answer = await handle(route, options.contextOf(call, admitted));
    // A redirect is sent by its handler.
    if (reply.sent) return;
    // The one place where answers are written. A stream masks its rows itself.
    reply.code(route.answer.status).send(isEmpty(route.answer.status) ? undefined : showTo(request, answer));
  };
  for (const route of routes) {
    app.route({
      // The whole request is served in this hook, before the framework parses the body or checks its type: an unauthenticated caller
      // learns nothing else, and each further step of the framework would cost every request.
      onRequest: (request, reply, done) => void serve(route, request, reply).catch(done),
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      url: toRouterPath(route.path),
      handler: () => {
        throw new Error('the framework handled a request that was answered already');
      },
    });
  }
  registerOtherMethods(app, routes);
}

function isEmpty(status: Operation['answer']['status']): boolean {
  return status === 202 || status === 204;
}

async function handle<Context extends Call>(route: Route<Context>, context: Context): Promise<unknown> {
  try {
    return await route.handle(context);
  } catch (error) {
    if (route.method === 'GET' || route.changesNothing || error instanceof Problem) throw error;
    throw new FailedWrite(error, route.adviseOnLostAnswer?.(context) ?? errorText('outcome_unknown'));
  }
}

/** Path and query exactly as on the request line: the router's view of it has been decoded. */
export function requestTargetOf(request: FastifyRequest): string {
  return request.raw.url ?? '';
}

/** What a request looks for by its path or by a filter: phones, and identifiers that contain one. */
function numbersAskedFor(request: FastifyRequest): readonly string[] {
  const { values } = parseQueryString(requestTargetOf(request));
  const asked = [...Object.entries(request.params as Record<string, string>), ...values];
  return asked.filter(([name, text]) => name === 'phone' || containsNumber(text)).map(([, text]) => text);
}

async function readJson(route: Operation, request: FastifyRequest, rawBody: Buffer, owner: string): Promise<unknown> {
  if (route.body === undefined) return undefined;
  if (rawBody.length === 0 && route.body.optional === true) return undefined;
  requireJsonBody(request.headers);
  if (rawBody.length <= MAX_SMALL_BYTES) return parseJsonBody(rawBody);
  requireRoom(owner);
  return await slicer.run(owner, parseJsonInSteps(rawBody));
}

/** Long computations of one caller that may wait at a time; more would only keep memory and requests in flight. */
const MAX_WAITING = 32;

/** Called before a request starts a long computation. */
export function requireRoom(owner: string): void {
  if (slicer.waiting(owner) < MAX_WAITING) return;
  const quota = { name: 'large requests', count: MAX_WAITING };
  throw rateLimited(errorText('large_requests_waiting', { max: MAX_WAITING }), quota, 1);
}

/** Also used for operations outside the two APIs, such as health. */
export function registerOtherMethods(
  app: FastifyInstance,
  operations: readonly { readonly method: string; readonly path: string }[],
): void {
  const allowed = new Map<string, Set<string>>();
  for (const { method, path } of operations) {
    const url = toRouterPath(path);
    const methods = allowed.get(url) ?? new Set(['OPTIONS']);
    methods.add(method);
    if (method === 'GET') methods.add('HEAD');
    allowed.set(url, methods);
  }
  for (const [url, methods] of allowed) {
    const allow = [...methods].sort().join(', ');
    app.route({ method: 'OPTIONS', url, handler: (_, reply) => reply.code(204).header('allow', allow).send() });
    const others = app.supportedMethods.filter((method) => !methods.has(method));
    app.route({
      method: others,
      url,
      handler: async () => {
        throw new Problem('method_not_allowed', errorText('method_not_allowed', { methods: allow }), {
          headers: { allow },
        });
      },
    });
  }
}

/** Paths answer with and without the final slash: the router ignores it, and two spellings must not be registered. */
function toRouterPath(path: string): string {
  const bare = path.length > 1 ? path.replace(/\/$/, '') : path;
  return bare.replaceAll(/\{(\w+)\}/g, ':$1');
}
