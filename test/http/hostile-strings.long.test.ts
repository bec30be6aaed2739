// Strings that PostgreSQL, a log, a terminal or a browser could misread, in every field of every call. New calls join by
// themselves. Whatever the answer is, it is an answer, and never a fault of ours.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src/http/openapi.js';
import { type HttpService, startHttpService, type TestCustomer } from '../support/http-service.js';
import { type OperatorApi, startOperatorApi } from '../support/operator-api.js';

const HOSTILE: readonly string[] = [
  'a\u0000b',
  '\ud800',
  'x\udc00\ud800',
  '\u202eabc\u2066',
  '\u001b]0;title\u0007\u001b[2J',
  '\u009b31m',
  "'; drop table task; --",
  '{"a":1}',
  '%00%zz',
  '\ufeff\uffff',
  '<script>alert(1)</script>',
  'x'.repeat(5000),
];

/** Those that also come inside of arrays and objects. */
const SHAPED: ReadonlySet<string> = new Set(HOSTILE.slice(0, 3));
const TIMEOUT_MS = 180_000;

let service: HttpService;
let api: OperatorApi;
let ann: TestCustomer;

beforeAll(async () => {
  service = await startHttpService({ hasWorker: true });
  ann = await service.addCustomer('ann');
  api = await startOperatorApi();
});
afterAll(async () => {
  await service.stop();
  await api.close();
});

interface Ask {
  readonly method: string;
  readonly target: string;
  readonly body?: Record<string, unknown>;
}

/** Each string in each place of each call: parts of the path, filters, and every field of the body. */
function* asksOf(document: OpenApiDocument, prefix: string): Generator<Ask> {
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith(prefix)) continue;
    for (const [method, operation] of Object.entries(methods)) {
      const content = operation.requestBody?.content['application/json'];
      const example = (content?.example ?? {}) as Record<string, unknown>;
      const fields = Object.keys({ ...example, name: '', remark: '', client_request_id: '' });
      const body = content === undefined ? {} : { body: example };
      for (const text of HOSTILE) {
        // What has no UTF-8 cannot be in a target; the bytes that stand for it can.
        const word = encodeURIComponent(Buffer.from(text).toString());
        if (path.includes('{')) yield { method, target: path.replaceAll(/\{\w+\}/g, word), ...body };
        const bare = path.replaceAll(/\{\w+\}/g, 'X0');
        for (const { name, in: place } of operation.parameters ?? []) {
          if (place === 'query') yield { method, target: `${bare}?${name}=${word}`, ...body };
        }
        if (content === undefined) continue;
        for (const field of fields) {
          yield { method, target: bare, body: { ...example, [field]: text } };
          if (!SHAPED.has(text)) continue;
          yield { method, target: bare, body: { ...example, [field]: [text] } };
          yield { method, target: bare, body: { ...example, [field]: { [text]: text, p1: text, phone: text } } };
        }
      }
    }
  }
}

test(
  'customers can write anything anywhere',
  async () => {
    const document = (await service.app.inject({ url: '/openapi.json' })).json() as OpenApiDocument;
    let asked = 0;
    for (const { method, target, body } of asksOf(document, '/openapi/')) {
      const named = body === undefined || !('template_no' in body) ? body : { ...body, template_no: ann.templateNo };
      for (const sent of body === named ? [body] : [body, named]) {
        const options = { method: method.toUpperCase(), ...(sent === undefined ? {} : { body: sent }) };
        const answer = await service.call(ann, target, options);
        expect(answer.status, `${method} ${target} ${JSON.stringify(sent)} ${answer.text}`).toBeLessThan(500);
        asked += 1;
      }
    }
    expect(asked).toBeGreaterThan(500);
    expect(service.logged.join('')).not.toContain('a request failed');
  },
  TIMEOUT_MS,
);

test(
  'operators can write anything anywhere',
  async () => {
    const document = (await api.app.inject({ url: '/openapi.json' })).json() as OpenApiDocument;
    let asked = 0;
    for (const { method, target, body } of asksOf(document, '/operator/')) {
      const answer = await api.call(method.toUpperCase(), target.replace('/operator/v1', ''), body);
      expect(answer.status, `${method} ${target} ${JSON.stringify(body)}`).toBeLessThan(500);
      asked += 1;
    }
    expect(asked).toBeGreaterThan(500);
    expect(api.logged()).not.toContain('a request failed');
  },
  TIMEOUT_MS,
);
