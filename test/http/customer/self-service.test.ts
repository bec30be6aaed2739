// What a customer may send with, as the customer sees it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;

beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann', { templateBody: 'Hi {p2}, {p1} {p2}', templateFirms: ['cmcc'] });
  bob = await service.addCustomer('bob');
  await service.change(async (sql, version) => {
    await sql`
      insert into firm (firm, name, prefixes, version)
      values ('nobody', 'Not served', '{}', ${version}), ('bobs', 'Of Bob alone', ${['86130']}, ${version})`;
    await sql`update channel set firms = ${['cmcc', 'bobs']}, version = ${version} where channel_no = 'H_bob'`;
    await sql`
      insert into channel (channel_no, name, kind, firms, status, config, version)
      values ('H_off', 'Off', 'simulator', ${['nobody']}, 'disabled', '{}', ${version})`;
    await sql`
      insert into channel_grant (customer_id, channel_id, version)
      select ${ann.customerId}, channel_id, ${version} from channel where channel_no = 'H_off'`;
    await sql`
      insert into price (customer_id, firm, unit_price, version) values (${bob.customerId}, 'bobs', 70000, ${version})`;
    for (const { customerId, apiKey } of [ann, bob]) {
      await sql`
        insert into opt_out (customer_id, phone_key, phone, source)
        values (${customerId}, 8613800138000, ${`138 0013 8000 ${apiKey}`}, 'uplink'),
          (${customerId}, 8613800138001, ${`13800138001 ${apiKey}`}, 'operator')`;
    }
  });
});
afterAll(() => service.stop());

const list = async (customer: TestCustomer, target: string) => {
  const { status, body } = await service.call(customer, `/openapi/v1/${target}`);
  expect(status).toBe(200);
  return body;
};

describe('templates', () => {
  it('come with their variables, in order and once each, and a body to send them with', async () => {
    const { items, ...page } = await list(ann, 'templates/');
    expect(page).toEqual({ page: 1, page_size: 20, total: 1, total_is_exact: true, next_cursor: null });
    expect(items).toEqual([
      {
        template_no: 'M_ann',
        name: 'Hello',
        body: 'Hi {p2}, {p1} {p2}',
        class: 'notice',
        service_account_no: 'A_ann',
        firms: ['cmcc'],
        status: 'active',
        revision: 1,
        reason: null,
        submitted_at: null,
        reviewed_at: null,
        variables: ['p1', 'p2'],
        example: {
          template_no: 'M_ann',
          phones: ['13800138000'],
          variable_values: { p1: 'value of p1', p2: 'value of p2' },
        },
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
  });

  it('can be sent as their example says', async () => {
    for (const customer of [ann, bob]) {
      const [{ example }] = (await list(customer, 'templates/')).items;
      const answer = await service.call(customer, '/openapi/v1/messages/send/', { body: example });
      expect([answer.status, answer.body.stage]).toEqual([200, 'queued']);
    }
  });
});

it('service accounts are shown by named fields', async () => {
  expect((await list(ann, 'service-accounts/')).items).toEqual([
    {
      service_account_no: 'A_ann',
      name: expect.any(String),
      sender: expect.any(String),
      signature: null,
      signature_position: 'head',
      status: 'active',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
});

describe('firms', () => {
  it('are those that an active channel of the customer serves, with its price', async () => {
    expect((await list(ann, 'firms/')).items).toEqual([
      { firm: 'cmcc', name: 'China Mobile', prefixes: [], unit_price: '0.050000', currency: 'CNY' },
    ]);
    expect((await list(bob, 'firms')).items).toEqual([
      { firm: 'bobs', name: 'Of Bob alone', prefixes: ['86130'], unit_price: '0.070000', currency: 'CNY' },
      { firm: 'cmcc', name: 'China Mobile', prefixes: [], unit_price: '0.050000', currency: 'CNY' },
    ]);
  });

  it('are paged', async () => {
    const first = await list(bob, 'firms/?page_size=1');
    expect([first.total, first.items[0].firm]).toEqual([2, 'bobs']);
    const second = await list(bob, `firms/?page_size=1&cursor=${first.next_cursor}`);
    expect([second.items[0].firm, second.next_cursor]).toEqual(['cmcc', null]);
  });
});

describe('opt-outs', () => {
  it('are found by any spelling of the number', async () => {
    const phones = async (query: string) =>
      (await list(ann, `opt-outs/${query}`)).items.map(({ phone }: { phone: string }) => phone);
    expect(await phones('')).toEqual(['138 0013 8000 pk_ann', '13800138001 pk_ann']);
    expect(await phones('?phone=%2B86%20138%200013%208001')).toEqual(['13800138001 pk_ann']);
    expect(await phones('?phone=13800138002')).toEqual([]);
  });
});

it('every list shows what is the caller’s own, and nothing of others', async () => {
  for (const noun of ['templates', 'service-accounts', 'opt-outs']) {
    const [own, others] = [JSON.stringify(await list(ann, noun)), JSON.stringify(await list(bob, noun))];
    expect(own).toContain('_ann');
    expect(own).not.toContain('_bob');
    expect(others).toContain('_bob');
    expect(others).not.toContain('_ann');
  }
});

it('no list takes a cursor of another, or parameters it does not know', async () => {
  const { next_cursor } = await list(bob, 'firms/?page_size=1');
  for (const query of [`cursor=${next_cursor}`, 'status=active', 'page_size=101']) {
    expect((await service.call(bob, `/openapi/v1/opt-outs/?${query}`)).status).toBe(400);
  }
});

it('a refusal says where to look', async () => {
  const refused = async (body: object) =>
    (await service.call(ann, '/openapi/v1/messages/send/', { body: { phones: ['13800138000'], ...body } })).body;
  const variable_values = { p1: 'a', p2: 'b' };
  expect((await refused({ template_no: 'M_bob' })).detail).toContain('GET /openapi/v1/templates/');
  expect((await refused({ template_no: 'M_ann', variable_values, target_firms: ['bobs'] })).detail).toContain(
    'GET /openapi/v1/firms/',
  );
  expect((await refused({ template_no: 'M_ann', variable_values, service_account_no: 'A_bob' })).detail).toContain(
    'GET /openapi/v1/service-accounts/',
  );
});
