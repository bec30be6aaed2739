import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { FormatRegistry, type TSchema, TypeRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIdSource } from '../../src/domain/id.js';
import { createCustomerApi } from '../../src/http/customer/api.js';
import type { CustomerDeps } from '../../src/http/customer/deps.js';
import { TaskSchema } from '../../src/http/customer/schemas/task.js';
import { type OpenApiDocument, type OpenApiOperation, problemsOf } from '../../src/http/openapi.js';
import { createHttpServer } from '../../src/http/server.js';
import { createAcceptor } from '../../src/pipeline/accept/accept.js';
import { connectDatabase } from '../../src/store/connect.js';
import { type HttpService, signHeaders, startHttpService, type TestCustomer } from '../support/http-service.js';

const SEND = '/openapi/v1/messages/send/';
const TASKS = '/openapi/v1/messages/tasks/';

// The checker of the library does not know the words that a field may be one of.
TypeRegistry.Set<TSchema>('Unsafe', (schema, value) => schema.enum?.includes(value) ?? typeof value === schema.type);
FormatRegistry.Set('line', (text) => !/[\p{Cc}\u2028\u2029]/u.test(text));
FormatRegistry.Set('date-time', (text) => new Date(text).toISOString() === text);
FormatRegistry.Set('date', (text) => new Date(text).toISOString().slice(0, 10) === text);

/** The value fits the schema and has no field that the schema does not name. */
function expectFit(schema: TSchema | undefined, value: unknown, name: string): void {
  if (schema === undefined) throw new Error(`${name} has no schema`);
  expect([...Value.Errors(schema, value)].map(({ path, message }) => `${name} ${path} ${message}`)).toEqual([]);
  expect(Value.Clean(schema, structuredClone(value)), name).toEqual(value);
}

let service: HttpService;
let ann: TestCustomer;

beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann');
});
afterAll(() => service.stop());

describe('health', () => {
  it('the process is up', async () => {
    const response = await service.app.inject({ url: '/healthz' });
    expect([response.statusCode, response.json()]).toEqual([200, { status: 'up' }]);
  });

  it('it is ready when nothing is missing, and says what is', async () => {
    expect((await service.app.inject({ url: '/readyz' })).statusCode).toBe(200);
    const waiting = await startHttpService({ ready: async () => ['the database', 'the channels'] });
    const response = await waiting.app.inject({ url: '/readyz' });
    await waiting.stop();
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ code: 'unavailable', missing: ['the database', 'the channels'] });
    expect(response.headers['retry-after']).toBe('1');
  });

  it('metrics are counted by route, never by path', async () => {
    await service.call(ann, `${TASKS}T0000000000000/`);
    await service.app.inject({ url: '/some/unknown/path' });
    const response = await service.app.inject({ url: '/metrics' });
    expect(response.headers['content-type']).toContain('text/plain');
    expect(response.body).toContain('route="/openapi/v1/messages/tasks/:task_no",status="404"');
    expect(response.body).toContain('route="unmatched"');
    expect(response.body).not.toContain('T0000000000000');
    expect(response.body).not.toContain('unknown/path');
    expect(response.body).toContain('process_cpu_seconds_total');
    expect(response.body).toMatch(/postrider_http_requests_in_flight \d/);
  });
});

describe('when the database is away', () => {
  it('everything that needs it answers 503 and may be tried again', async () => {
    const away = connectDatabase('postgres://nobody@127.0.0.1:1/nothing');
    const nextId = createIdSource({ now: Date.now, randomBytes });
    const wake = {
      notify: () => {},
      notifyLocal: () => {},
      hintQueues: () => {},
      onQueueHint: () => () => {},
      wait: async () => {},
      count: () => 0,
      stop: async () => {},
    };
    const broken = await startHttpService({
      deps: (deps) => ({
        ...deps,
        sql: away,
        readers: away,
        acceptor: createAcceptor({ sql: away, snapshot: () => deps.snapshot.current(), nextId, wake }),
      }),
    });
    const customer = await broken.addCustomer('ann');
    const send = { template_no: customer.templateNo, phones: ['13800138000'] };
    for (const [target, options] of [
      [TASKS, {}],
      [`${TASKS}T0000000000000/`, {}],
      ['/openapi/v1/finance/account/', {}],
      ['/openapi/v1/messages/receipts/?client_request_id=x', {}],
      [SEND, { body: send }],
    ] as const) {
      const answer = await broken.call(customer, target, options);
      expect([answer.status, answer.body.code, answer.headers['retry-after']], target).toEqual([
        503,
        'unavailable',
        '1',
      ]);
      expect(answer.text).not.toContain('ECONN');
    }
    await away.end({ timeout: 0 });
    await broken.stop();
  });
});

describe('a fault of ours', () => {
  it('is answered 503 without a word of what it was, and logged with the request id', async () => {
    const broken = await startHttpService({
      deps: (deps) => ({
        ...deps,
        // A column that does not exist makes the database fail for real.
        acceptor: { ...deps.acceptor, accept: () => deps.sql`select no_such_column from task` as never },
      }),
    });
    const customer = await broken.addCustomer('ann');
    const answer = await broken.call(customer, SEND, {
      body: { template_no: customer.templateNo, phones: ['13800138000'] },
    });
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    expect(answer.text).not.toContain('no_such_column');
    const line = broken.logged.find((text) => text.includes('a request failed')) ?? '';
    expect(line).toContain(answer.body.request_id);
    expect(line).toContain('no_such_column');
    expect(line).not.toContain('13800138000');
    expect(await broken.registry.metrics()).toContain('postrider_http_internal_faults_total 1');
    await broken.stop();
  });
});

describe('load', () => {
  it('beyond what may be in flight is shed, and health still answers', async () => {
    const busy = await startHttpService({ limits: { maxRequestsInFlight: 0 } });
    const customer = await busy.addCustomer('ann');
    const answer = await busy.call(customer, TASKS);
    expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    expect((await busy.app.inject({ url: '/healthz' })).statusCode).toBe(200);
    await busy.stop();
  });

  it('in bodies is shed before memory grows', async () => {
    const busy = await startHttpService({ limits: { maxBufferedBytes: 100, maxBodyBytes: 1000, freeBodyBytes: 0 } });
    const customer = await busy.addCustomer('ann');
    const body = { template_no: customer.templateNo, phones: Array(20).fill('13800138000') };
    const answer = await busy.call(customer, SEND, { body });
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    // What was refused is forgotten: the next one has the room.
    expect((await busy.call(customer, SEND, { body: {} })).status).toBe(400);
    await busy.stop();
  });

  it('that has gone leaves nothing in flight', async () => {
    for (let index = 0; index < 5; index += 1) await service.call(ann, TASKS);
    await expect.poll(() => service.registry.metrics()).toContain('postrider_http_requests_in_flight 0');
  });

  it('beyond the connections allowed is not let in', async () => {
    const small = await startHttpService({ limits: { maxConnections: 1 } });
    const port = await small.listen();
    const first = connect(port, '127.0.0.1');
    await once(first, 'connect');
    const second = connect(port, '127.0.0.1');
    second.on('error', () => {});
    await once(second, 'close');
    first.destroy();
    await small.stop();
  });
});

describe('idle connections', () => {
  /** A connection on which a request was answered, if any, and that sends nothing from then on. */
  async function openIdle(port: number, text: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(text);
    if (text !== '') await once(socket, 'data');
    return socket;
  }

  it.each([
    ['that wait for their next request', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['on which nothing was ever sent', ''],
  ])('%s, as many as may be open, do not keep others out', async (_, text) => {
    const small = await startHttpService({ limits: { maxConnections: 5, headersTimeoutMs: 500 } });
    const customer = await small.addCustomer('ann');
    const port = await small.listen();
    const idle = await Promise.all(Array.from({ length: 5 }, () => openIdle(port, text)));
    const headers = { ...signHeaders(customer, { method: 'GET', target: TASKS, body: '' }), connection: 'close' };
    const ask = () =>
      fetch(`http://127.0.0.1:${port}${TASKS}`, { headers, signal: AbortSignal.timeout(500) }).then(
        ({ status }) => status,
      );
    await expect.poll(() => ask().catch(() => 0), { timeout: 5000 }).toBe(200);
    for (const socket of idle) socket.destroy();
    await small.stop();
  });
});

describe('stopping', () => {
  it('finishes what is in flight, then closes the connection', async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const stopping = await startHttpService({
      deps: (deps) => ({
        ...deps,
        acceptor: {
          ...deps.acceptor,
          accept: async (command) => {
            await held;
            return await deps.acceptor.accept(command);
          },
        },
      }),
    });
    const customer = await stopping.addCustomer('ann');
    const port = await stopping.listen();
    const body = JSON.stringify({ template_no: customer.templateNo, phones: ['13800138000'] });
    const headers = {
      host: 'x',
      ...signHeaders(customer, { method: 'POST', target: SEND, body }),
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.write(`POST ${SEND} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
    await expect.poll(() => stopping.registry.metrics()).toContain('postrider_http_requests_in_flight 1');
    const closed = stopping.app.close();
    finish();
    await once(socket, 'close');
    await closed;
    const answer = Buffer.concat(chunks).toString();
    expect(answer).toContain('HTTP/1.1 200');
    expect(answer.toLowerCase()).toContain('connection: close');
    await stopping.stop();
  });
});

describe('stopping is not held up', () => {
  it.each([
    ['by a connection that waits for its next request', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['by a connection on which nothing was ever sent', ''],
    ['by headers that never end', 'GET /healthz HTTP/1.1\r\nhost: x\r\n'],
    ['by a body that never ends', `POST ${SEND} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{`],
  ])('%s', async (_, text) => {
    const stopping = await startHttpService({ limits: { stopTimeoutMs: 300 } });
    const port = await stopping.listen();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    if (text.endsWith('\r\n\r\n')) await once(socket, 'data');
    socket.resume();
    // The connection may end with a reset: there is no answer that it could take away.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await Promise.all([stopping.stop(), closed]);
  });
});

describe('what is large and the same for all', () => {
  it('is sent compressed, and not again to who has it', async () => {
    const url = '/openapi.json';
    const plain = await service.app.inject({ url });
    const compressed = await service.app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
    const { etag } = plain.headers;
    const again = await service.app.inject({ url, headers: { 'if-none-match': String(etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('goes to a few at a time who cannot read it compressed', async () => {
    const read = (headers = {}) => service.app.inject({ url: '/openapi.json', headers });
    const answers = await Promise.all(Array.from({ length: 12 }, () => read()));
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(4);
    expect(refused.map(({ headers }) => headers['retry-after'])).toEqual(Array(8).fill('1'));
    const compressed = await Promise.all(Array.from({ length: 12 }, () => read({ 'accept-encoding': 'br' })));
    expect(compressed.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(200));
    await expect.poll(async () => (await service.app.inject({ url: '/openapi.json' })).statusCode).toBe(200);
  });

  it('metrics are made once a second, however many ask', async () => {
    const clock = { nowMs: 0 };
    let made = 0;
    const app = createHttpServer({
      log: pino({ level: 'silent' }),
      registry: new Registry(),
      ready: async () => [],
      version: 'test',
      apis: [],
      readMetrics: async () => {
        made += 1;
        if (made === 2) throw new Error('away');
        return `made ${made}`;
      },
      monotonicNow: () => clock.nowMs,
    });
    const read = async () => (await app.inject({ url: '/metrics' })).body;
    expect(new Set(await Promise.all(Array.from({ length: 20 }, read)))).toEqual(new Set(['made 1']));
    clock.nowMs += 1_000;
    expect(await read()).toContain('unavailable');
    // A failure is not kept.
    expect(await read()).toBe('made 3');
    await app.close();
  });
});

describe('the reference', () => {
  const read = async () => (await service.app.inject({ url: '/openapi.json' })).json() as OpenApiDocument;

  it('describes every operation with a schema, an example and its problems', async () => {
    const document = await read();
    expect(document.openapi).toBe('3.1.0');
    // Those that the specification names; what we added to them is compared with the client and the guides elsewhere.
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/openapi/v1/downstream/deliveries/',
        '/openapi/v1/downstream/submits/',
        '/openapi/v1/finance/ledgers/',
        '/openapi/v1/messages/receipts/',
        '/openapi/v1/messages/send/',
        '/openapi/v1/messages/tasks/',
        '/openapi/v1/messages/tasks/{task_no}/',
        '/openapi/v1/messages/uplinks/',
      ]),
    );
    for (const methods of Object.values(document.paths)) {
      for (const operation of Object.values(methods)) {
        const [status = ''] = Object.keys(operation.responses).filter((code) => code.startsWith('2'));
        const answered = operation.responses[status]?.content?.['application/json'];
        if (status !== '204') expect(answered, operation.operationId).toMatchObject({ example: expect.anything() });
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '401', '403', '429', '503']));
      }
    }
    const send = document.paths[SEND]?.post as OpenApiOperation;
    expect(send.responses['422']?.description).toBe(
      '`template_unavailable`, `service_account_unavailable`, `firm_unavailable`',
    );
  });

  it('has examples that fit its schemas', () => {
    for (const { name, answer, body } of createCustomerApi({} as CustomerDeps).operations) {
      expectFit(answer.schema, answer.example, name);
      if (body !== undefined) expectFit(body.schema, body.example, name);
    }
  });

  it('says what is really answered, field by field', async () => {
    const batchId = 'spring';
    const send = { template_no: ann.templateNo, phones: ['13800138000'], batch_id: batchId };
    const task = await service.call(ann, SEND, { body: send });
    const admin = await service.addCustomer('admin', { scopes: ['admin'] });
    const named: Readonly<Record<string, string>> = {
      task_no: task.body.task_no,
      batch_id: batchId,
      month: new Date().toISOString().slice(0, 7),
    };
    for (const { name, path, method, answer } of createCustomerApi({} as CustomerDeps).operations) {
      const target = path.replace(/\{(\w+)\}/g, (whole, parameter) => named[parameter] ?? whole);
      // What has to be made first, such as a webhook, is looked at where it is made.
      if (method !== 'GET' || target.includes('{') || name === 'getStatistics') continue;
      const needsAdmin = name === 'listOwnCredentials' || name === 'listOwnUsers';
      const { body } = await service.call(needsAdmin ? admin : ann, target);
      expectFit(answer.schema, body, name);
    }
    expectFit(TaskSchema, task.body, 'sendMessages');
  });

  it('refers only to schemas that it has', async () => {
    const document = await read();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, name = ''] of references) expect(Object.keys(document.components.schemas)).toContain(name);
  });

  it('has unique operation names', async () => {
    const names = Object.values((await read()).paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('lists what follows from parameters and bodies by itself', () => {
    const api = { operations: [], tags: [], security: 'bearer', problems: ['unavailable'] } as const;
    const operation = {
      method: 'POST',
      path: '/x/{id}/',
      name: 'x',
      tag: 'x',
      summary: 'x',
      body: { schema: {} as never },
      answer: { status: 200, description: 'x' },
      problems: ['already_exists'],
    } as const;
    expect(problemsOf(api, operation).sort()).toEqual([
      'already_exists',
      'invalid_request',
      'malformed_json',
      'not_found',
      'payload_too_large',
      'unavailable',
      'unsupported_media_type',
    ]);
  });
});
