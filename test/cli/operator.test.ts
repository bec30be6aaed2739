// An operator sets a customer up from a terminal, against the operator API itself.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../src/cli/main.js';
import { channelContext } from '../../src/store/secrets/seal.js';
import { OPERATOR_TOKEN, type OperatorApi, startOperatorApi } from '../support/operator-api.js';
import { createTestTerminal } from './capture.js';

let api: OperatorApi;
let env: Record<string, string>;

beforeAll(async () => {
  api = await startOperatorApi();
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.server.address() as AddressInfo;
  env = { POSTRIDER_URL: `http://127.0.0.1:${port}`, POSTRIDER_OPERATOR_TOKEN: OPERATOR_TOKEN };
});
afterAll(() => api.close());

async function run(...words: string[]) {
  const terminal = createTestTerminal({ env });
  const code = await runCommandLine(words, terminal);
  return { code, out: terminal.out.text, err: terminal.err.text };
}

/** What a command prints for machines: one object a line. */
async function read(...words: string[]) {
  const { code, out, err } = await run(...words, '--json');
  expect(err).toBe('');
  expect(code).toBe(0);
  const lines = out.trim().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

test('a customer is set up, funded and changed', async () => {
  await read('firm', 'create', 'cmcc', '--name', 'China Mobile', '--prefix', '86134,86138');
  const config = '{"receipt_ms":5}';
  const [channel] = await read(
    'channel',
    'create',
    '--name',
    'sim',
    '--kind',
    'simulator',
    '--firm',
    'cmcc',
    '--config',
    config,
  );
  expect(channel.config).toMatchObject({ receipt_ms: 5 });
  const [customer] = await read(
    'customer',
    'create',
    '--name',
    'Acme 公司',
    '--unit-price',
    '0.05',
    '--submit',
    'manual',
  );
  const customerNo = customer.customer_no;
  expect(customer).toMatchObject({ unit_price: '0.050000', policy: { prepare: 'by_request', submit: 'manual' } });

  const [credential] = await read('credential', 'create', customerNo, '--ip-allow', '203.0.113.0/24');
  expect(credential.api_secret).toMatch(/^.{20,}$/);
  await read('grant', 'create', customerNo, channel.channel_no);
  expect((await read('price', 'set', customerNo, 'cmcc', '0.045'))[0].unit_price).toBe('0.045000');
  expect((await read('price', 'set', customerNo, 'cmcc', '0.040'))[0].unit_price).toBe('0.040000');
  const [account] = await read('service-account', 'create', customerNo, '--name', 'alerts', '--sender', '10690001');
  const accountNo = account.service_account_no;
  const words = ['--name', 'hello', '--body', 'Hello {p1}', '--service-account', accountNo];
  const [template] = await read('template', 'create', customerNo, ...words);
  expect(template).toMatchObject({ status: 'active', firms: null });
  const [changed] = await read('template', 'update', customerNo, template.template_no, '--status', 'disabled');
  expect(changed).toMatchObject({ status: 'disabled', body: 'Hello {p1}' });

  await read('topup', customerNo, '100.00', '--reference', 'payment-1');
  await read('topup', customerNo, '100.00', '--reference', 'payment-1');
  const [entry] = await read('adjustment', customerNo, '-1.50', '--remark', 'a correction');
  expect(entry).toMatchObject({ type: 'adjustment', available_after: '98.500000', remark: 'a correction' });
  expect((await read('customer', 'show', customerNo))[0].account.available).toBe('98.500000');

  await read('opt-out', 'add', customerNo, '13800138000');
  expect(await read('opt-out', 'list', customerNo)).toHaveLength(1);
  await read('opt-out', 'remove', customerNo, '+86 138 0013 8000');
  expect(await read('opt-out', 'list', customerNo)).toEqual([]);

  await read('credential', 'revoke', customerNo, credential.api_key);
  expect(await read('credential', 'list', customerNo)).toMatchObject([{ status: 'revoked' }]);
  expect((await read('audit-log', '--all')).length).toBeGreaterThan(10);
});

test('a new customer has a price or is said to send for nothing', async () => {
  expect((await run('customer', 'create', '--name', 'x')).err).toContain('--unit-price AMOUNT and --free');
  expect((await run('customer', 'create', '--name', 'x', '--free', '--unit-price', '1')).code).toBe(2);
  expect((await read('customer', 'create', '--name', 'Us', '--free'))[0].unit_price).toBe('0.000000');
});

test('operators are created, seen, given another role and removed', async () => {
  const [created] = await read('operator', 'create', '--name', 'Ann', '--role', 'viewer');
  expect(created.token).toMatch(/^op_/);
  expect((await read('operator', 'update', created.operator_no, '--role', 'finance'))[0].role).toBe('finance');
  const asAnn = createTestTerminal({ env: { ...env, POSTRIDER_OPERATOR_TOKEN: created.token } });
  expect(await runCommandLine(['operator', 'me', '--json'], asAnn)).toBe(0);
  expect(JSON.parse(asAnn.out.text)).toMatchObject({ name: 'Ann', permissions: ['read', 'credit'] });
  const beyond = createTestTerminal({ env: { ...env, POSTRIDER_OPERATOR_TOKEN: created.token } });
  expect(await runCommandLine(['firm', 'create', 'anns'], beyond)).toBe(3);
  expect(beyond.err.text).toContain('403 not_permitted');
  await read('operator', 'remove', created.operator_no);
  expect(await read('operator', 'list', '--status', 'active')).toEqual([]);
});

test('the platform is seen at a glance', async () => {
  const [platform] = await read('platform');
  expect(platform).toMatchObject({ to_prepare: { tasks: 0 }, nodes: [], books: null });
  expect(platform.channels[0]).toMatchObject({ name: 'sim', health: { state: 'down' }, queue: { parts: 0 } });
  const { out } = await run('platform');
  expect(out).toContain('Nothing waits to be prepared.');
  expect(out).toMatch(/sim +down/);
});

test('what went through the platform is shown over time', async () => {
  const none = await run('platform', 'history', '--range', '15m');
  expect([none.code, none.out, none.err]).toEqual([0, '', 'Nothing went through within the last 15m.\n']);
  await api.database.sql`
    insert into channel_minute (minute, channel_id, since, accepted, refused, throttled, unknown, reports)
    select date_trunc('minute', now()) - ago * interval '1 minute', channel_id, now() - interval '1 hour',
      1000 - 100 * ago, 7, 0, 0, 900 - 100 * ago
    from channel cross join generate_series(0, 2) as ago where name = 'sim'`;
  const [history] = await read('platform', 'history');
  expect(history).toMatchObject({ range: '1h', step_seconds: 60 });
  expect(history.items).toMatchObject([
    { accepted: 100, refused: 0, reports: 100 },
    { accepted: 100, refused: 0, reports: 100 },
  ]);
  expect((await run('platform', 'history')).out).toMatch(/FROM \(UTC\) +ACCEPTED[^\n]*\n20\d\d-[^\n]* 100 /);
  expect((await run('platform', 'history', '--csv')).out.split('\r\n')[0]).toBe(
    'at,accepted,refused,throttled,unknown,reports',
  );
  expect((await run('platform', 'history', '--range', '2h')).err).toContain('15m, 1h, 6h, 24h');
});

test('a text is seen as on a handset before it is stored', async () => {
  const [preview] = await read('template', 'preview', 'Hello {p1}, {p2}', '--var', 'p1=Ann');
  expect(preview).toEqual({
    text: 'Hello Ann, {p2}',
    encoding: 'gsm7',
    parts: ['Hello Ann, {p2}'],
    variables: ['p1', 'p2'],
  });
  const { out } = await run('template', 'preview', '你'.repeat(71));
  expect(out).toMatch(/encoding +ucs2/);
  expect((await run('template', 'preview', 'Hello {p19}')).err).toContain('/body');
});

test('a key can be limited to scopes', async () => {
  const [{ customer_no }] = await read('customer', 'list');
  const [credential] = await read('credential', 'create', customer_no, '--scope', 'read,finance');
  expect(credential.scopes).toEqual(['read', 'finance']);
  expect((await run('credential', 'create', customer_no, '--scope', 'fly')).err).toContain('/scopes/0');
});

test('the audit log can be narrowed', async () => {
  const entries = await read('audit-log', '--actor', 'root', '--action', 'topup.create', '--start', '1h');
  expect(entries).toHaveLength(1);
  expect(await read('audit-log', '--actor', 'nobody')).toEqual([]);
  expect(await read('unknown', '--channel', 'H0')).toEqual([]);
  expect(await read('kept-reports')).toEqual([]);
  const [channel] = await read('channel', 'list');
  expect(await read('channel', 'failures', channel.channel_no, '--event', 'expired', '--code', 'E1')).toEqual([]);
});

test('the word none takes away what may be without a value', async () => {
  const [channel] = await read('channel', 'list');
  const update = (...words: string[]) => read('channel', 'update', channel.channel_no, ...words);
  expect((await update('--parts-per-second', '50'))[0].parts_per_second).toBe(50);
  expect((await update('--status', 'disabled'))[0].parts_per_second).toBe(50);
  expect((await update('--parts-per-second', 'none'))[0].parts_per_second).toBeNull();
  expect((await update('--failover-code', '11,88'))[0].failover_codes).toEqual(['11', '88']);
  const [{ customer_no }] = await read('customer', 'list');
  const limited = await read('customer', 'update', customer_no, '--daily-limit', '10', '--low-balance', '1');
  expect(limited[0]).toMatchObject({ daily_limit: '10.000000', low_balance: '1.000000' });
  expect((await read('customer', 'update', customer_no, '--daily-limit', 'none'))[0].daily_limit).toBeNull();
  expect((await run('channel', 'update', channel.channel_no, '--kind', 'smpp')).code).toBe(2);
});

test('the password of a channel comes from standard input, not from the command line', async () => {
  const terminal = createTestTerminal({ env, input: 'hunter2\n' });
  const words = ['channel', 'create', '--name', 'smpp', '--kind', 'smpp', '--firm', 'cmcc'];
  const settings = ['--config', '{"host":"h","port":2775,"system_id":"acme"}', '--password'];
  expect(await runCommandLine([...words, ...settings], terminal), terminal.err.text).toBe(0);
  expect(terminal.out.text).not.toContain('hunter2');
  const [row] = await api.database.sql<
    { channel_no: string; secret_sealed: Buffer }[]
  >`select channel_no, secret_sealed from channel where name = 'smpp'`;
  const opened = api.sealer.open(row?.secret_sealed ?? Buffer.alloc(0), channelContext(row?.channel_no ?? ''));
  expect(JSON.parse(opened.toString())).toEqual({ password: 'hunter2' });
});

test('people see tables, and secrets only where they are made', async () => {
  const { out } = await run('customer', 'list');
  expect(out).toMatch(/^CUSTOMER +NAME +STATUS +CURRENCY +AVAILABLE/);
  expect(out).toContain('Acme 公司');
  expect((await run('channel', 'list')).out).toContain('simulator');
});

test('what the service refuses is reported with its faults', async () => {
  const { code, err } = await run('customer', 'create', '--name', 'x', '--unit-price', 'free');
  expect(code).toBe(3);
  expect(err).toContain('/unit_price');
  expect((await run('firm', 'create', 'cmcc')).err).toContain('409 already_exists');
  expect((await run('customer', 'show', 'C-none')).err).toContain('404 not_found');
});

test('a wrong token is distinguished from a missing one', async () => {
  const terminal = createTestTerminal({ env: { ...env, POSTRIDER_OPERATOR_TOKEN: 'wrong' } });
  expect(await runCommandLine(['customer', 'list'], terminal)).toBe(3);
  expect(terminal.err.text).toContain('401');
  const without = createTestTerminal({ env: { POSTRIDER_API_KEY: 'k', POSTRIDER_API_SECRET: 's' } });
  expect(await runCommandLine(['customer', 'list'], without)).toBe(2);
  expect(without.err.text).toContain('No credentials were found');
});

test('a customer is onboarded from a file, once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-onboarding-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'acme.json');
  await writeFile(
    file,
    '{ "reference": "acme", "customer": { "name": "Acme", "unit_price": "0.05" }, "credential": {} }',
  );
  const [first] = await read('customer', 'onboard', file);
  expect(first).toMatchObject({
    customer: { name: 'Acme' },
    credential: { api_secret: expect.stringMatching(/^sk_/) },
  });
  const again = await run('customer', 'onboard', file);
  expect(again.out).toContain(first.customer.customer_no);
  expect(again.out).not.toContain(first.credential.api_secret);

  await writeFile(file, '{ "customer": ');
  expect(await run('customer', 'onboard', file)).toMatchObject({
    code: 2,
    err: expect.stringContaining('is not JSON'),
  });
  expect(await run('customer', 'onboard', join(folder, 'none'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('cannot be read'),
  });
});
