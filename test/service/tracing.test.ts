// Traces of tasks, exported by real processes to a collector on a real socket.

import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { asTaskId } from '../../src/domain/id.js';
import { startTracing } from '../../src/service/tracing/start-tracing.js';
import { parseTraceparent, traceIdsOf } from '../../src/service/tracing/trace-ids.js';
import type { Snapshot } from '../../src/store/snapshot/snapshot.js';
import { createChannels, createPhones, createSender } from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { buildCode, checkout } from '../support/service-process.js';
import { type SpawnedService, spawnService } from '../support/spawned.js';
import { until } from '../support/until.js';

const isInstalled = existsSync(join(checkout, 'node_modules/@opentelemetry/sdk-trace'));
const TEXT = 'The code word is heron';
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const STEPS = ['accept', 'answer', 'prepare', 'report', 'settle', 'submit'];

interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ExportedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A collector that keeps what it gets. */
async function startCollector() {
  const bodies: string[] = [];
  const paths = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    paths.add(`${request.method} ${request.url} ${request.headers['content-type']}`);
    bodies.push(Buffer.concat(chunks).toString());
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const requests = () => bodies.map((body) => JSON.parse(body) as ExportRequest);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    paths,
    resources: () => requests().flatMap(({ resourceSpans }) => resourceSpans.map(({ resource }) => resource)),
    spans: () =>
      requests().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
  };
}

function attribute({ attributes }: Pick<ExportedSpan, 'attributes'>, key: string): unknown {
  return Object.values(attributes.find((each) => each.key === key)?.value ?? {})[0];
}

/** Sends through the first of these processes, and returns when the receipts are there and all processes have stopped. */
async function sendThrough(roles: readonly string[], count: number) {
  const collector = await startCollector();
  const database = await createTestDatabase();
  closers.push(database.drop);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  const services: SpawnedService[] = [];
  for (const each of roles) {
    const service = await spawnService({ databaseUrl: database.url, roles: each, env });
    closers.push(() => service.end('SIGKILL'));
    services.push(service);
  }
  const url = services[0]?.url ?? '';
  const channels = await createChannels(url, [{ name: 'Simulator', kind: 'simulator', config: {} }]);
  const sender = await createSender(url, channels, { name: 'Traced', body: TEXT });
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (to: string, init: RequestInit) =>
    fetch(to, { ...init, headers: { ...init.headers, traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` } }),
  );
  closers.push(() => vi.unstubAllGlobals());
  const client = sender.at(url);
  const flags = { auto_freeze: true, auto_submit: true };
  const { task_no } = await client.send({ template_no: sender.templateNo, phones: createPhones(count), ...flags });
  await until('the task is completed', async () => (await client.task(task_no)).stage === 'completed', 120_000);
  for (const service of services.toReversed()) expect(await service.end('SIGTERM')).toBe(0);
  const spans = collector.spans().filter((span) => attribute(span, 'postrider.task_no') === task_no);
  return { ...sender, collector, spans, channelNo: channels[0] };
}

describe.skipIf(!isInstalled)('with the optional packages of OpenTelemetry', () => {
  beforeAll(buildCode);

  test('a task that one process accepts and another sends is one trace, from the request to the receipt', async () => {
    const numbers = 300;
    const { spans, collector, customerNo, channelNo } = await sendThrough(['api', 'worker,channels'], numbers);
    expect([...collector.paths]).toEqual(['POST /v1/traces application/json']);
    expect([...new Set(spans.map(({ name }) => name))].sort()).toEqual(STEPS);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const [root, ...others] = spans.toSorted((one, other) =>
      one.name === 'accept' ? -1 : other.name === 'accept' ? 1 : 0,
    );
    expect(root?.parentSpanId).toBeFalsy();
    expect(root?.links).toEqual([expect.objectContaining(CALLER)]);
    expect(root && attribute(root, 'postrider.numbers')).toBe(numbers);
    expect(new Set(others.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]));
    for (const span of spans) {
      expect(attribute(span, 'postrider.customer_no')).toBe(customerNo);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    }
    for (const name of ['submit', 'answer', 'report']) {
      const own = spans.filter((span) => span.name === name);
      expect(own.map((span) => attribute(span, 'postrider.channel_no'))).toEqual(own.map(() => channelNo));
      expect(own.reduce((sum, span) => sum + Number(attribute(span, 'postrider.parts')), 0)).toBe(numbers);
    }
    // Far fewer than numbers: steps of many numbers are gathered.
    expect(spans.length).toBeLessThan(numbers / 5);
    const instances = collector.resources().map((resource) => attribute(resource, 'service.instance.id'));
    expect(new Set(instances).size).toBe(2);
    expect(new Set(collector.resources().map((resource) => attribute(resource, 'service.name')))).toEqual(
      new Set(['postrider']),
    );
    const exported = collector.bodies.join('');
    expect(exported).not.toContain('heron');
    // Not the digits of a time or an id.
    expect(exported).not.toMatch(/(?<![\da-f])(86)?138\d{8}(?![\da-f])/);
  });

  test('a task of the express lane has the same steps', async () => {
    const { spans } = await sendThrough(['api,worker,channels'], 1);
    expect(spans.map(({ name }) => name).sort()).toEqual(STEPS);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  });
});

const log = (lines: string[]) => pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
const snapshot = () => ({}) as Snapshot;

test('without an endpoint nothing is loaded', async () => {
  const importPackage = vi.fn();
  const config = { otlpEndpoint: undefined, traceRatio: 1 };
  expect(await startTracing({ config, node: 'one', log: log([]), snapshot, importPackage })).toBeUndefined();
  expect(importPackage).not.toHaveBeenCalled();
});

test('without the packages the service starts, and says that nothing is traced', async () => {
  const lines: string[] = [];
  const importPackage = () => Promise.reject(Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' }));
  const config = { otlpEndpoint: 'http://127.0.0.1:4318', traceRatio: 1 };
  expect(await startTracing({ config, node: 'one', log: log(lines), snapshot, importPackage })).toBeUndefined();
  expect(lines.join('')).toContain('the OpenTelemetry packages are not installed: nothing is traced');
});

test('the ids of a trace follow from the task, and the draw is even', () => {
  const ids = Array.from({ length: 2000 }, (_, at) => traceIdsOf(asTaskId(BigInt(at + 1))));
  expect(traceIdsOf(asTaskId(1n))).toEqual(ids[0]);
  expect(new Set(ids.map(({ traceId }) => traceId)).size).toBe(2000);
  for (const { traceId, rootSpanId } of ids) {
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(rootSpanId).toMatch(/^[0-9a-f]{16}$/);
  }
  const drawn = ids.filter(({ draw }) => draw < 0.1).length;
  expect(drawn).toBeGreaterThan(100);
  expect(drawn).toBeLessThan(300);
});

test('a traceparent that is none is ignored', () => {
  const header = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  expect(parseTraceparent(header)).toEqual(CALLER);
  const others = ['', '00-0-0-01', header.replace('00-', 'ff-'), header.replace(CALLER.spanId, '0'.repeat(16))];
  for (const other of [undefined, ...others]) expect(parseTraceparent(other)).toBeUndefined();
});
