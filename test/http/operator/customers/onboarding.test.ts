import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { faultsOf, type OperatorApi, startOperatorApi } from '../../../support/operator-api.js';

let api: OperatorApi;
let channelNo = '';
beforeAll(async () => {
  api = await startOperatorApi();
  await api.call('POST', '/firms', { firm: 'cmcc' });
  const channel = { name: 'One', kind: 'simulator', firms: ['cmcc'] };
  channelNo = (await api.call('POST', '/channels', channel)).body.channel_no;
});
afterAll(() => api.close());

const countCustomers = async () => (await api.call('GET', '/customers')).body.total;

const whole = (more: object = {}) => ({
  customer: { name: 'Ann', unit_price: '0.05', send_windows: [] },
  channels: [{ channel_no: channelNo }],
  prices: [{ firm: 'cmcc', unit_price: '0.04', prefix: '+86138' }],
  service_account: { name: 'Orders', sender: '10690001' },
  template: { name: 'Hello', body: 'Hello {p1}', firms: ['cmcc'] },
  user: { email: `ann-${Math.random()}@example.com`, name: 'Ann', role: 'admin' },
  topup: { amount: '100', remark: 'First' },
  credential: { scopes: ['send', 'read'] },
  ...more,
});

describe('an onboarding', () => {
  it('makes all of it, and shows the secrets', async () => {
    const { status, body } = await api.call('POST', '/onboardings', whole());
    expect(status).toBe(201);
    expect(body).toMatchObject({
      customer: { name: 'Ann', account: { available: '100.000000', frozen: '0.000000' } },
      channels: [{ channel_no: channelNo }],
      prices: [{ firm: 'cmcc', prefix: '86138', unit_price: '0.040000' }],
      service_account: { name: 'Orders', sender: '10690001', status: 'active' },
      template: { name: 'Hello', service_account_no: body.service_account.service_account_no, status: 'active' },
      user: { role: 'admin', invitation_url: expect.stringContaining('/console/invitations/') },
      topup: { type: 'topup', amount: '100.000000', remark: 'First', available_after: '100.000000' },
      credential: { scopes: ['send', 'read'], api_secret: expect.stringMatching(/^sk_/) },
    });
    const path = `/customers/${body.customer.customer_no}`;
    expect((await api.call('GET', path)).body).toEqual(body.customer);
    const { template_no } = body.template;
    expect((await api.call('GET', `${path}/templates/${template_no}`)).body).toEqual(body.template);
    expect((await api.call('GET', `/audit?subject=${body.customer.customer_no}`)).body.total).toBe(8);
    expect(api.snapshot.current().customerByNo(body.customer.customer_no)).toMatchObject({ name: 'Ann' });
  });

  it('needs no more than the customer', async () => {
    const body = { customer: { name: 'Bare', unit_price: '0' }, channels: [{ channel_no: channelNo }] };
    const answer = await api.call('POST', '/onboardings', body);
    expect(answer.status).toBe(201);
    const nothing = { prices: [], service_account: null, template: null, user: null, topup: null, credential: null };
    expect(answer.body).toMatchObject({
      customer: { name: 'Bare' },
      channels: [{ channel_no: channelNo }],
      ...nothing,
    });
  });

  it('makes nothing where one of them cannot be made', async () => {
    const before = await countCustomers();
    const taken = whole();
    await api.call('POST', '/onboardings', taken);
    const cases = [
      [
        whole({ channels: [{ channel_no: channelNo }, { channel_no: 'H0' }] }),
        400,
        ['/channels/1/channel_no out_of_range'],
      ],
      [whole({ prices: [{ firm: 'none', unit_price: '1' }] }), 422, undefined],
      [whole({ user: taken.user }), 409, undefined],
      [whole({ template: { name: 'T', body: 'T', firms: ['none'] } }), 422, undefined],
    ] as const;
    for (const [body, status, faults] of cases) {
      const answer = await api.call('POST', '/onboardings', body);
      expect(answer.status).toBe(status);
      if (faults !== undefined) expect(faultsOf(answer)).toEqual(faults);
    }
    expect(await countCustomers()).toBe(before + 1);
  });

  it('names all faults of all parts at once', async () => {
    const answer = await api.call('POST', '/onboardings', {
      customer: { name: '' },
      prices: [{ firm: 'cmcc', unit_price: 1 }],
      template: { name: 'T', body: 'Hello {p19}' },
      topup: { amount: '-1' },
      credential: { scopes: ['fly'] },
      other: 1,
    });
    expect(answer.status).toBe(400);
    expect(faultsOf(answer).sort()).toEqual([
      '/credential/scopes/0 out_of_range',
      '/customer/name too_short',
      '/customer/unit_price required',
      '/other unknown_field',
      '/prices/0/unit_price type',
      '/template requires',
      '/template/body unknown_variable',
      '/topup/amount out_of_range',
    ]);
  });

  it('with a reference is made once, also at the same moment, and shows its secrets once', async () => {
    const before = await countCustomers();
    const body = whole({ reference: 'contract-1' });
    const answers = await Promise.all([1, 2, 3].map(() => api.call('POST', '/onboardings', body)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await countCustomers()).toBe(before + 1);
    expect(new Set(answers.map((answer) => answer.body.customer.customer_no)).size).toBe(1);
    const secrets = answers.map((answer) => [answer.body.credential.api_secret, answer.body.user.invitation_url]);
    expect(secrets.filter(([secret, url]) => secret !== null && url !== null)).toHaveLength(1);
    expect(secrets.filter(([secret, url]) => secret === null && url === null)).toHaveLength(2);
    expect(answers[0]?.body.topup).toEqual(answers[2]?.body.topup);
  });

  it('is answered when it is repeated after its times are over', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const prices = [{ firm: 'cmcc', unit_price: '0.04', valid_from: soon }];
    const body = whole({ reference: 'contract-2', prices, credential: { expires_at: soon } });
    const first = await api.call('POST', '/onboardings', body);
    expect(first.body.credential).toMatchObject({ expires_at: soon, status: 'active' });
    const clock = vi.spyOn(api.deps, 'now').mockReturnValue(Date.now() + 600_000);
    const again = await api.call('POST', '/onboardings', body).finally(() => clock.mockRestore());
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body.customer.customer_no).toBe(first.body.customer.customer_no);
    expect(again.body.credential).toMatchObject({ api_key: first.body.credential.api_key, status: 'expired' });
  });

  it('takes no key that is over, and names all channels that are not there at once', async () => {
    const over = await api.call('POST', '/onboardings', whole({ credential: { expires_at: '2020-01-01T00:00:00Z' } }));
    expect([over.status, faultsOf(over)]).toEqual([400, ['/credential/expires_at out_of_range']]);
    const unknown = await api.call('POST', '/onboardings', {
      ...whole(),
      channels: [{ channel_no: 'H1' }, { channel_no: channelNo }, { channel_no: 'H2' }],
    });
    expect([unknown.status, faultsOf(unknown)]).toEqual([
      400,
      ['/channels/0/channel_no out_of_range', '/channels/2/channel_no out_of_range'],
    ]);
    const bucket = await api.call('POST', '/onboardings', {
      ...whole(),
      customer: { name: 'Ann', unit_price: '0', bucket: 999 },
    });
    expect([bucket.status, faultsOf(bucket)]).toEqual([400, ['/customer/bucket out_of_range']]);
  });
});
