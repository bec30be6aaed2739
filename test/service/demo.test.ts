import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRouter } from '../../src/domain/plan/routing.js';
import { type DemoDeps, setUpDemo } from '../../src/service/demo.js';
import { DEMO_FILE, nameDemoCarrier } from '../../src/service/demo-names.js';
import { checkTestConfig, type OperatorApi, startOperatorApi } from '../support/operator-api.js';

let api: OperatorApi;
let deps: DemoDeps;
const folders: string[] = [];

beforeEach(async () => {
  api = await startOperatorApi();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-demo-'));
  folders.push(dataDir);
  deps = { ...api.deps, checkChannelConfig: checkTestConfig, randomBytes, dataDir, url: 'http://127.0.0.1:8080' };
});
afterEach(() => api.close());
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

const readDemoFile = async () => JSON.parse(await readFile(join(deps.dataDir, DEMO_FILE), 'utf8'));

describe('the demo', () => {
  it('gives a fresh database a customer that can send', async () => {
    const demo = await setUpDemo(deps);
    expect(demo).toBeDefined();
    if (demo === undefined) return;
    expect(await readDemoFile()).toEqual(demo);
    expect((await stat(join(deps.dataDir, DEMO_FILE))).mode & 0o777).toBe(0o600);
    const snapshot = api.snapshot.current();
    const customer = snapshot.customerByNo(demo.customer_no);
    if (customer === undefined) throw new Error('the demo customer is not in the snapshot');
    expect(snapshot.credential(demo.api_key)?.secret.toString()).toBe(demo.api_secret);
    const template = snapshot.template(customer.customerId, demo.template_no);
    expect(template).toMatchObject({ status: 'active', firms: null, compiled: { used: ['p1'] } });
    const { body: templates } = await api.call('GET', `/customers/${demo.customer_no}/templates`);
    expect(templates.items.map((item: { class: string }) => item.class)).toEqual([
      ...['notice', 'otp', 'promotion'],
      ...['notice', 'otp', 'promotion'],
    ]);
    expect(templates.items[0].template_no).toBe(demo.template_no);
    expect(snapshot.serviceAccount(customer.customerId, demo.service_account_no)?.serviceAccountId).toBe(
      template?.serviceAccountId,
    );
    const { body } = await api.call('GET', `/customers/${demo.customer_no}`);
    expect(body).toMatchObject({ unit_price: '0.050000', account: { available: '1000.000000' } });
  });

  it('has a way to every number, and leaves the names of real firms to the operator', async () => {
    const demo = await setUpDemo(deps);
    const snapshot = api.snapshot.current();
    const customerId = snapshot.customerByNo(demo?.customer_no ?? '')?.customerId;
    if (customerId === undefined) throw new Error('the demo customer is not in the snapshot');
    const route = createRouter(snapshot.firms(), snapshot.grantedChannels(customerId), () => true, {
      targetFirms: [],
      approvedFirms: null,
    });
    expect(['8613800138000', '4915112345678'].map((phone) => route(phone)?.firm)).toEqual(['demo', 'demo']);
    expect(snapshot.firms().map(({ firm }) => firm)).toEqual(['demo']);
  });

  it('is made once, and follows the address', async () => {
    const first = await setUpDemo(deps);
    const second = await setUpDemo({ ...deps, url: 'http://127.0.0.1:9090' });
    expect(second).toEqual({ ...first, url: 'http://127.0.0.1:9090' });
    expect(await readDemoFile()).toEqual(second);
    expect((await api.call('GET', '/customers')).body.total).toBe(1);
    expect((await api.call('GET', `/customers/${first?.customer_no}`)).body.account.available).toBe('1000.000000');
    expect((await api.call('GET', `/customers/${first?.customer_no}/credentials`)).body.total).toBe(1);
  });

  it('comes back to its simulator when the message centre of demo-carrier is gone, and not while it lives', async () => {
    const demo = await setUpDemo(deps);
    const centre = createServer().listen(0, '127.0.0.1');
    await once(centre, 'listening');
    const { port } = centre.address() as AddressInfo;
    const created = await api.call('POST', '/channels', {
      name: nameDemoCarrier('SMPP'),
      kind: 'smpp',
      firms: ['demo'],
      config: { host: '127.0.0.1', port, system_id: 'demo', password: 'demo' },
    });
    await api.call('PATCH', `/channels/${demo?.channel_no}`, { status: 'disabled' });
    const readStatuses = async () => {
      const channels = [demo?.channel_no, created.body.channel_no];
      return Promise.all(channels.map(async (no) => (await api.call('GET', `/channels/${no}`)).body.status));
    };
    await setUpDemo(deps);
    expect(await readStatuses()).toEqual(['disabled', 'active']);
    centre.close();
    await setUpDemo(deps);
    expect(await readStatuses()).toEqual(['active', 'disabled']);
  });

  it('is completed when it was cut short, with a new key and no second balance', async () => {
    const first = await setUpDemo(deps);
    await writeFile(join(deps.dataDir, DEMO_FILE), '{"url":');
    const second = await setUpDemo(deps);
    expect(second).toMatchObject({
      customer_no: first?.customer_no,
      template_no: first?.template_no,
      service_account_no: first?.service_account_no,
      channel_no: first?.channel_no,
    });
    expect(second?.api_key).not.toBe(first?.api_key);
    expect(api.snapshot.current().credential(second?.api_key ?? '')?.status).toBe('active');
    expect((await api.call('GET', `/customers/${first?.customer_no}`)).body.account.available).toBe('1000.000000');
    expect((await api.call('GET', '/channels')).body.total).toBe(1);
  });

  it('leaves a database with customers of its own alone', async () => {
    await api.call('POST', '/customers', { name: 'Somebody', unit_price: '0' });
    expect(await setUpDemo(deps)).toBeUndefined();
    await expect(readDemoFile()).rejects.toThrow();
    expect((await api.call('GET', '/firms')).body.total).toBe(0);
  });

  it('is in the audit log like everything an operator does', async () => {
    await setUpDemo(deps);
    const { items } = (await api.call('GET', '/audit?page_size=100')).body;
    expect(new Set(items.map((item: { action: string }) => item.action))).toEqual(
      new Set([
        'credential.create',
        'topup.create',
        'template.create',
        'service_account.create',
        'grant.create',
        'channel.create',
        'firm.create',
        'customer.create',
      ]),
    );
  });
});
