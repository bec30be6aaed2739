// Endpoints for the machines around the service: liveness, readiness, metrics.

import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { errorText } from '../domain/fault/error-text.js';
import { Problem } from './problem/problem.js';
import { registerOtherMethods } from './route.js';

export interface HealthDeps {
  readonly registry: Registry;
  /** What is missing before the service can do its work; empty when it is ready. */
  readonly ready: () => Promise<readonly string[]>;
  /** In the Prometheus text format; those of the registry when omitted. */
  readonly readMetrics?: () => Promise<string>;
  /** What else is to be known of a process that is ready. */
  readonly about?: () => Promise<object>;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow?: () => number;
}

/** Making the text takes processor time from everyone. */
const METRICS_KEPT_MS = 1_000;

export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function registerHealth(
  app: FastifyInstance,
  {
    registry,
    ready,
    about,
    readMetrics = () => registry.metrics(),
    monotonicNow = () => performance.now(),
  }: HealthDeps,
): void {
  const method = ['GET', 'HEAD'];
  const metrics = keepBriefly(readMetrics, monotonicNow);
  app.route({ method, url: '/healthz', handler: async () => ({ status: 'up' }) });
  app.route({
    method,
    url: '/readyz',
    handler: async () => {
      // In parallel: each check may take most of the two seconds that a probe waits.
      const more = about?.();
      more?.catch(() => {});
      const missing = await ready();
      if (missing.length === 0) return { status: 'ready', ...(await more) };
      throw new Problem('unavailable', errorText('not_ready', { missing: missing.join('; ') }), {
        headers: { 'retry-after': '1' },
        extra: { missing },
      });
    },
  });
  app.route({
    method,
    url: '/metrics',
    handler: async (_, reply) => reply.header('content-type', registry.contentType).send(await metrics()),
  });
  registerOtherMethods(
    app,
    [...HEALTH_PATHS].map((path) => ({ method: 'GET', path })),
  );
}

/** What was read is given to all who ask within the time; a failure only to those who wait for it. */
function keepBriefly(read: () => Promise<string>, now: () => number): () => Promise<string> {
  let kept: { readonly atMs: number; readonly text: Promise<string> } | undefined;
  return () => {
    if (kept !== undefined && now() - kept.atMs < METRICS_KEPT_MS) return kept.text;
    const asked = { atMs: now(), text: read() };
    kept = asked;
    asked.text.catch(() => {
      if (kept === asked) kept = undefined;
    });
    return asked.text;
  };
}

export interface HttpMetrics {
  readonly countInternalFault: () => void;
}

/** Measures every request by route, never by path: paths hold task numbers and would grow without end. */
export function measureRequests(app: FastifyInstance, registry: Registry, inFlight: () => number): HttpMetrics {
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'postrider_http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const internalFaults = new Counter({
    name: 'postrider_http_internal_faults_total',
    help: 'Requests answered 503 because of a fault in the service itself.',
    registers: [registry],
  });
  new Gauge({
    name: 'postrider_http_requests_in_flight',
    help: 'Requests that are being handled.',
    registers: [registry],
    collect() {
      this.set(inFlight());
    },
  });
  app.addHook('onResponse', (request, reply, done) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'unmatched',
      status: String(reply.statusCode),
    };
    duration.observe(labels, reply.elapsedTime / 1000);
    done();
  });
  return { countInternalFault: () => internalFaults.inc() };
}
