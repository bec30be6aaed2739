// The HTTP server: what holds for every request, whichever API it is for.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Registry } from 'prom-client';
import { type NetworkList, NO_NETWORKS } from '../domain/access/network-list.js';
import { errorText } from '../domain/fault/error-text.js';
import type { Api } from './api.js';
import { createBodies } from './body/bodies.js';
import type { BodyBudgetLimits } from './body/body-budget.js';
import { answerClientError } from './client-error.js';
import { registerConsole } from './console/console.js';
import { type DocsOptions, registerDocs } from './docs/docs.js';
import { createErrorHandler } from './error-handler.js';
import { HEALTH_PATHS, measureRequests, registerHealth } from './health.js';
import { onceOver } from './once-over.js';
import { createOpenApi } from './openapi.js';
import { notFound, sendProblem, unavailable } from './problem/problem.js';
import { COMMON_HEADERS, forbidFraming, validateRequestHead } from './request-head.js';

export interface ServerLimits extends BodyBudgetLimits {
  readonly maxConnections: number;
  readonly maxRequestsInFlight: number;
  readonly maxHeaderBytes: number;
  /** For the headers, and for the whole request with its body, from its first byte. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How long a connection may wait for its next request. */
  readonly keepAliveTimeoutMs: number;
  /** A client that takes nothing of its answer for this long is given up. */
  readonly idleTimeoutMs: number;
  /** How long stopping waits for clients that do not finish what they began. */
  readonly stopTimeoutMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  maxBodyBytes: 16 * 1024 * 1024,
  maxBufferedBytes: 256 * 1024 * 1024,
  maxUnverifiedBytes: 64 * 1024 * 1024,
  freeBodyBytes: 16 * 1024,
  maxConnections: 10_000,
  maxRequestsInFlight: 5_000,
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 72_000,
  idleTimeoutMs: 120_000,
  stopTimeoutMs: 4000,
};

/** What the processes of one machine keep in memory together is no more than what one may keep alone. */
export function divideLimits(processes: number): Partial<ServerLimits> {
  const { maxBufferedBytes, maxUnverifiedBytes, maxBodyBytes } = DEFAULT_LIMITS;
  // Four of the largest bodies find room in any process.
  const least = 4 * maxBodyBytes;
  return {
    maxBufferedBytes: Math.max(least, maxBufferedBytes / processes),
    maxUnverifiedBytes: Math.max(2 * maxBodyBytes, maxUnverifiedBytes / processes),
  };
}

export interface ServerDeps {
  readonly log: FastifyBaseLogger;
  readonly registry: Registry;
  readonly ready: () => Promise<readonly string[]>;
  /** In the Prometheus text format; those of the registry when omitted. */
  readonly readMetrics?: () => Promise<string>;
  readonly about?: () => Promise<object>;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow?: () => number;
  readonly version: string;
  readonly apis: readonly Api[];
  readonly limits?: Partial<ServerLimits>;
  readonly docs?: DocsOptions;
  readonly trustedProxies?: NetworkList;
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

export function createHttpServer(deps: ServerDeps): FastifyInstance {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const app = createApp(deps.log, limits, deps.trustedProxies ?? NO_NETWORKS);
  let inFlight = 0;
  const metrics = measureRequests(app, deps.registry, () => inFlight);
  const handleError = createErrorHandler(metrics.countInternalFault);
  app.setErrorHandler(handleError);
  app.setNotFoundHandler((_, reply) => sendProblem(reply, notFound()));
  // Bodies are read on admission, before the framework would parse them.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    // Node stops looking for slow requests once it is closing, so a client that never ends its body could hold it up.
    setTimeout(() => app.server.closeAllConnections(), limits.stopTimeoutMs).unref();
  });
  // Hooks that call back: one that returns a promise costs every request several rounds of the microtask queue.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(COMMON_HEADERS).header('x-request-id', request.id);
    inFlight += 1;
    onceOver(reply.raw, () => {
      inFlight -= 1;
    });
    validateRequestHead(request.raw);
    if (inFlight > limits.maxRequestsInFlight && !HEALTH_PATHS.has(request.routeOptions.url ?? '')) {
      throw unavailable(errorText('too_many_requests'));
    }
    done();
  });
  app.addHook('onSend', (_, reply, payload, done) => {
    forbidFraming(reply);
    // What is in flight is finished; the connection is then needed no more.
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });

  const bodies = createBodies(limits);
  registerHealth(app, deps);
  registerDocs(app, () => createOpenApi(deps.apis, deps.version), deps.docs);
  registerConsole(app);
  for (const api of deps.apis) api.register(app, { bodies });
  return app;
}

function createApp(log: FastifyBaseLogger, limits: ServerLimits, trustedProxies: NetworkList): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // Lines about a request name it; a logger per request would cost every request.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    exposeHeadRoutes: false,
    trustProxy: (address) => trustedProxies.includes(address),
    // A request that is already here when the service stops is finished, not refused.
    return503OnClosing: false,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionTimeout: limits.idleTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // How often Node looks for requests that take too long.
      connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs, limits.requestTimeoutMs),
      // Checked by us, so that the answer is a problem like every other.
      requireHostHeader: false,
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      // A name of a customer's choosing may have 64 characters, each of up to four bytes that are written as three.
      maxParamLength: 64 * 4 * 3,
      // Queries are parsed by each operation from the request target, strictly.
      querystringParser: () => ({}),
    },
    rewriteUrl: unifyUnknownMethods,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, randomUUID()),
    frameworkErrors: (_error, request, reply) => {
      reply.headers(COMMON_HEADERS).header('x-request-id', request.id);
      sendProblem(reply, notFound());
    },
  });
  app.server.maxConnections = limits.maxConnections;
  // Idle connections must not keep others out: a rejected client finds room when it retries.
  app.server.on('drop', () => app.server.closeIdleConnections());
  return app;
}

/** Those that the router knows; no operation has TRACE. */
const ROUTED_METHODS: ReadonlySet<string | undefined> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
]);

/**
 * Before routing. Every method that Node parses must be answered 405 with the allowed ones. The router compiles each path for each
 * method, so all that no operation can have are routed as one: with 34 methods, each start took 0.2 s of processor time more.
 */
function unifyUnknownMethods(request: IncomingMessage): string {
  if (!ROUTED_METHODS.has(request.method)) request.method = 'TRACE';
  return request.url ?? '';
}

/** A caller's own id is kept where it is harmless, so that one id leads through the logs of both sides. */
function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
}
