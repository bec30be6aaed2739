// What a configuration may say, and the requests and callbacks that follow from it.
import { expect, it } from 'vitest';
import type { Part } from '../../../src/channels/channel.js';
import { checkConfig } from '../../../src/channels/check-config.js';
import { HttpConfigSchema } from '../../../src/channels/http-upstream/config.js';
import { httpDriver } from '../../../src/channels/http-upstream/driver.js';
import { parseJson, resolvePointer } from '../../../src/channels/http-upstream/json.js';
import { createRequestBuilder } from '../../../src/channels/http-upstream/request.js';
import { createConfig, createPart } from './peer.js';

const faultsOf = (over: Readonly<Record<string, unknown>>) => {
  const checked = httpDriver.check(createConfig(80, over));
  return 'faults' in checked ? checked.faults.map(({ pointer, code }) => `${pointer} ${code}`) : [];
};

function build(over: Readonly<Record<string, unknown>>, part: Part = createPart()) {
  const { config } = checkConfig(HttpConfigSchema, createConfig(80, over));
  if (config === undefined) throw new Error('the configuration has faults');
  const built = createRequestBuilder(config)(part);
  if ('fault' in built) return built;
  const { url, headers, body } = built.request;
  return { url: url.href, headers, body: body.toString('utf8') };
}

it('fills in the defaults and keeps secrets apart', () => {
  const checked = httpDriver.check(createConfig(80, { secrets: { token: 'hush' } }));
  expect(checked).toMatchObject({
    config: {
      method: 'POST',
      format: 'json',
      concurrency: 10,
      timeout_ms: 10_000,
      headers: {},
      answer: {
        accepted: { status: [200, 201, 202], match: {} },
        throttled: { status: [429], codes: [] },
        refused: { status: [400, 401, 403, 404, 422], codes: [] },
      },
    },
    secret: { secrets: { token: 'hush' } },
  });
  expect(JSON.stringify('config' in checked && checked.config)).not.toContain('hush');
});

it.each([
  [{ url: 'ftp://a/' }, ['/url format']],
  [{ url: 'https://{p1}.example/' }, ['/url format']],
  [{ url: 'https://user:pw@a.example/' }, ['/url format']],
  [{ url: 'https://a.example/#x' }, ['/url format']],
  [{ method: 'GET' }, ['/format requires']],
  [{ headers: { Host: 'a' } }, ['/headers/Host not_allowed_together']],
  [{ headers: { 'x y': 'a' } }, ['/headers/x y format']],
  [{ headers: { x: 'a\r\nInjected: yes' } }, ['/headers/x format']],
  [{ headers: { x: 1 } }, ['/headers/x type']],
  [{ headers: { authorization: 'Bearer {secret.token}' } }, ['/headers/authorization requires']],
  [{ format: 'form', body: { a: { b: 1 } } }, ['/body type']],
  [{ answer: { message_id: 'id' } }, ['/answer/message_id format']],
  [{ answer: { accepted: { match: { '/a': [] } } } }, ['/answer/accepted/match/~1a type']],
  [{ reports: { message_id: '/id' } }, ['/reports/status required']],
  [{ nonsense: 1 }, ['/nonsense unknown_field']],
])('refuses %j', (over, faults) => {
  expect(faultsOf(over)).toEqual(faults);
});

it('inserts placeholders as values, never as JSON, and does not search them again', () => {
  const text = 'He said "{p1}"\n{secret.token} \\ ","to":"+1';
  const { body } = build(
    { body: { a: ['{text}', 1, null, { b: 'x{sender}y' }] }, secrets: { token: 't' } },
    createPart({ text }),
  ) as {
    body: string;
  };
  expect(JSON.parse(body)).toEqual({ a: [text, 1, null, { b: 'x1069012345y' }] });
});

it('knows every placeholder', () => {
  const part = createPart({ variables: { p1: 'one', p18: 'eighteen' }, templateCode: 'SMS_1' });
  const body = {
    a: '{phone} {phone_digits} {phone_national} {reference} {p1} {p2} {p18} {template_code} {secret.key}',
    b: '{p19} {unknown} {}',
  };
  const built = build({ body, secrets: { key: 'k' } }, part) as { body: string };
  expect(JSON.parse(built.body)).toEqual({
    a: '+8613800138000 8613800138000 13800138000 1.2.3.1 one  eighteen SMS_1 k',
    b: '{p19} {unknown} {}',
  });
});

it('encodes addresses, queries and forms', () => {
  const part = createPart({ text: 'a&b=c d+é', from: '../x' });
  expect(
    build({ url: 'https://a.example/{sender}?k={text}', format: 'query', method: 'GET', body: { t: '{text}' } }, part),
  ).toMatchObject({
    url: 'https://a.example/..%2Fx?k=a%26b%3Dc+d%2B%C3%A9&t=a%26b%3Dc+d%2B%C3%A9',
    body: '',
  });
  expect(build({ format: 'form', body: { t: '{text}', n: [1, 2] } }, part)).toMatchObject({
    body: 't=a%26b%3Dc+d%2B%C3%A9&n=1&n=2',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
});

it('refuses a message that cannot be put into a request, before anything is sent', () => {
  expect(build({ headers: { x: '{text}' } }, createPart({ text: 'a\r\nInjected: yes' }))).toEqual({
    fault: 'INVALID_HEADER',
  });
  for (const sender of ['.', '..']) {
    for (const url of ['https://a.example/send/{sender}', 'https://a.example/send/{sender}/now?k=1']) {
      expect(build({ url }, createPart({ from: sender }))).toEqual({ fault: 'INVALID_URL' });
    }
  }
  expect(build({ url: 'https://a.example/send/{sender}' }, createPart({ from: '...' }))).toMatchObject({
    url: 'https://a.example/send/...',
  });
  expect(build({ body: { c: '{template_code}' } })).toEqual({ fault: 'NO_TEMPLATE_CODE' });
  expect(build({ body: { c: '{p1}' } })).toEqual({ fault: 'NO_VARIABLES' });
});

it('reads callbacks in every format, one or a list', () => {
  const read = (over: Readonly<Record<string, unknown>>, kind: 'reports' | 'uplinks', body: string, query = '') =>
    httpDriver.readCallback?.(createConfig(80, over), kind, { body: Buffer.from(body), query });
  const fields = { message_id: '/i', phone: '/p', status: '/s', delivered: ['D'], undelivered: ['U'], code: '/c' };
  expect(
    read(
      { reports: { ...fields, items: '/list' } },
      'reports',
      '{"list":[{"i":12345678901234567890,"p":"+861","s":"D","c":0},{"i":"b","s":"U"},{"i":"c","s":"Q"}]}',
    ),
  ).toEqual([
    { kind: 'report', messageId: '12345678901234567890', phone: '861', status: 'delivered', code: '0' },
    { kind: 'report', messageId: 'b', status: 'undelivered', code: 'U' },
    { kind: 'report', messageId: 'c', status: 'intermediate', code: 'Q' },
  ]);
  expect(read({ reports: { ...fields, format: 'form' } }, 'reports', 'i=a&s=D&i=b')).toMatchObject([
    { messageId: 'a' },
  ]);
  expect(read({ reports: { ...fields, format: 'query' } }, 'reports', '', 'i=q&s=D')).toMatchObject([
    { messageId: 'q' },
  ]);
  expect(read({}, 'uplinks', '{"from":"+8613800138000","to":"106","text":"STOP\\u0000"}')).toMatchObject([
    { kind: 'uplink', from: '8613800138000', to: '106', text: 'STOP' },
  ]);
  expect(read({ uplinks: undefined }, 'uplinks', '{}')).toBeUndefined();
  for (const body of ['', '{', '[]', '{}', 'null', '{"id":"a"}', `{"id":${'['.repeat(5000)}`]) {
    expect(typeof read({}, 'reports', body)).toBe('string');
  }
});

it('marks an uplink by all that came with it: the same again is the same, another id is another', () => {
  const read = (id: string) =>
    httpDriver.readCallback?.(createConfig(80), 'uplinks', {
      body: Buffer.from(JSON.stringify({ id, from: '1', to: '2', text: '1' })),
      query: '',
    }) as readonly { mark: string }[];
  expect(read('a')[0]?.mark).toBe(read('a')[0]?.mark);
  expect(read('a')[0]?.mark).not.toBe(read('b')[0]?.mark);
});

it('resolves pointers to own members only', () => {
  const value = parseJson('{"a":[{"b/c":1}],"":{"~":2},"n":1.5,"e":1e20,"s":"99999999999999999999"}');
  const at = (pointer: string) => resolvePointer(value, pointer);
  expect([at('/a/0/b~1c'), at('//~0'), at('/n'), at('/s')]).toEqual([1, 2, 1.5, '99999999999999999999']);
  expect(['/a/length', '/a/-1', '/a/00', '/__proto__', '/constructor', '/a/0/b~1c/x', '/toString'].map(at)).toEqual(
    Array(7).fill(undefined),
  );
});
