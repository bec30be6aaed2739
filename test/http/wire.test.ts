import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, signHeaders, startHttpService, type TestCustomer } from '../support/http-service.js';

const SEND = '/openapi/v1/messages/send/';
const TASKS = '/openapi/v1/messages/tasks/';

let service: HttpService;
let ann: TestCustomer;
let port: number;
/** A node that cuts slow clients off so early that it would cut off others, too, on a busy machine. */
let impatient: HttpService;
let impatientPort: number;

beforeAll(async () => {
  service = await startHttpService({ limits: { maxConnections: 50 } });
  ann = await service.addCustomer('ann');
  port = await service.listen();
  impatient = await startHttpService({ besides: service, limits: { headersTimeoutMs: 300, requestTimeoutMs: 5000 } });
  impatientPort = await impatient.listen();
});
afterAll(async () => {
  await impatient.stop();
  await service.stop();
});

async function open(at = port): Promise<Socket> {
  const socket = connect(at, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Everything the server says until it closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // A reset after the answer is the server's right when it has not read everything.
  socket.on('error', () => {});
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

function exchange(...pieces: (string | Buffer)[]): Promise<string> {
  return exchangeAt(port, ...pieces);
}

async function exchangeAt(at: number, ...pieces: (string | Buffer)[]): Promise<string> {
  const socket = await open(at);
  for (const piece of pieces) socket.write(piece);
  return await readAll(socket);
}

function headText(method: string, target: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function signedText(method: string, target: string, body = '', headers: Record<string, string> = {}): string {
  const length =
    body === '' ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return headText(method, target, { ...signHeaders(ann, { method, target, body }), ...length, ...headers }) + body;
}

const CLOSE = { connection: 'close' };

describe('what is not HTTP', () => {
  it.each([
    ['garbage', 'hello\r\n\r\n'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a bad header', 'GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['a length and chunks', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['headers without end', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['no host', `GET ${TASKS} HTTP/1.1\r\n\r\n`],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n'],
    ['the same host twice', 'GET /healthz HTTP/1.1\r\nhost: x\r\nhost: x\r\n\r\n'],
    ['HTTP/0.9', 'GET /healthz\r\n\r\n'],
    ['HTTP/0.9 by name', 'GET /healthz HTTP/0.9\r\n\r\n'],
    ['HTTP/2 in the words of HTTP/1', 'GET /healthz HTTP/2.0\r\nhost: x\r\n\r\n'],
  ])('%s gets a problem and the end of the connection', async (_, text) => {
    const answer = await exchange(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.toLowerCase()).toContain('x-request-id: ');
    expect(answer).toContain('"code":"invalid_request"');
  });

  it('two requests in one go get two answers in order', async () => {
    const missing = `${TASKS}T0000000000000/`;
    const answer = await exchange(signedText('GET', missing) + signedText('GET', TASKS, '', CLOSE));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  it('a garbled request after a good one does not spoil the good one', async () => {
    const answer = await exchange(`${signedText('GET', TASKS)}garbage\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)?.length).toBeGreaterThanOrEqual(1);
    expect(answer).not.toContain('HTTP/1.1 5');
  });
});

describe('a slow client', () => {
  it('that does not finish its headers is cut off', async () => {
    expect(await exchangeAt(impatientPort, 'GET / HTTP/1.1\r\nhost: x\r\n')).toContain('did not arrive in time');
  });

  it('that was in time, and waited for the service itself, is served', async () => {
    // From taking the connection to the next look for slow requests the service is busy for longer than headers may take.
    impatient.app.server.once('connection', () => {
      const until = performance.now() + 900;
      while (performance.now() < until);
    });
    expect(await exchangeAt(impatientPort, signedText('GET', TASKS, '', CLOSE))).toContain('HTTP/1.1 200');
  });

  it('that does not finish its body is cut off, and nothing is stored', async () => {
    const body = JSON.stringify({ template_no: ann.templateNo, phones: ['13800138000'] });
    const text = signedText('POST', SEND, body);
    const answer = await exchangeAt(impatientPort, text.slice(0, -5));
    expect(answer).not.toContain('HTTP/1.1 200');
    expect(await service.sql`select 1 from task`).toHaveLength(0);
  });

  it('that disconnects in the middle of its body affects no other', async () => {
    const socket = await open();
    socket.write(signedText('POST', SEND, JSON.stringify({ template_no: ann.templateNo })).slice(0, -5));
    socket.destroy();
    expect((await service.call(ann, TASKS)).status).toBe(200);
    expect(service.logged.join('')).not.toContain('a request failed');
  });

  it('that sends its body byte by byte in time is served', async () => {
    const body = JSON.stringify({ template_no: ann.templateNo, phones: ['13800138000'] });
    const socket = await open();
    socket.setNoDelay(true);
    const text = signedText('POST', SEND, body, CLOSE);
    for (const character of text) socket.write(character);
    expect(await readAll(socket)).toContain('HTTP/1.1 200');
  });
});

describe('a large body', () => {
  it('that says so is refused before it is sent', async () => {
    const headers = {
      ...signHeaders(ann, { method: 'POST', target: SEND }),
      'content-length': String(16 * 1024 * 1024 + 1),
    };
    const answer = await exchange(headText('POST', SEND, headers));
    expect(answer).toContain('HTTP/1.1 413');
    expect(answer).toContain('"code":"payload_too_large"');
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it('that says so has its answer also when its client listens only after it has sent all', async () => {
    const body = Buffer.alloc(20 * 1024 * 1024, 'x');
    const headers = {
      ...signHeaders(ann, { method: 'POST', target: SEND }),
      'content-length': String(body.length),
    };
    const socket = await open();
    socket.pause();
    socket.write(headText('POST', SEND, headers));
    await new Promise<void>((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve())));
    expect(await readAll(socket.resume())).toContain('HTTP/1.1 413');
  });

  it('that comes in chunks is refused once it is too large', async () => {
    const headers = { ...signHeaders(ann, { method: 'POST', target: SEND }), 'transfer-encoding': 'chunked' };
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]);
    expect(await exchange(headText('POST', SEND, headers), ...Array(17).fill(chunk))).toContain('HTTP/1.1 413');
  });

  it('of exactly 16 MiB is read', async () => {
    const body = `{"x":"${'x'.repeat(16 * 1024 * 1024 - 8)}"}`;
    const answer = await service.call(ann, SEND, { body });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });

  it('in chunks is read like any other', async () => {
    const body = JSON.stringify({ template_no: ann.templateNo, phones: ['13800138000'] });
    const headers = {
      ...signHeaders(ann, { method: 'POST', target: SEND, body }),
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
      ...CLOSE,
    };
    const half = body.length / 2;
    const chunks = [body.slice(0, half), body.slice(half)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    expect(await exchange(headText('POST', SEND, headers), ...chunks, '0\r\n\r\n')).toContain('HTTP/1.1 200');
  });
});

describe('a body that is not JSON', () => {
  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['half of it', '{"template_no":'],
    ['single quotes', "{'a':1}"],
    ['a trailing comma', '{"a":1,}'],
    ['NaN', '{"a":NaN}'],
    ['a comment', '{} // x'],
    ['two values', '{}{}'],
    ['a byte order mark', '\uFEFF{}'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ['a UTF-8 surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['a raw control character', '{"a":"\u0001"}'],
    ['a key twice', '{"template_no":"a","template_no":"b"}'],
    ['a key twice, once escaped', '{"phones":[],"\\u0070hones":[]}'],
    ['a key twice further down', '{"recipients":[{"phone":"1","phone":"2"}]}'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}'],
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['a million levels', `${'['.repeat(1e6)}${']'.repeat(1e6)}`],
  ])('%s', async (_, body) => {
    const answer = await service.call(ann, SEND, { body, method: 'POST' });
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json']);
  });

  it('but strings that look like keys are none', async () => {
    const answer = await service.call(ann, SEND, { body: '{"a":"\\":","b":"\\\\","c":["x:",":"],"d":"a\\":\\"a"}' });
    expect(answer.body.code).toBe('invalid_request');
  });

  it('never echoes what was sent', async () => {
    const answer = await service.call(ann, SEND, { body: '{"phones":["13800138000" oops' });
    expect(answer.text).not.toContain('13800138000');
  });
});

describe('media types', () => {
  const body = () => JSON.stringify({ template_no: ann.templateNo, phones: ['13800138000'] });

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/jsonp'],
    ['application/problem+json'],
    ['nonsense'],
    [''],
    ['multipart/form-data; boundary=x'],
    ['application/json; charset=utf-16'],
    ['application/json;charset="utf-16le"'],
    ['application/json; charset=iso-8859-1'],
    ['application/json; charset=utf-8; charset=utf-16'],
    ['application/json; charset=utf-8x'],
    ['application/json; charset='],
  ])('%j is unsupported', async (type) => {
    const answer = await service.call(ann, SEND, { body: body(), headers: { 'content-type': type } });
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    ['application/json'],
    ['application/json;charset=UTF-8'],
    ['Application/JSON ; charset=utf-8'],
    ['application/json; charset="utf-8"'],
  ])('%j is supported', async (type) => {
    const answer = await service.call(ann, SEND, { body: body(), headers: { 'content-type': type } });
    expect(answer.status).toBe(200);
  });

  it('compressed bodies are unsupported', async () => {
    const answer = await service.call(ann, SEND, { body: gzipSync(body()), headers: { 'content-encoding': 'gzip' } });
    expect(answer.status).toBe(415);
  });

  it('an unauthenticated caller learns nothing of it', async () => {
    const answer = await service.call(ann, SEND, {
      body: body(),
      headers: { 'content-type': 'nonsense' },
      secret: 'x',
    });
    expect(answer.status).toBe(401);
  });

  it.each([
    ['application/json', 200],
    ['*/*', 200],
    ['text/html, application/*;q=0.1', 200],
    ['', 200],
    ['text/html', 406],
    ['application/json;q=0', 406],
    ['image/*', 406],
  ])('accepting %j: %i', async (accept, status) => {
    const answer = await service.call(ann, TASKS, { headers: { accept } });
    expect(answer.status).toBe(status);
    if (status === 406) expect(answer.body.code).toBe('not_acceptable');
  });
});

describe('paths and methods', () => {
  it.each([
    '/nope',
    '/openapi/v1/',
    '/openapi/v1/messages/tasks/a/b/c',
    '/openapi/v2/messages/tasks/',
    '/%zz',
    '/nope/nope',
  ])('%s is not found', async (url) => {
    const response = await service.app.inject({ url });
    expect([response.statusCode, response.json().code]).toEqual([404, 'not_found']);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.headers['x-request-id']).toBe(response.json().request_id);
  });

  it('an unknown path looks like a task of someone else', async () => {
    const bob = await service.addCustomer('bob');
    const task = await service.call(bob, SEND, { body: { template_no: bob.templateNo, phones: ['13800138000'] } });
    const shape = async (target: string) => {
      const { status, body } = await service.call(ann, target);
      return { status, body: { ...body, request_id: '' } };
    };
    const foreign = await shape(`${TASKS}${task.body.task_no}/`);
    expect(foreign.status).toBe(404);
    for (const target of [
      `${TASKS}T0000000000000/`,
      `${TASKS}x/`,
      `${TASKS}${'x'.repeat(300)}/`,
      '/openapi/v1/nope/',
    ]) {
      expect(await shape(target), target).toEqual(foreign);
    }
  });

  it.each([
    ['PUT', TASKS, 'GET, HEAD, OPTIONS'],
    ['DELETE', TASKS, 'GET, HEAD, OPTIONS'],
    ['PROPFIND', TASKS, 'GET, HEAD, OPTIONS'],
    ['TRACE', TASKS, 'GET, HEAD, OPTIONS'],
    ['GET', SEND, 'OPTIONS, POST'],
    ['HEAD', SEND, 'OPTIONS, POST'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
    ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
    ['GET', `${TASKS}T0000000000000/cancel`, 'OPTIONS, POST'],
  ])('%s %s is not allowed', async (method, url, allow) => {
    const socket = await open();
    socket.write(headText(method, url, CLOSE));
    const answer = await readAll(socket);
    expect(answer).toContain('HTTP/1.1 405');
    expect(answer.toLowerCase()).toContain(`allow: ${allow.toLowerCase()}\r\n`);
    if (method !== 'HEAD') expect(answer).toContain('"code":"method_not_allowed"');
  });

  it('OPTIONS says what is allowed', async () => {
    const response = await service.app.inject({ method: 'OPTIONS', url: TASKS });
    expect([response.statusCode, response.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  it('HEAD is GET without the body, signed as HEAD', async () => {
    const { headers } = await service.call(ann, TASKS);
    const answer = await exchange(signedText('HEAD', TASKS, '', CLOSE));
    expect(answer).toContain('HTTP/1.1 200');
    expect(answer).toContain(`content-length: ${headers['content-length']}\r\n`);
    expect(answer.endsWith('\r\n\r\n')).toBe(true);
  });
});

describe('framing', () => {
  it.each(['/docs', '/', '/openapi.json', '/healthz', '/nope', '/%zz', TASKS])('%s cannot be framed', async (url) => {
    const { headers } = await service.app.inject({ url });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
  });
});

describe('request ids', () => {
  it('are ours unless the caller sends a harmless one', async () => {
    expect((await service.call(ann, TASKS)).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const own = await service.call(ann, TASKS, { headers: { 'x-request-id': 'abc-1.2_3' } });
    expect(own.headers['x-request-id']).toBe('abc-1.2_3');
    for (const id of ['a b', 'x'.repeat(65), '<script>', '']) {
      expect((await service.call(ann, TASKS, { headers: { 'x-request-id': id } })).headers['x-request-id']).not.toBe(
        id,
      );
    }
  });
});

describe('a connection that is lost', () => {
  it('gives back what the requests in line behind its first answer hold', async () => {
    let letGo = () => {};
    const gate = new Promise<readonly string[]>((resolve) => {
      letGo = () => resolve([]);
    });
    const node = await startHttpService({ besides: service, ready: () => gate, limits: { maxRequestsInFlight: 20 } });
    try {
      const at = await node.listen();
      const inFlight = async () =>
        (await node.registry.getSingleMetric('postrider_http_requests_in_flight')?.get())?.values[0]?.value;
      const socket = await open(at);
      // More large files than are sent at a time.
      const large = headText('GET', '/openapi.json', {}).repeat(6);
      socket.write(headText('GET', '/readyz', {}) + large + headText('GET', '/healthz', {}).repeat(30));
      await expect.poll(inFlight).toBe(37);
      socket.resetAndDestroy();
      letGo();
      await expect.poll(inFlight).toBe(0);
      const answer = await fetch(`http://127.0.0.1:${at}/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
      expect(answer.status).toBe(200);
    } finally {
      letGo();
      await node.stop();
    }
  });
});
