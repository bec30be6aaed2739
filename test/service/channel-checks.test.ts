// What an operator has to see whether a channel works: the schema of its kind, a test message, the log of its sessions.

import type { ChannelTest, PostriderError } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHANNEL_DRIVERS } from '../../src/channels/registry.js';
import { SmppConfigSchema } from '../../src/channels/smpp/config.js';
import { type MessageCentre, startMessageCentre } from '../../tools/message-centre/message-centre.js';
import { allOf, type Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;
let centre: MessageCentre;
let smppNo: string;

beforeAll(async () => {
  service = await startService();
  centre = await startMessageCentre({ port: 0, systemId: 'us', password: 'right' });
  const config = { host: '127.0.0.1', port: centre.port, system_id: 'us', password: 'right', reconnect_min_ms: 50 };
  const request = { name: 'Carrier', kind: 'smpp', firms: ['cmcc'], config } as const;
  smppNo = (await service.operator.createChannel(request)).channel_no;
  await until(async () => (await service.operator.channel(smppNo)).health.state === 'up');
});
afterAll(async () => {
  await service.stop();
  await centre.stop();
});

const testsOf = async (channelNo: string) => (await service.operator.channelTests(channelNo).page()).items;
const testWhen = async (channelNo: string, testNo: string, isSo: (test: ChannelTest) => boolean) => {
  let found: ChannelTest | undefined;
  await until(
    () => `another state than ${JSON.stringify(found)}`,
    async () => {
      found = (await testsOf(channelNo)).find((test) => test.test_no === testNo);
      return found !== undefined && isSo(found);
    },
  );
  return found;
};

describe('kinds of channels', () => {
  it('come with the fields that their configuration is checked by', async () => {
    const kinds = await allOf(service.operator.channelKinds());
    expect(kinds.map(({ kind }) => kind).sort()).toEqual(Object.keys(CHANNEL_DRIVERS).sort());
    for (const { fields } of kinds) for (const { description } of fields) expect(description).toMatch(/\.$/);
    const smpp = kinds.find(({ kind }) => kind === 'smpp');
    expect(smpp).toMatchObject({ name: 'SMPP', name_zh: 'SMPP' });
    const fields = new Map(smpp?.fields.map((field) => [field.name, field]));
    expect([...fields.keys()]).toEqual(Object.keys(SmppConfigSchema.properties));
    expect(fields.get('port')).toMatchObject({ type: 'integer', required: true, default: null, maximum: 65_535 });
    expect(fields.get('window')).toMatchObject({ label: 'Window', required: false, default: 10, minimum: 1 });
    expect(fields.get('bind')).toMatchObject({ type: 'choice', choices: ['transceiver', 'transmitter_receiver'] });
    expect(fields.get('throttle_codes')).toMatchObject({ type: 'integers', default: [0x58, 0x14], max_items: 32 });
    const { config } = await service.operator.channel(smppNo);
    const secret = smpp?.fields.filter((field) => field.secret).map(({ name }) => name) ?? [];
    expect(secret).toEqual(['password']);
    for (const name of secret) expect(config).not.toHaveProperty(name);
  });

  it('refuse two active SGIP channels that one login of the gateway would fit', async () => {
    const { operator } = service;
    const base = { host: 'smg.invalid', account: 'sp1', password: 'x', node_id: 3_010_090_001, corp_id: '90001' };
    const config = { ...base, listen_host: '127.0.0.1', listen_port: 18_801 };
    const request = { name: 'SMG', kind: 'sgip', firms: ['cmcc'], config } as const;
    const first = (await operator.createChannel(request)).channel_no;
    const refused = async (attempt: Promise<unknown>) => {
      const error = await attempt.then(
        () => expect.fail('it was taken'),
        (raised: PostriderError) => raised,
      );
      const message = `must differ from the login of channel ${first}, which listens for the same gateway`;
      expect([error.status, error.code]).toEqual([400, 'invalid_request']);
      expect(error.errors).toMatchObject([{ pointer: '/config/listen_account', key: 'listen_login_taken', message }]);
    };
    await refused(operator.createChannel(request));
    await refused(
      operator.createChannel({ ...request, config: { ...config, host: 'SMG.invalid', listen_account: 'sp1' } }),
    );
    // Another host, port or login name is another login; so is that of a channel that is switched off, until it is switched on.
    const others = [{ host: 'smg2.invalid' }, { listen_port: 18_802 }, { listen_account: 'sp2' }];
    for (const other of others) await operator.createChannel({ ...request, config: { ...config, ...other } });
    const off = (await operator.createChannel({ ...request, status: 'disabled' })).channel_no;
    await refused(operator.updateChannel(off, { status: 'active' }));
    await operator.updateChannel(off, { status: 'active', config: { listen_account: 'sp3' } });
    await refused(operator.updateChannel(off, { config: { listen_account: null } }));
    expect((await operator.channel(off)).config).toMatchObject({ listen_account: 'sp3' });
    await operator.updateChannel(first, { parts_per_second: 10 });
  });

  it('refuse a kind that does not exist, and a field that the kind does not have', async () => {
    const faultsOf = (kind: string, config: Record<string, unknown>) =>
      service.operator.createChannel({ name: 'x', kind, firms: ['cmcc'], config }).then(
        () => expect.fail('it was created'),
        (error: PostriderError) => [error.status, error.code, error.errors],
      );
    const kinds = Object.keys(CHANNEL_DRIVERS).join(', ');
    for (const kind of ['pigeon', 'constructor']) {
      expect(await faultsOf(kind, {})).toEqual([
        400,
        'invalid_request',
        [
          {
            pointer: '/kind',
            code: 'out_of_range',
            message: `must be one of: ${kinds}`,
            key: 'not_one_of',
            params: { choices: kinds },
          },
        ],
      ]);
    }
    expect(await faultsOf('simulator', { speed: 3 })).toMatchObject([
      400,
      'invalid_request',
      [{ pointer: '/config/speed', code: 'unknown_field' }],
    ]);
  });
});

describe('a test message', () => {
  it.each([
    ['13900139001', { status: 'accepted', report: { status: 'delivered', code: 'DELIVRD' } }],
    ['13900139002', { status: 'accepted', report: { status: 'undelivered', code: 'UNDELIV:045' } }],
  ])('to %s goes out over SMPP, and its report finds it', async (phone, expected) => {
    const sent = await service.operator.testChannel(smppNo, { phone, text: 'Is it there?', sender: '10690000' });
    expect(sent).toMatchObject({ status: 'queued', phone: `86${phone}`, created_by: 'root' });
    // The report may be recorded before the answer is.
    const isOver = ({ report, status }: ChannelTest) => report !== null && status !== 'sending';
    const test = await testWhen(smppNo, sent.test_no, isOver);
    expect(test).toMatchObject({ ...expected, text: 'Is it there?' });
    expect(test?.upstream_message_id).not.toBe('');
    expect((await service.operator.keptReports().page()).items).toEqual([]);
  });

  it('that is refused says with which code', async () => {
    const { test_no: testNo } = await service.operator.testChannel(smppNo, { phone: '13900139003' });
    const test = await testWhen(smppNo, testNo, ({ status }) => status === 'rejected');
    expect(test?.code).toMatch(/^ESME_/);
  });

  it('whose answer is lost is unknown, and found by a late report all the same', async () => {
    const { test_no: testNo } = await service.operator.testChannel(service.channelNo, { phone: '13900139004' });
    await testWhen(service.channelNo, testNo, ({ status }) => status === 'unknown');
    await testWhen(service.channelNo, testNo, ({ report }) => report?.status === 'delivered');
  });

  it('moves no money and makes no task', async () => {
    const [row] =
      await service.sql`select (select count(*) from task) as tasks, (select count(*) from submit) as submits,
      (select count(*) from ledger_entry) as entries`;
    expect(row).toEqual({ tasks: 0n, submits: 0n, entries: 0n });
  });

  it('is in the audit log', async () => {
    const { items } = await service.operator.auditLog({ subject: smppNo, action: 'channel.test' }).page();
    expect(items[0]).toMatchObject({ actor: 'root', change: { phone: '8613900139003' } });
  });

  it('is checked before anything is kept', async () => {
    const before = (await testsOf(smppNo)).length;
    for (const [body, pointer] of [
      [{ phone: 'nonsense' }, '/phone'],
      [{ phone: '13900139001', text: '长'.repeat(71) }, '/text'],
      [{ phone: '13900139001', text: '' }, '/text'],
    ] as const) {
      await expect(service.operator.testChannel(smppNo, body)).rejects.toMatchObject({ errors: [{ pointer }] });
    }
    expect(await testsOf(smppNo)).toHaveLength(before);
  });

  it('that no owner takes up within a minute is not sent any more', async () => {
    await service.operator.updateChannel(service.channelNo, { status: 'disabled' });
    await until(async () => (await service.operator.channel(service.channelNo)).health.state === 'down');
    const { test_no: testNo } = await service.operator.testChannel(service.channelNo, { phone: '13900139001' });
    await service.sql`update channel_test set created_at = created_at - interval '61 seconds' where status = 'queued'`;
    await service.operator.updateChannel(service.channelNo, { status: 'active' });
    await until(async () => (await service.operator.channel(service.channelNo)).health.state === 'up');
    const { test_no: next } = await service.operator.testChannel(service.channelNo, { phone: '13900139001' });
    await testWhen(service.channelNo, next, ({ status }) => status === 'accepted');
    expect(await testWhen(service.channelNo, testNo, () => true)).toMatchObject({
      status: 'not_sent',
      submitted_at: null,
    });
  });

  it('that was on the wire when its process ended is unknown, and never sent again', async () => {
    await service.sql`
      insert into channel_test (channel_id, test_id, phone, sender, text, status, created_by)
      select channel_id, 1, '8613900007777', '', 'Interrupted', 'sending', 'root' from channel where channel_no = ${smppNo}`;
    await service.operator.updateChannel(smppNo, { parts_per_second: 100 });
    await until(async () => (await testsOf(smppNo)).some(({ code }) => code === 'interrupted'));
    expect((await testsOf(smppNo)).filter(({ text }) => text === 'Interrupted')).toMatchObject([{ status: 'unknown' }]);
    const { test_no: next } = await service.operator.testChannel(smppNo, { phone: '13900008888' });
    await testWhen(smppNo, next, ({ status }) => status === 'accepted');
    expect(centre.destinations()).toMatchObject({ 8613900008888: 1 });
    expect(centre.destinations()).not.toHaveProperty('8613900007777');
  });
});

describe('the log of a channel’s sessions', () => {
  const eventsOf = async () => (await service.operator.channelEvents(smppNo).page()).items;

  it('has who opened it, and binds', async () => {
    const events = await eventsOf();
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['opened', 'bound']));
    const { health } = await service.operator.channel(smppNo);
    expect(new Set(events.map(({ owner }) => owner))).toEqual(new Set([health.owner]));
  });

  it('has refused binds with their reason, and no password', async () => {
    await service.operator.updateChannel(smppNo, { config: { password: 'wrong' } });
    await until(async () => (await eventsOf()).some(({ detail }) => detail.includes('ESME_RINVPASWD')));
    expect(JSON.stringify(await eventsOf())).not.toMatch(/wrong|right/);
    await service.operator.updateChannel(smppNo, { config: { password: 'right' } });
    await until(async () => (await eventsOf())[0]?.event === 'bound');
  });

  it('keeps no more than the last two hundred', async () => {
    await service.sql`update channel_event set event_no = event_no + 1000000`;
    for (let round = 0; round < 3; round += 1) {
      await service.sql`
        insert into channel_event select channel_id, n % 200, 2000000 + ${round} * 100 + n, now(), 'x', 'bound', ''
        from channel, generate_series(1, 150) n where channel_no = ${smppNo}
        on conflict (channel_id, slot) do update set event_no = excluded.event_no`;
    }
    await service.operator.updateChannel(smppNo, { parts_per_second: 200 });
    await until(async () => (await eventsOf())[0]?.event === 'bound' && (await eventsOf())[0]?.owner !== 'x');
    expect((await allOf(service.operator.channelEvents(smppNo))).length).toBeLessThanOrEqual(200);
  });
});
