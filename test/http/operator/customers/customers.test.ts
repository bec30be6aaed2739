import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { traitsOf } from '../../../../src/channels/registry.js';
import { connectDatabase } from '../../../../src/store/connect.js';
import { startSnapshot } from '../../../../src/store/snapshot/source.js';
import { faultsOf, type OperatorApi, startOperatorApi } from '../../../support/operator-api.js';
import { testOnOnePostgres } from '../../../support/postgres/one-postgres.js';

let api: OperatorApi;
let customerNo = '';
let otherNo = '';
beforeAll(async () => {
  api = await startOperatorApi();
  await api.call('POST', '/firms', { firm: 'cmcc' });
  otherNo = (await api.call('POST', '/customers', { name: 'Other', unit_price: '0' })).body.customer_no;
});
afterAll(() => api.close());

const auditOf = async (subject: string) => (await api.call('GET', `/audit?subject=${subject}`)).body.items;
const lastAuditOf = async (subject: string) => (await auditOf(subject))[0];

describe('customers', () => {
  it('are created with every default, and an empty account', async () => {
    const { status, body } = await api.call('POST', '/customers/', { name: 'Ann', unit_price: '0' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Ann',
      status: 'active',
      currency: 'CNY',
      billing_mode: 'prepaid',
      credit_limit: '0.000000',
      charge_on: 'submit',
      refund_on_failure: false,
      unit_price: '0.000000',
      policy: { prepare: 'by_request', freeze: 'by_request', submit: 'by_request' },
      requests_per_second: 1000,
      daily_limit: null,
      low_balance: null,
      account: { available: '0.000000', frozen: '0.000000' },
    });
    expect(body.customer_no).toMatch(/^C[0-9A-Z]{13}$/);
    customerNo = body.customer_no;
    expect((await api.call('GET', `/customers/${customerNo}`)).body).toEqual(body);
    expect(await lastAuditOf(customerNo)).toMatchObject({
      action: 'customer.create',
      change: { name: 'Ann', unit_price: '0.000000' },
    });
    expect(api.snapshot.current().customerByNo(customerNo)).toMatchObject({ name: 'Ann', requestsPerSecond: 1000 });
  });

  it('need a price, even zero: a forgotten price must not make sending free', async () => {
    expect(faultsOf(await api.call('POST', '/customers', { name: 'Ann' }))).toEqual(['/unit_price required']);
  });

  it('take every field', async () => {
    const terms = {
      name: 'Full',
      status: 'suspended',
      currency: 'EUR',
      billing_mode: 'postpaid',
      credit_limit: '100',
      charge_on: 'delivery',
      refund_on_failure: true,
      unit_price: '0.05',
      policy: { prepare: 'always', freeze: 'manual' },
      requests_per_second: 7,
      daily_limit: '500.5',
      low_balance: '20',
    };
    const { status, body } = await api.call('POST', '/customers', terms);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...terms,
      credit_limit: '100.000000',
      unit_price: '0.050000',
      daily_limit: '500.500000',
      low_balance: '20.000000',
      policy: { prepare: 'always', freeze: 'manual', submit: 'by_request' },
    });
  });

  it('change in part, and the limit of the account with them', async () => {
    const limit = async () => {
      const id = api.snapshot.current().customerByNo(customerNo)?.customerId ?? 0n;
      return (await api.database.sql`select credit_limit from account where customer_id = ${id}`)[0]?.credit_limit;
    };
    expect(await limit()).toBe(0n);
    const { status, body } = await api.call('PATCH', `/customers/${customerNo}`, {
      billing_mode: 'postpaid',
      credit_limit: '12.5',
      policy: { submit: 'manual' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Ann',
      billing_mode: 'postpaid',
      credit_limit: '12.500000',
      policy: { prepare: 'by_request', submit: 'manual' },
    });
    expect(await limit()).toBe(12_500_000n);
    // More credit is money too: tasks that wait for some are tried again.
    expect(await api.database.sql`select wants_refreeze from account where wants_refreeze`).toHaveLength(1);
    expect(api.credits()).toBeGreaterThan(0);
    expect((await lastAuditOf(customerNo)).change).toEqual({
      billing_mode: { before: 'prepaid', after: 'postpaid' },
      credit_limit: { before: '0.000000', after: '12.500000' },
      policy: {
        before: { prepare: 'by_request', freeze: 'by_request', submit: 'by_request' },
        after: { prepare: 'by_request', freeze: 'by_request', submit: 'manual' },
      },
    });
    await api.call('PATCH', `/customers/${customerNo}`, { billing_mode: 'prepaid' });
    expect(await limit()).toBe(0n);
  });

  it('have a daily limit and a mark of low balance that can be set and taken away', async () => {
    const change = async (body: object) => (await api.call('PATCH', `/customers/${customerNo}`, body)).body;
    const known = () => api.snapshot.current().customerByNo(customerNo);
    expect(await change({ daily_limit: '10', low_balance: '2.5' })).toMatchObject({
      daily_limit: '10.000000',
      low_balance: '2.500000',
    });
    expect(known()).toMatchObject({ dailyLimit: 10_000_000n, lowBalance: 2_500_000n });
    expect((await lastAuditOf(customerNo)).change).toEqual({
      daily_limit: { before: null, after: '10.000000' },
      low_balance: { before: null, after: '2.500000' },
    });
    expect(await change({ daily_limit: null })).toMatchObject({ daily_limit: null, low_balance: '2.500000' });
    expect(known()).toMatchObject({ dailyLimit: null, lowBalance: 2_500_000n });
    expect(
      faultsOf(await api.call('PATCH', `/customers/${customerNo}`, { daily_limit: '-1', low_balance: 2 })),
    ).toEqual(['/daily_limit out_of_range', '/low_balance type']);
  });

  it('change their currency only while no money has moved', async () => {
    const path = `/customers/${otherNo}`;
    expect((await api.call('PATCH', path, { currency: 'USD' })).body.currency).toBe('USD');
    await api.call('POST', `${path}/topups`, { amount: '1' });
    expect(faultsOf(await api.call('PATCH', path, { currency: 'EUR' }))).toEqual(['/currency out_of_range']);
    expect((await api.call('PATCH', path, { currency: 'USD', name: 'Other' })).status).toBe(200);
  });

  it('name every fault', async () => {
    const answer = await api.call('POST', '/customers', {
      name: 5,
      status: 'gone',
      currency: 'yuan',
      billing_mode: 'barter',
      credit_limit: '-1',
      charge_on: 'never',
      refund_on_failure: 'yes',
      unit_price: 0.05,
      policy: { prepare: 'sometimes', pay: 'later' },
      requests_per_second: 0,
      customer_no: 'C1',
    });
    expect(answer.status).toBe(400);
    expect(faultsOf(answer)).toEqual([
      '/billing_mode out_of_range',
      '/charge_on out_of_range',
      '/credit_limit out_of_range',
      '/currency format',
      '/customer_no unknown_field',
      '/name type',
      '/policy/pay unknown_field',
      '/policy/prepare out_of_range',
      '/refund_on_failure type',
      '/requests_per_second out_of_range',
      '/status out_of_range',
      '/unit_price type',
    ]);
    expect(
      faultsOf(
        await api.call('POST', '/customers', { name: 'x', unit_price: '0.0000001', credit_limit: '99999999999999' }),
      ),
    ).toEqual(['/credit_limit out_of_range', '/unit_price format']);
    expect(faultsOf(await api.call('PATCH', `/customers/${customerNo}`, { name: null, policy: null }))).toEqual([
      '/name type',
      '/policy type',
    ]);
  });

  it('are listed newest first, by page and by cursor', async () => {
    const first = await api.call('GET', '/customers?page_size=2');
    expect(first.body).toMatchObject({ total: 3, total_is_exact: true, page: 1, page_size: 2 });
    expect(first.body.items.map((item: { name: string }) => item.name)).toEqual(['Full', 'Ann']);
    const second = await api.call('GET', `/customers?page_size=2&cursor=${first.body.next_cursor}`);
    expect(second.body.items.map((item: { name: string }) => item.name)).toEqual(['Other']);
    expect((await api.call('GET', '/customers?page_size=2&page=2')).body.items).toEqual(second.body.items);
    expect((await api.call('GET', '/customers?status=suspended')).body.items).toHaveLength(1);
    expect(faultsOf(await api.call('GET', '/customers?page_size=101'))).toEqual(['?page_size out_of_range']);
  });

  testOnOnePostgres('its buckets are there, as many as shards')(
    'go into the bucket that was asked for, or the one with the fewest; another than those there are is refused',
    async () => {
      const bucketOf = async (more: object) =>
        (await api.call('POST', '/customers', { name: 'Placed', unit_price: '0', ...more })).body.bucket;
      const refused = await api.call('POST', '/customers', { name: 'Placed', unit_price: '0', bucket: 5 });
      expect(faultsOf(refused)).toEqual(['/bucket out_of_range']);
      await api.database.sql`insert into bucket values (5)`;
      expect([await bucketOf({}), await bucketOf({ bucket: 0 }), await bucketOf({})]).toEqual([5, 0, 5]);
      await api.database.sql`delete from bucket where bucket = 5`;
      expect(await bucketOf({})).toBe(0);
    },
  );

  it('that do not exist are not found, on every path below them', async () => {
    const none = '/customers/C0000000000000';
    const below = [
      '',
      '/credentials',
      '/grants',
      '/prices',
      '/service-accounts',
      '/templates',
      '/topups',
      '/adjustments',
      '/opt-outs',
    ];
    for (const path of below) expect((await api.call('GET', none + path)).status).toBe(404);
    for (const path of below.slice(1)) expect((await api.call('POST', none + path, {})).status).toBe(404);
    expect((await api.call('PATCH', none, {})).status).toBe(404);
  });
});

describe('credentials', () => {
  it('show their secret once and never again', async () => {
    const path = `/customers/${customerNo}/credentials`;
    const { status, body } = await api.call('POST', path, { ip_allow: ['192.0.2.0/24', '2001:db8::1'] });
    expect(status).toBe(201);
    expect(body.api_key).toMatch(/^pk_[\w-]{24}$/);
    expect(body.api_secret).toMatch(/^sk_[\w-]{43}$/);
    expect(body).toMatchObject({ ip_allow: ['192.0.2.0/24', '2001:db8::1'], status: 'active', revoked_at: null });
    expect(api.snapshot.current().credential(body.api_key)?.secret.toString()).toBe(body.api_secret);
    const { api_secret, ...shown } = body;
    expect((await api.call('GET', path)).body.items).toEqual([shown]);
    expect((await api.call('GET', `${path}/${body.api_key}`)).body).toEqual(shown);
    expect(await lastAuditOf(customerNo)).toMatchObject({
      action: 'credential.create',
      change: { api_key: body.api_key },
    });
    const everywhere = [
      JSON.stringify((await api.call('GET', '/audit')).body),
      JSON.stringify(await api.database.sql`select credential::text, encode(secret_sealed, 'escape') from credential`),
      api.logged(),
    ].join('');
    expect(everywhere).not.toContain(api_secret);
  });

  it('need no body', async () => {
    const { status, body } = await api.call('POST', `/customers/${customerNo}/credentials`);
    expect([status, body.ip_allow]).toEqual([201, []]);
  });

  it('take only addresses and blocks', async () => {
    const ip_allow = ['10.0.0.0/33', 'host', '1.2.3.4/', '::/129', '1.2.3.4/8/8', 7];
    expect(faultsOf(await api.call('POST', `/customers/${customerNo}/credentials`, { ip_allow }))).toEqual([
      '/ip_allow/0 format',
      '/ip_allow/1 format',
      '/ip_allow/2 format',
      '/ip_allow/3 format',
      '/ip_allow/4 format',
      '/ip_allow/5 type',
    ]);
  });

  it('are revoked permanently, idempotently, and known to another node without polling', async () => {
    const sql = connectDatabase(api.database.address, { maxConnections: 2 });
    const quiet = { warn: () => undefined, error: () => undefined };
    const node = await startSnapshot({ sql, sealer: api.sealer, traitsOf, log: quiet });
    try {
      const { body } = await api.call('POST', `/customers/${customerNo}/credentials`, {});
      await node.refreshIfStale();
      expect(node.current().credential(body.api_key)?.status).toBe('active');
      const seen = new Promise<void>((resolve) => node.onChange(() => resolve()));
      const path = `/customers/${customerNo}/credentials/${body.api_key}`;
      const revoked = await api.call('DELETE', path);
      expect([revoked.status, revoked.body.status]).toEqual([200, 'revoked']);
      expect(api.snapshot.current().credential(body.api_key)?.status).toBe('revoked');
      await seen;
      expect(node.current().credential(body.api_key)?.status).toBe('revoked');
      expect((await api.call('DELETE', path)).body).toEqual(revoked.body);
      expect(
        (await auditOf(customerNo)).filter((item: { action: string }) => item.action === 'credential.revoke'),
      ).toHaveLength(1);
      expect((await api.call('DELETE', `/customers/${otherNo}/credentials/${body.api_key}`)).status).toBe(404);
      expect((await api.call('DELETE', `/customers/${customerNo}/credentials/pk_none`)).status).toBe(404);

      const suspended = new Promise<void>((resolve) => node.onChange(() => resolve()));
      await api.call('PATCH', `/customers/${otherNo}`, { status: 'suspended' });
      expect(api.snapshot.current().customerByNo(otherNo)?.status).toBe('suspended');
      await suspended;
      expect(node.current().customerByNo(otherNo)?.status).toBe('suspended');
    } finally {
      await node.stop();
      await sql.end();
    }
  });
});

describe('grants and prices', () => {
  it('let a customer use a channel, once', async () => {
    const channel = (await api.call('POST', '/channels', { name: 'Sim', kind: 'simulator', firms: ['cmcc'] })).body;
    const path = `/customers/${customerNo}/grants`;
    const { status, body } = await api.call('POST', path, { channel_no: channel.channel_no });
    expect([status, body.channel_no]).toEqual([201, channel.channel_no]);
    const again = await api.call('POST', path, { channel_no: channel.channel_no });
    expect([again.status, again.body.code]).toEqual([409, 'already_exists']);
    expect((await api.call('GET', path)).body.items).toEqual([body]);
    const { customerId } = api.snapshot.current().customerByNo(customerNo) ?? {};
    expect(customerId !== undefined && api.snapshot.current().grantedChannels(customerId)).toHaveLength(1);
    expect(await lastAuditOf(customerNo)).toMatchObject({
      action: 'grant.create',
      change: { channel_no: channel.channel_no },
    });
    expect(faultsOf(await api.call('POST', path, { channel_no: 'H0' }))).toEqual(['/channel_no out_of_range']);
    expect(faultsOf(await api.call('POST', path, {}))).toEqual(['/channel_no required']);
  });

  it('price a firm, once, and change it after', async () => {
    const path = `/customers/${customerNo}/prices`;
    const { status, body } = await api.call('POST', path, { firm: 'cmcc', unit_price: '0.045' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ firm: 'cmcc', unit_price: '0.045000' });
    expect((await api.call('POST', path, { firm: 'cmcc', unit_price: '0.0450' })).status).toBe(409);
    expect((await api.call('POST', path, { firm: 'nobody', unit_price: '1' })).body.code).toBe('firm_unavailable');
    expect(faultsOf(await api.call('POST', path, { firm: 'cmcc', unit_price: '1e3' }))).toEqual(['/unit_price format']);
    const changed = await api.call('PATCH', `${path}/cmcc`, { unit_price: '0.04' });
    expect([changed.status, changed.body.unit_price]).toEqual([200, '0.040000']);
    expect((await lastAuditOf(customerNo)).change).toEqual({
      firm: 'cmcc',
      unit_price: { before: '0.045000', after: '0.040000' },
    });
    expect((await api.call('GET', path)).body.items).toEqual([changed.body]);
    expect((await api.call('PATCH', `${path}/other`, { unit_price: '0.04' })).status).toBe(404);
    const { customerId } = api.snapshot.current().customerByNo(customerNo) ?? {};
    expect(
      customerId !== undefined && api.snapshot.current().priceOf(customerId, 'cmcc', 'notice')('', new Date()),
    ).toBe(40_000n);
  });
});

describe('service accounts and templates', () => {
  let accountNo = '';

  it('give a customer a sender', async () => {
    const path = `/customers/${customerNo}/service-accounts`;
    const { status, body } = await api.call('POST', path, { name: 'Orders', sender: '10690001' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Orders', sender: '10690001', status: 'active' });
    accountNo = body.service_account_no;
    expect(accountNo).toMatch(/^A[0-9A-Z]{13}$/);
    expect((await api.call('GET', path)).body.items).toEqual([body]);
    expect((await api.call('GET', `${path}/${accountNo}`)).body).toEqual(body);
    expect((await api.call('PATCH', `${path}/${accountNo}`, { sender: 'Shop' })).body).toMatchObject({
      name: 'Orders',
      sender: 'Shop',
    });
    expect(await lastAuditOf(customerNo)).toMatchObject({
      action: 'service_account.change',
      change: { service_account_no: accountNo, sender: { before: '10690001', after: 'Shop' } },
    });
    expect(faultsOf(await api.call('POST', path, { name: 'x', sender: '退订' }))).toEqual(['/sender format']);
    expect(faultsOf(await api.call('POST', path, { sender: 'x'.repeat(21) }))).toEqual([
      '/name required',
      '/sender too_long',
    ]);
    expect((await api.call('GET', `/customers/${otherNo}/service-accounts/${accountNo}`)).status).toBe(404);
    expect((await api.call('PATCH', `/customers/${otherNo}/service-accounts/${accountNo}`, { name: 'x' })).status).toBe(
      404,
    );
  });

  it('give a customer a text', async () => {
    const path = `/customers/${customerNo}/templates`;
    const { status, body } = await api.call('POST', path, {
      name: 'Hello',
      body: 'Hello {p1},\nwelcome.',
      service_account_no: accountNo,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Hello',
      body: 'Hello {p1},\nwelcome.',
      service_account_no: accountNo,
      firms: null,
      status: 'active',
    });
    expect(body.template_no).toMatch(/^M[0-9A-Z]{13}$/);
    expect((await api.call('GET', `${path}/${body.template_no}`)).body).toEqual(body);
    const changed = await api.call('PATCH', `${path}/${body.template_no}`, { firms: ['cmcc'], status: 'disabled' });
    expect(changed.body).toMatchObject({ firms: ['cmcc'], status: 'disabled', body: body.body });
    expect((await lastAuditOf(customerNo)).change).toMatchObject({ firms: { before: null, after: ['cmcc'] } });
    expect((await api.call('PATCH', `${path}/${body.template_no}`, { firms: null })).body.firms).toBeNull();
    expect((await api.call('GET', path)).body.items).toMatchObject([{ template_no: body.template_no }]);
    const { customerId } = api.snapshot.current().customerByNo(customerNo) ?? {};
    expect(customerId !== undefined && api.snapshot.current().template(customerId, body.template_no)).toMatchObject({
      status: 'disabled',
      firms: null,
    });
    expect((await api.call('GET', `/customers/${otherNo}/templates/${body.template_no}`)).status).toBe(404);
    expect((await api.call('PATCH', `/customers/${otherNo}/templates/${body.template_no}`, { name: 'x' })).status).toBe(
      404,
    );
  });

  it('are shown as a handset would before they are stored', async () => {
    const preview = (body: object) => api.call('POST', '/templates/preview', body);
    const short = await preview({ body: 'Hello {p1}, {p2}', variable_values: { p1: 'Ann' } });
    expect(short).toMatchObject({
      status: 200,
      body: { text: 'Hello Ann, {p2}', encoding: 'gsm7', parts: ['Hello Ann, {p2}'], variables: ['p1', 'p2'] },
    });
    const long = await preview({ body: '{p1}', variable_values: { p1: '验'.repeat(71) } });
    expect(long.body).toMatchObject({ encoding: 'ucs2', parts: ['验'.repeat(67), '验'.repeat(4)] });
    const wrong = await preview({ body: '{p19}', variable_values: { x: '1', p1: 'a'.repeat(501) } });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/body',
      '/variable_values/x',
      '/variable_values/p1',
    ]);
  });

  it('refuse what a customer may not use', async () => {
    const template = { name: 'x', body: 'x', service_account_no: accountNo };
    const foreign = await api.call('POST', `/customers/${otherNo}/templates`, template);
    expect([foreign.status, foreign.body.code]).toEqual([422, 'service_account_unavailable']);
    const firms = await api.call('POST', `/customers/${customerNo}/templates`, { ...template, firms: ['nobody'] });
    expect([firms.status, firms.body.code]).toEqual([422, 'firm_unavailable']);
  });

  it('name every fault', async () => {
    const path = `/customers/${customerNo}/templates`;
    expect(
      faultsOf(await api.call('POST', path, { name: 'x', body: 'Hi {p19} {P1}', service_account_no: 1, firms: [] })),
    ).toEqual(['/body unknown_variable', '/firms too_few', '/service_account_no type']);
    expect(faultsOf(await api.call('POST', path, {}))).toEqual([
      '/body required',
      '/name required',
      '/service_account_no required',
    ]);
    expect(
      faultsOf(await api.call('POST', path, { name: 'x', body: 'x'.repeat(2001), service_account_no: accountNo })),
    ).toEqual(['/body too_long']);
    expect(
      faultsOf(await api.call('POST', path, { name: 'x', body: '\ud800', service_account_no: accountNo })),
    ).toEqual(['/body format']);
  });
});

describe('opt-outs', () => {
  it('are put on the list and taken off in any spelling', async () => {
    const path = `/customers/${customerNo}/opt-outs`;
    const { status, body } = await api.call('POST', path, { phone: '+86 138 0013 8000' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ phone: '+86 138 0013 8000', source: 'operator' });
    expect((await api.call('POST', path, { phone: '13800138000' })).body.code).toBe('already_exists');
    expect((await api.call('GET', path)).body.items).toEqual([body]);
    expect((await api.call('GET', `${path}?phone=138-0013-8000`)).body.items).toEqual([body]);
    expect((await api.call('GET', `${path}?phone=13800138009`)).body).toMatchObject({ items: [], total: 0 });
    expect((await api.call('GET', `/customers/${otherNo}/opt-outs?phone=13800138000`)).body.items).toEqual([]);
    expect((await api.call('GET', `/customers/${otherNo}/opt-outs`)).body.items).toEqual([]);
    expect((await api.call('DELETE', `/customers/${otherNo}/opt-outs/13800138000`)).status).toBe(404);
    expect((await api.call('DELETE', `${path}/%2B8613800138000`)).body).toEqual(body);
    expect((await api.call('DELETE', `${path}/13800138000`)).status).toBe(404);
    const actions = (await auditOf(customerNo)).slice(0, 2).map((item: { action: string }) => item.action);
    expect(actions).toEqual(['opt_out.delete', 'opt_out.create']);
  });

  it('are real numbers', async () => {
    const path = `/customers/${customerNo}/opt-outs`;
    expect(faultsOf(await api.call('POST', path, { phone: '123' }))).toEqual(['/phone format']);
    expect(faultsOf(await api.call('POST', path, { phone: 13800138000 }))).toEqual(['/phone type']);
  });

  it('are paged by number', async () => {
    const path = `/customers/${customerNo}/opt-outs`;
    for (const phone of ['13800138003', '13800138001', '13800138002']) await api.call('POST', path, { phone });
    const first = await api.call('GET', `${path}?page_size=2`);
    const second = await api.call('GET', `${path}?page_size=2&cursor=${first.body.next_cursor}`);
    const phones = [...first.body.items, ...second.body.items].map((item: { phone: string }) => item.phone);
    expect(phones).toEqual(['13800138001', '13800138002', '13800138003']);
    expect(second.body).toMatchObject({ total: 3, next_cursor: null, page: 2 });
  });
});
