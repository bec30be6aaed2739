import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sign } from '../../src/http/customer/access/signature.js';
import { type HttpService, signHeaders, startHttpService, type TestCustomer } from '../support/http-service.js';

const SECRET = 'sk_test_0123456789abcdef';
const VECTOR_MS = 1794700800000;
const TASKS = '/openapi/v1/messages/tasks/';

let service: HttpService;
let ann: TestCustomer;
let listening: Promise<number>;

beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann');
  listening = service.listen();
});
afterAll(() => service.stop());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function requestStatus(
  port: number,
  method: string,
  path: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const call = httpRequest({ port, method, path, headers: { ...headers, ...length } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on('error', reject);
    call.end(body);
  });
}

describe('the contract’s vectors', () => {
  it('are what we compute', () => {
    const common = { timestamp: String(VECTOR_MS) };
    const get = { ...common, method: 'GET', requestTarget: `${TASKS}?page=1&page_size=20`, bodySha256: sha256('') };
    expect(sign(Buffer.from(SECRET), get).toString('hex')).toBe(
      'bc6e94edc2c845ce7933892f66b007900f6d69ce9aaf6865b014260cb02f290f',
    );
    const bodySha256 = sha256('{"template_no":"T1","phones":["13800138000"]}');
    const post = { ...common, method: 'POST', requestTarget: '/openapi/v1/messages/send/', bodySha256 };
    expect(sign(Buffer.from(SECRET), post).toString('hex')).toBe(
      'b91ba3e84039fca5f35861cd5a4eff2b54c218345a0c4ef72f3d042aff8902cc',
    );
  });

  it('are let in through a real socket at their time', async () => {
    const vectors = await startHttpService();
    vectors.nowMs = () => VECTOR_MS;
    const { apiKey } = await vectors.addCustomer('vector', { secret: SECRET });
    const port = await vectors.listen();
    const send = (method: string, path: string, signature: string, body?: string) =>
      requestStatus(port, method, path, body, {
        'x-api-key': apiKey,
        'x-timestamp': String(VECTOR_MS),
        'x-sign': signature,
        'content-type': 'application/json',
      });
    try {
      const get = 'bc6e94edc2c845ce7933892f66b007900f6d69ce9aaf6865b014260cb02f290f';
      expect(await send('GET', `${TASKS}?page=1&page_size=20`, get)).toBe(200);
      expect(await send('GET', `${TASKS}?page_size=20&page=1`, get)).toBe(401);
      // Signed well, and naming a template that this customer does not have.
      const post = 'b91ba3e84039fca5f35861cd5a4eff2b54c218345a0c4ef72f3d042aff8902cc';
      const body = '{"template_no":"T1","phones":["13800138000"]}';
      expect(await send('POST', '/openapi/v1/messages/send/', post, body)).toBe(422);
      expect(await send('POST', '/openapi/v1/messages/send', post, body)).toBe(401);
      expect(await send('POST', '/openapi/v1/messages/send/', post, `${body} `)).toBe(401);
    } finally {
      await vectors.stop();
    }
  });
});

describe('credentials', () => {
  const code = async (options: Parameters<HttpService['call']>[2], customer = ann) => {
    const answer = await service.call(customer, TASKS, options);
    return `${answer.status} ${answer.body.code ?? 'ok'}`;
  };

  it('that are right are let in', async () => {
    expect(await code({})).toBe('200 ok');
  });

  it.each(['x-api-key', 'x-timestamp', 'x-sign'])('without %s are missing', async (name) => {
    const headers = signHeaders(ann, { method: 'GET', target: TASKS });
    delete headers[name];
    const response = await service.app.inject({ url: TASKS, headers });
    expect(response.statusCode).toBe(401);
    expect(response.json().code).toBe('missing_credentials');
  });

  it.each([
    ['x-sign', 'abc'],
    ['x-sign', 'A'.repeat(64)],
    ['x-sign', 'g'.repeat(64)],
    ['x-timestamp', 'now'],
    ['x-timestamp', '1e12'],
    ['x-timestamp', '-1'],
    ['x-timestamp', '17947008000000000'],
    ['x-api-key', ''],
    ['x-api-key', 'k'.repeat(129)],
    ['x-api-key', 'two words'],
  ])('with a malformed %s (%s) are missing', async (name, value) => {
    expect(await code({ headers: { [name]: value } })).toBe('401 missing_credentials');
  });

  it.each([
    [300_000, '200 ok'],
    [-300_000, '200 ok'],
    [300_001, '401 timestamp_out_of_range'],
    [-300_001, '401 timestamp_out_of_range'],
  ])('whose clock differs by %i ms: %s', async (difference, expected) => {
    const nowMs = Date.now();
    service.nowMs = () => nowMs;
    try {
      expect(await code({ timestamp: String(nowMs + difference) })).toBe(expected);
    } finally {
      service.nowMs = Date.now;
    }
  });

  it('with a wrong clock get the time of the server', async () => {
    const { body } = await service.call(ann, TASKS, { timestamp: '1000' });
    expect(Math.abs(Date.parse(body.server_time) - Date.now())).toBeLessThan(60_000);
  });

  it('that are unknown, revoked or wrong look the same', async () => {
    const bob = await service.addCustomer('bob');
    await service.change(
      (sql, version) =>
        sql`update credential set status = 'revoked', version = ${version} where api_key = ${bob.apiKey}`,
    );
    const answers = [
      await service.call({ ...ann, apiKey: 'pk_nobody' }, TASKS),
      await service.call(bob, TASKS),
      await service.call(ann, TASKS, { secret: 'another' }),
    ].map(({ status, body, headers }) => ({
      status,
      body: { ...body, request_id: '' },
      headers: Object.keys(headers).sort(),
    }));
    expect(answers[0]?.status).toBe(401);
    expect(answers[0]?.body.code).toBe('invalid_signature');
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('made a moment ago on another node are known at once', async () => {
    const dave = await service.addCustomer('dave', { isUnannounced: true });
    expect(await code({}, dave)).toBe('200 ok');
  });

  it('of a suspended customer are refused', async () => {
    const eve = await service.addCustomer('eve', { status: 'suspended' });
    expect(await code({}, eve)).toBe('403 customer_suspended');
    expect(await code({ secret: 'wrong' }, eve)).toBe('401 invalid_signature');
  });

  it.each([
    [['192.0.2.7'], '192.0.2.7', '200 ok'],
    [['192.0.2.7'], '192.0.2.8', '403 ip_not_allowed'],
    [['192.0.2.0/24'], '192.0.2.8', '200 ok'],
    [['192.0.2.0/24'], '::ffff:192.0.2.8', '200 ok'],
    [['192.0.2.0/24'], '192.0.3.1', '403 ip_not_allowed'],
    [['2001:db8::/32'], '2001:db8::5', '200 ok'],
    [['2001:db8::/32'], '2001:db9::5', '403 ip_not_allowed'],
    [['192.0.2.7', '10.0.0.0/8'], '10.1.2.3', '200 ok'],
  ])('allowed from %j, used from %s: %s', async (ipAllow, remoteAddress, expected) => {
    const name = `ip${Math.random()}`;
    const customer = await service.addCustomer(name, { ipAllow });
    expect(await code({ remoteAddress }, customer)).toBe(expected);
  });

  it('sign the target as it was sent, not as it is read', async () => {
    const port = await listening;
    for (const query of ['?client_request_id=a%20b', '?client_request_id=a+b', '?client_request_id=%61', '?', '?&&']) {
      const target = TASKS + query;
      const headers = signHeaders(ann, { method: 'GET', target });
      expect(await requestStatus(port, 'GET', target, undefined, headers), target).toBe(200);
    }
  });

  it('sign the body of a GET too', async () => {
    const port = await listening;
    const get = (signedBody: string) =>
      requestStatus(
        port,
        'GET',
        TASKS,
        'ignored',
        signHeaders(ann, { method: 'GET', target: TASKS, body: signedBody }),
      );
    expect(await get('ignored')).toBe(200);
    expect(await get('')).toBe(401);
  });
});

describe('the rate limit', () => {
  it('is the customer’s own, said on every answer, and refuses what is beyond it', async () => {
    const slow = await service.addCustomer('slow', { requestsPerSecond: 3 });
    const answers = [];
    for (let index = 0; index < 4; index += 1) answers.push(await service.call(slow, TASKS));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[0]?.headers).toMatchObject({
      'ratelimit-policy': '"default";q=3;w=1',
      ratelimit: '"default";r=2;t=1',
    });
    expect(answers[3]?.body.code).toBe('rate_limited');
    expect(answers[3]?.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-policy': '"default";q=3;w=1',
      ratelimit: '"default";r=0;t=1',
    });
    expect((await service.call(ann, TASKS)).status).toBe(200);
  });
});
