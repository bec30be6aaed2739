import { OperatorClient, PostriderClient } from '@postrider/client';
import { expect, test } from 'vitest';
import { createCustomerApi } from '../../src/http/customer/api.js';
import { createOperatorApi } from '../../src/http/operator/routes.js';

// What operations look like needs none of what they work with.
const nothing = {} as never;
const operations = [...createCustomerApi(nothing).operations, ...createOperatorApi(nothing).operations];

/** Made of other methods. */
const composed = new Set(['send', 'sendOrReplay', 'sendAll', 'previewAll', 'findTask', 'waitForTask']);
const moves = ['prepare', 'freeze', 'submit', 'pause', 'resume', 'cancel'];

/** Calls every method once and notes what it asks for. */
async function recordCalls(): Promise<string[]> {
  const calls: string[] = [];
  const record = async (url: string | URL | Request, init?: RequestInit) => {
    calls.push(`${init?.method} ${new URL(String(url)).pathname.replace(/\/$/, '')}`);
    return new Response(JSON.stringify({ items: [], next_cursor: null }));
  };
  const shared = { baseUrl: 'http://localhost', fetch: record as typeof fetch };
  for (const client of [
    new PostriderClient({ ...shared, apiKey: 'key', apiSecret: 'secret' }),
    new OperatorClient({ ...shared, token: 'token' }),
  ]) {
    const own = Object.getPrototypeOf(client);
    // Those of the client and of its calls; what both clients share calls nothing by itself.
    const methods = [own, Object.getPrototypeOf(own)]
      .flatMap((prototype) => Object.getOwnPropertyNames(prototype))
      .filter((name) => name !== 'constructor');
    for (const name of methods.filter((method) => !composed.has(method))) {
      const method = (client as unknown as Record<string, (...words: string[]) => unknown>)[name];
      for (const move of name === 'moveTask' || name === 'moveBatch' ? moves : ['X']) {
        const words = ['X', move, 'X'].slice(0, method?.length);
        const result = (await method?.apply(client, words)) as { page?: () => Promise<unknown> } | null;
        if (typeof result?.page === 'function') await result.page();
      }
    }
  }
  return calls;
}

test('every operation has a method', async () => {
  const calls = new Set([...(await recordCalls()), 'POST /openapi/v1/messages/send']);
  const missing = operations.filter(({ path, method }) => {
    const pattern = new RegExp(`^${method} ${path.replace(/\/$/, '').replace(/\{\w+\}/g, '[^/]+')}$`);
    return ![...calls].some((call) => pattern.test(call));
  });
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
