// Spans for an OpenTelemetry collector, with the official SDK. Its packages are optional: they are loaded only when an endpoint is set, and the
// types below are the few parts of them that are used, so that the service compiles without them.

import type { Log } from '../log.js';
import type { TraceIds } from './trace-ids.js';

export interface Span {
  readonly name: string;
  readonly ids: TraceIds;
  /** The span `accept` of the task; all others are its children. */
  readonly isRoot: boolean;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly link?: { readonly traceId: string; readonly spanId: string } | undefined;
}

export interface SpanSink {
  emit(span: Span): void;
  /** Exports what is left. */
  stop(): Promise<void>;
}

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote: boolean;
}

interface Api {
  readonly ROOT_CONTEXT: unknown;
  readonly trace: { setSpanContext(context: unknown, spanContext: SpanContext): unknown };
  readonly diag: { setLogger(logger: Readonly<Record<string, (message: string) => void>>, level: number): void };
  readonly DiagLogLevel: { readonly ERROR: number };
}

interface SpanOptions {
  readonly startTime: Date;
  readonly attributes: Span['attributes'];
  readonly links: readonly { readonly context: SpanContext }[];
}

interface Tracer {
  startSpan(name: string, options: SpanOptions, context: unknown): { end(time: Date): void };
}

interface Sdk {
  readonly TracerProvider: new (
    options: unknown,
  ) => {
    getTracer(name: string, version: string): Tracer;
    shutdown(): Promise<void>;
  };
  readonly BatchSpanProcessor: new (options: unknown) => unknown;
  readonly RandomIdGenerator: new () => { generateTraceId(): string; generateSpanId(): string };
}

interface Exporter {
  readonly OTLPTraceExporter: new (options: { readonly url: string; readonly timeoutMillis: number }) => unknown;
}

interface Resources {
  resourceFromAttributes(attributes: Readonly<Record<string, string>>): unknown;
}

export type ImportPackage = (name: string) => Promise<unknown>;

/** Also bounds how long the stop of the service waits for a collector that does not answer. */
const EXPORT_TIMEOUT_MS = 5_000;
const LOG_EVERY_MS = 60_000;
const SAMPLED = 1;

/** Undefined, with a line in the log, where the packages are not installed. */
export async function connectCollector(options: {
  readonly endpoint: string;
  readonly version: string;
  readonly node: string;
  readonly log: Log;
  readonly importPackage?: ImportPackage;
}): Promise<SpanSink | undefined> {
  const { endpoint, version, node, log, importPackage = (name) => import(name) } = options;
  const packages = await loadPackages(importPackage).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    log.warn(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, and the OpenTelemetry packages are not installed: nothing is traced. ' +
        'They are optional dependencies: install with `npm ci --include=optional`',
    );
    return undefined;
  });
  if (packages === undefined) return undefined;
  const { api, sdk, exporter, resources } = packages;
  logErrors(api, log);
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const random = new sdk.RandomIdGenerator();
  let root: TraceIds | undefined;
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME || 'postrider',
      'service.version': version,
      'service.instance.id': node,
    }),
    idGenerator: {
      generateTraceId: () => root?.traceId ?? random.generateTraceId(),
      generateSpanId: () => root?.rootSpanId ?? random.generateSpanId(),
    },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new exporter.OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }),
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('postrider', version);
  const contextOf = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: SAMPLED, isRemote: true });
  log.info({ endpoint }, 'Traces go to an OpenTelemetry collector');
  return {
    emit({ name, ids, isRoot, startMs, endMs, attributes, link }) {
      const { ROOT_CONTEXT, trace } = api;
      const parent = isRoot ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(ids.traceId, ids.rootSpanId));
      const links = link === undefined ? [] : [{ context: contextOf(link.traceId, link.spanId) }];
      root = isRoot ? ids : undefined;
      // Dates: the SDK reads a number before the start of the process as one that counts from there.
      tracer.startSpan(name, { startTime: new Date(startMs), attributes, links }, parent).end(new Date(endMs));
      root = undefined;
    },
    stop: () => provider.shutdown(),
  };
}

async function loadPackages(importPackage: ImportPackage) {
  const [api, sdk, exporter, resources] = await Promise.all(
    ['api', 'sdk-trace', 'exporter-trace-otlp-http', 'resources'].map((name) =>
      importPackage(`@opentelemetry/${name}`),
    ),
  );
  return { api: api as Api, sdk: sdk as Sdk, exporter: exporter as Exporter, resources: resources as Resources };
}

/** Logged once a minute while the collector is away; spans are dropped meanwhile. */
function logErrors(api: Api, log: Log): void {
  let loggedMs = -Number.MAX_VALUE;
  const ignore = () => {};
  const error = (message: string) => {
    if (performance.now() - loggedMs < LOG_EVERY_MS) return;
    loggedMs = performance.now();
    log.warn({ reason: message.slice(0, 500) }, 'traces could not be exported');
  };
  api.diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore }, api.DiagLogLevel.ERROR);
}
