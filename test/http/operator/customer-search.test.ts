// The list of customers, searched by the beginning of a name.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OperatorApi, startOperatorApi } from '../../support/operator-api.js';

let api: OperatorApi;
beforeAll(async () => {
  api = await startOperatorApi();
  for (const name of ['Acme', 'acorn', 'Berlin', 'ACME 2']) {
    await api.call('POST', '/customers', { name, unit_price: '0' });
  }
});
afterAll(() => api.close());

const namesOf = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name);

it('finds names by their beginning, in the order of names, page after page', async () => {
  const first = (await api.call('GET', '/customers?name=ac&page_size=2')).body;
  expect([namesOf(first), first.total]).toEqual([['Acme', 'ACME 2'], 3]);
  const next = (await api.call('GET', `/customers?name=ac&page_size=2&cursor=${first.next_cursor}`)).body;
  expect([namesOf(next), next.next_cursor]).toEqual([['acorn'], null]);
  expect(namesOf((await api.call('GET', '/customers?name=c')).body)).toEqual([]);
  expect(namesOf((await api.call('GET', '/customers?name=berlin&status=active')).body)).toEqual(['Berlin']);
  expect(namesOf((await api.call('GET', '/customers?name=berlin&status=suspended')).body)).toEqual([]);
  expect(namesOf((await api.call('GET', '/customers')).body)).toEqual(['ACME 2', 'Berlin', 'acorn', 'Acme']);
});
