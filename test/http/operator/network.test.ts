import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf, type OperatorApi, startOperatorApi } from '../../support/operator-api.js';

let api: OperatorApi;
beforeAll(async () => {
  api = await startOperatorApi();
});
afterAll(() => api.close());

const auditOf = async (subject: string) => (await api.call('GET', `/audit?subject=${subject}`)).body.items;

describe('the operator token', () => {
  it('is required', async () => {
    const { status, body, headers } = await api.call('GET', '/firms', undefined, { authorization: '' });
    expect([status, body.code]).toEqual([401, 'missing_credentials']);
    expect(headers['www-authenticate']).toContain('Bearer');
    expect((await api.call('GET', '/firms', undefined, { authorization: 'Basic abc' })).body.code).toBe(
      'missing_credentials',
    );
  });

  it('must be the right one', async () => {
    for (const token of ['wrong', 'operator-token-of-the-test', 'operator-token-of-the-tests1']) {
      const { status, body } = await api.call('POST', '/firms', { firm: 'x' }, { authorization: `Bearer ${token}` });
      expect([status, body.code]).toEqual([401, 'invalid_signature']);
    }
    expect((await api.call('GET', '/firms/x')).status).toBe(404);
  });

  it('comes before the body is looked at', async () => {
    const { body } = await api.call('POST', '/firms', '{', { authorization: 'Bearer wrong' });
    expect(body.code).toBe('invalid_signature');
  });
});

describe('firms', () => {
  it('are created with defaults, shown, listed and audited', async () => {
    const created = await api.call('POST', '/firms', { firm: 'any' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ firm: 'any', name: 'any', prefixes: [] });
    const full = await api.call('POST', '/firms/', {
      firm: 'cmcc',
      name: 'China Mobile',
      prefixes: ['+86139', '86134', '86134'],
    });
    expect(full.body).toMatchObject({ firm: 'cmcc', name: 'China Mobile', prefixes: ['86139', '86134'] });
    expect((await api.call('GET', '/firms/cmcc/')).body).toEqual(full.body);
    const list = await api.call('GET', '/firms');
    expect(list.body).toMatchObject({ page: 1, page_size: 20, total: 2, total_is_exact: true, next_cursor: null });
    expect(list.body.items.map((firm: { firm: string }) => firm.firm)).toEqual(['cmcc', 'any']);
    expect(await auditOf('cmcc')).toMatchObject([
      {
        actor: 'root',
        action: 'firm.create',
        subject: 'cmcc',
        change: { name: 'China Mobile', prefixes: ['86139', '86134'] },
      },
    ]);
  });

  it('cannot be created twice', async () => {
    const { status, body } = await api.call('POST', '/firms', { firm: 'cmcc' });
    expect([status, body.code]).toEqual([409, 'already_exists']);
    expect(await auditOf('cmcc')).toHaveLength(1);
  });

  it('change in part, with both values in the audit log', async () => {
    const { status, body } = await api.call('PATCH', '/firms/cmcc', { prefixes: ['86135'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ firm: 'cmcc', name: 'China Mobile', prefixes: ['86135'] });
    expect((await auditOf('cmcc'))[0]).toMatchObject({
      action: 'firm.change',
      change: { prefixes: { before: ['86139', '86134'], after: ['86135'] } },
    });
    expect(api.snapshot.current().firms()).toContainEqual({ firm: 'cmcc', name: 'China Mobile', prefixes: ['86135'] });
  });

  it('are not audited when nothing changes', async () => {
    const before = (await auditOf('cmcc')).length;
    expect((await api.call('PATCH', '/firms/cmcc', { name: 'China Mobile' })).status).toBe(200);
    expect((await api.call('PATCH', '/firms/cmcc', {})).status).toBe(200);
    expect(await auditOf('cmcc')).toHaveLength(before);
  });

  it('keep their code', async () => {
    expect(faultsOf(await api.call('PATCH', '/firms/cmcc', { firm: 'other' }))).toEqual(['/firm out_of_range']);
    expect((await api.call('PATCH', '/firms/cmcc', { firm: 'cmcc' })).status).toBe(200);
  });

  it('name every fault', async () => {
    const answer = await api.call('POST', '/firms', {
      firm: 'with space',
      name: 'x'.repeat(201),
      prefixes: ['0139', 'abc', 86, ''],
      color: 'red',
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(faultsOf(answer)).toEqual([
      '/color unknown_field',
      '/firm format',
      '/name too_long',
      '/prefixes/0 format',
      '/prefixes/1 format',
      '/prefixes/2 type',
      '/prefixes/3 format',
    ]);
    expect(faultsOf(await api.call('POST', '/firms', {}))).toEqual(['/firm required']);
    expect(faultsOf(await api.call('POST', '/firms', { firm: '', name: 'a\u0000b', prefixes: null }))).toEqual([
      '/firm too_short',
      '/name format',
      '/prefixes type',
    ]);
    expect(faultsOf(await api.call('POST', '/firms', { firm: 'a', name: 'two\nlines' }))).toEqual(['/name format']);
    expect(faultsOf(await api.call('POST', '/firms', [1]))).toEqual([' type']);
    expect((await api.call('POST', '/firms', '{"firm":')).body.code).toBe('malformed_json');
  });

  it('are refused with prefixes that no number can begin with, and take a plus sign for other countries', async () => {
    const created = await api.call('POST', '/firms', { firm: 'home', prefixes: ['86135', '138', '49151'] });
    expect(faultsOf(created)).toEqual(['/prefixes/1 out_of_range']);
    expect(created.body.errors[0].message).toContain('write 86138');
    expect(faultsOf(await api.call('PATCH', '/firms/any', { prefixes: ['139'] }))).toEqual([
      '/prefixes/0 out_of_range',
    ]);
    expect((await api.call('POST', '/firms', { firm: 'abroad', prefixes: ['+1380', '49151'] })).status).toBe(201);
  });

  it('that do not exist are not found', async () => {
    for (const [method, path] of [
      ['GET', '/firms/none'],
      ['PATCH', '/firms/none'],
      ['GET', '/firms/a%00b'],
    ] as const) {
      const { status, body } = await api.call(method, path, method === 'PATCH' ? {} : undefined);
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
  });
});

describe('channels', () => {
  let channelNo = '';

  it('are created active, without a limit, with the defaults of their kind', async () => {
    const { status, body } = await api.call('POST', '/channels', { name: 'Sim', kind: 'simulator', firms: ['cmcc'] });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Sim',
      kind: 'simulator',
      firms: ['cmcc'],
      status: 'active',
      parts_per_second: null,
      config: { answer_ms: 0, receipt_ms: 0, deliver_rate: 1, reject_rate: 0, unknown_rate: 0, test_numbers: true },
      health: { state: 'down', sessions: 0, owner: null },
    });
    expect(body.channel_no).toMatch(/^H[0-9A-Z]{13}$/);
    channelNo = body.channel_no;
    expect(api.snapshot.current().channelByNo(channelNo)).toMatchObject({ name: 'Sim', partsPerSecond: null });
    expect(await auditOf(channelNo)).toMatchObject([
      { action: 'channel.create', change: { kind: 'simulator', firms: ['cmcc'] } },
    ]);
  });

  it('show what their owner says of their health, until its lease ends', async () => {
    const id = api.snapshot.current().channelByNo(channelNo)?.channelId ?? 0n;
    const { sql } = api.database;
    const health = sql.json({
      state: 'degraded',
      sessions: 1,
      detail: 'one of two',
      since: '2026-11-14T00:00:00.000Z',
    });
    await sql`
      insert into channel_heartbeat (channel_id, token, expires_at, health)
      values (${id}, 1, now() + interval '1 hour', ${health})`;
    await sql`insert into channel_fence (channel_id, owner, token) values (${id}, 'node-1', 1)`;
    expect((await api.call('GET', `/channels/${channelNo}`)).body.health).toEqual({
      state: 'degraded',
      sessions: 1,
      detail: 'one of two',
      owner: 'node-1',
      since: '2026-11-14T00:00:00.000Z',
    });
    await sql`update channel_heartbeat set expires_at = now() - interval '1 second'`;
    expect((await api.call('GET', '/channels')).body.items[0].health).toMatchObject({
      state: 'down',
      sessions: 0,
      detail: 'no process runs this channel',
      owner: null,
    });
  });

  it('change in part; null takes a field of the configuration back to its default', async () => {
    const first = await api.call('PATCH', `/channels/${channelNo}`, {
      status: 'disabled',
      parts_per_second: 50,
      config: { answer_ms: 9, deliver_rate: 0.5 },
    });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      status: 'disabled',
      parts_per_second: 50,
      config: { answer_ms: 9, deliver_rate: 0.5 },
      health: { state: 'down', detail: 'the channel is disabled' },
    });
    const { body } = await api.call('PATCH', `/channels/${channelNo}`, {
      parts_per_second: null,
      config: { answer_ms: null },
    });
    expect(body).toMatchObject({ name: 'Sim', parts_per_second: null, config: { answer_ms: 0, deliver_rate: 0.5 } });
    expect((await auditOf(channelNo))[0].change).toMatchObject({ parts_per_second: { before: 50, after: null } });
  });

  it('have refusals after which a number tries another channel', async () => {
    const change = (body: object) => api.call('PATCH', `/channels/${channelNo}`, body);
    expect((await api.call('GET', `/channels/${channelNo}`)).body.failover_codes).toEqual([]);
    expect((await change({ failover_codes: ['0x0B', 'ESME_RINVDSTADR', '0x0B'] })).body.failover_codes).toEqual([
      '0x0B',
      'ESME_RINVDSTADR',
    ]);
    expect(api.snapshot.current().channelByNo(channelNo)?.failoverCodes).toEqual(['0x0B', 'ESME_RINVDSTADR']);
    expect(faultsOf(await change({ failover_codes: ['', 7, 'a\nb'] }))).toEqual([
      '/failover_codes/0 too_short',
      '/failover_codes/1 type',
      '/failover_codes/2 format',
    ]);
    expect((await change({ failover_codes: [] })).body.failover_codes).toEqual([]);
  });

  it('keep what two changes at once say of different settings', async () => {
    const settings = ['answer_ms', 'receipt_ms'];
    for (let round = 1; round <= 10; round += 1) {
      await Promise.all(
        settings.map((name) => api.call('PATCH', `/channels/${channelNo}`, { config: { [name]: round } })),
      );
      const { config } = (await api.call('GET', `/channels/${channelNo}`)).body;
      expect([config.answer_ms, config.receipt_ms]).toEqual([round, round]);
    }
  });

  it('keep their kind', async () => {
    expect(faultsOf(await api.call('PATCH', `/channels/${channelNo}`, { kind: 'smpp' }))).toEqual([
      '/kind out_of_range',
    ]);
    expect((await api.call('PATCH', `/channels/${channelNo}`, { kind: 'simulator' })).status).toBe(200);
  });

  it('serve firms that exist', async () => {
    const created = await api.call('POST', '/channels', { name: 'x', kind: 'simulator', firms: ['cmcc', 'nobody'] });
    expect([created.status, created.body.code]).toEqual([422, 'firm_unavailable']);
    expect(created.body.detail).toContain('nobody');
    expect((await api.call('PATCH', `/channels/${channelNo}`, { firms: ['nobody'] })).status).toBe(422);
  });

  it('never show a password, anywhere', async () => {
    const password = 'pa55word-of-the-carrier';
    const config = { host: 'smsc', port: 2775, system_id: 'me', password };
    const { status, body } = await api.call('POST', '/channels', {
      name: 'Carrier',
      kind: 'smpp',
      firms: ['cmcc'],
      config,
    });
    expect(status).toBe(201);
    expect(body.config).toEqual({ host: 'smsc', port: 2775, system_id: 'me', tls: false });
    const changed = await api.call('PATCH', `/channels/${body.channel_no}`, { config: { port: 2776 } });
    expect(changed.body.config).toMatchObject({ host: 'smsc', port: 2776 });
    // The password was kept although the change did not name it.
    expect(api.snapshot.current().channelByNo(body.channel_no)?.config).toMatchObject({ port: 2776, password });
    await api.call('PATCH', `/channels/${body.channel_no}`, { config: { password: `${password}-2` } });
    expect(api.snapshot.current().channelByNo(body.channel_no)?.config.password).toBe(`${password}-2`);
    const everything = JSON.stringify([
      body,
      changed.body,
      (await api.call('GET', '/channels')).body,
      (await api.call('GET', '/audit')).body,
    ]);
    expect(everything).not.toContain(password);
    expect(api.logged()).not.toContain(password);
    const stored = await api.database
      .sql`select channel::text as row, encode(secret_sealed, 'escape') as sealed from channel`;
    expect(JSON.stringify(stored)).not.toContain(password);
    expect((await auditOf(body.channel_no))[0].change).toEqual({ secret: 'changed' });
  });

  it('name every fault, in the configuration too', async () => {
    const answer = await api.call('POST', '/channels', {
      name: '',
      kind: 'pigeon',
      firms: [],
      status: 'asleep',
      parts_per_second: 0,
      config: [],
      extra: 1,
    });
    expect(faultsOf(answer)).toEqual([
      '/config type',
      '/extra unknown_field',
      '/firms too_few',
      '/kind out_of_range',
      '/name too_short',
      '/parts_per_second out_of_range',
      '/status out_of_range',
    ]);
    const config = { deliver_rate: 2, answer_ms: -1, colour: 'red' };
    expect(
      faultsOf(await api.call('POST', '/channels', { name: 1, kind: 'simulator', firms: ['cmcc'], config })),
    ).toEqual([
      '/config/answer_ms out_of_range',
      '/config/colour unknown_field',
      '/config/deliver_rate out_of_range',
      '/name type',
    ]);
    expect(faultsOf(await api.call('POST', '/channels', {}))).toEqual([
      '/firms required',
      '/kind required',
      '/name required',
    ]);
    expect(faultsOf(await api.call('POST', '/channels', { name: 'x', kind: 'smpp', firms: ['cmcc'] }))).toEqual([
      '/config/password required',
    ]);
  });

  it('are listed by kind and status', async () => {
    const names = async (query: string) =>
      (await api.call('GET', `/channels?${query}`)).body.items.map((channel: { name: string }) => channel.name);
    expect(await names('')).toEqual(['Carrier', 'Sim']);
    expect(await names('kind=simulator')).toEqual(['Sim']);
    expect(await names('status=active')).toEqual(['Carrier']);
    expect(faultsOf(await api.call('GET', '/channels?colour=red'))).toEqual(['?colour unknown_field']);
    expect(faultsOf(await api.call('GET', '/channels?kind=pigeon'))).toEqual(['?kind out_of_range']);
  });

  it('that do not exist are not found', async () => {
    expect((await api.call('GET', '/channels/H0000000000000')).status).toBe(404);
    expect((await api.call('PATCH', '/channels/H0000000000000', {})).status).toBe(404);
  });
});
