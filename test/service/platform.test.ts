// What an operator sees of the whole platform: what waits, how channels are, what upstreams complain of, which processes there are.

import type { Platform, PlatformChannel } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/channels/channel.js';
import { cleanFeedback } from '../../src/channels/clean-feedback.js';
import { createTally } from '../../src/pipeline/channel/ownership/tally.js';
import { recordMinute } from '../../src/store/channel/channel-minute.js';
import { type Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

describe('the platform', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const read = () => service.operator.platform();
  const channelOf = ({ channels }: Platform, channelNo: string): PlatformChannel => {
    const found = channels.find((channel) => channel.channel_no === channelNo);
    if (found === undefined) throw new Error(`the platform does not show channel ${channelNo}`);
    return found;
  };

  it('has every process with its roles, and with the leases that it holds', async () => {
    await until(async () => (await read()).nodes.length === 1);
    const platform = await read();
    const [node] = platform.nodes;
    const { health, lease } = channelOf(platform, service.channelNo);
    expect(node).toMatchObject({ is_alive: true, roles: ['api', 'worker', 'channels'], channels: 1 });
    expect(node?.memory_bytes).toBeGreaterThan(10_000_000);
    expect(health).toMatchObject({ state: 'up', owner: node?.node });
    expect(lease?.token).toBeGreaterThan(0);
    expect(Date.parse(lease?.expires_at ?? '')).toBeGreaterThan(Date.parse(platform.at));
  });

  it('says whether the books add up, and when that was proven', async () => {
    await until(async () => (await read()).books !== null);
    expect((await read()).books).toMatchObject({ imbalances: 0 });
  });

  it('says what waits for a channel and since when', async () => {
    const channelNo = await service.addChannel(['cmcc'], {}, 1);
    const customer = await service.addCustomer({ channelNos: [channelNo] });
    expect(channelOf(await read(), channelNo).queue).toEqual({ parts: 0, is_exact: true, oldest_at: null });
    const phones = Array.from({ length: 50 }, (_, index) => String(13_900_000_000 + index));
    const { task_no: taskNo, created_at: createdAt } = await customer.send(phones);
    await customer.taskWhen(taskNo, ({ stage }) => stage === 'submitting');
    const platform = await read();
    const { queue, rate } = channelOf(platform, channelNo);
    expect(queue.is_exact).toBe(true);
    expect(queue.parts).toBeGreaterThan(30);
    expect(queue.parts).toBeLessThanOrEqual(50);
    expect(Date.parse(queue.oldest_at ?? '')).toBeGreaterThanOrEqual(Date.parse(createdAt));
    expect(Date.parse(queue.oldest_at ?? '')).toBeLessThanOrEqual(Date.parse(platform.at));
    expect(rate).toMatchObject({ configured: 1, pace: 1 });
    await customer.client.cancelTask(taskNo);
    await until(async () => channelOf(await read(), channelNo).queue.parts === 0);
  });

  it('counts what waits to be prepared, and not what waits for a hand', async () => {
    const customer = await service.addCustomer();
    await customer.send(['13900000001'], { auto_prepare: false, auto_freeze: false, auto_submit: false });
    expect((await read()).to_prepare).toEqual({ tasks: 0, is_exact: true, oldest_at: null });
    await service.sql`update task set queued_for = 'prepare', prepare_after = now() + interval '1 hour'
      where queued_for = 'manual'`;
    const { to_prepare: waiting } = await read();
    expect(waiting).toMatchObject({ tasks: 1, is_exact: true });
    expect(Date.now() - Date.parse(waiting.oldest_at ?? '')).toBeLessThan(60_000);
  });

  it('counts outcomes and codes by channel, also over a change of its configuration', async () => {
    const customer = await service.addCustomer();
    const { task_no: taskNo } = await customer.send(['13900139001', '13900139002', '13900139003', '13900139005']);
    await customer.taskWhen(taskNo, ({ stage }) => stage === 'submit_unknown');
    const isCounted = async () => (channelOf(await read(), service.channelNo).counted?.reports ?? 0) >= 2;
    await until(isCounted);
    const { counted, codes } = channelOf(await read(), service.channelNo);
    expect(counted).toMatchObject({ accepted: 2, refused: 1, unknown: 1, reports: 2 });
    expect(codes.map(({ event, code, count }) => `${event} ${code} ${count}`).sort()).toEqual([
      'refused REFUSED 1',
      'undelivered UNDELIV 1',
      'unknown ANSWER_LOST 1',
    ]);
    for (const { event, code, count } of codes) {
      if (event === 'throttled') continue;
      const { items } = await service.operator.channelFailures(service.channelNo, { event, code }).page();
      expect(items.map((item) => item.task_no)).toEqual(Array.from({ length: count }, () => taskNo));
    }
    await service.operator.updateChannel(service.channelNo, { parts_per_second: 500 });
    await until(async () => channelOf(await read(), service.channelNo).rate.pace === 500);
    expect(channelOf(await read(), service.channelNo).counted).toMatchObject({ accepted: 2, refused: 1 });
  });
});

describe('what went through the platform over time', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('is what was counted between two minutes, by whichever owner, in steps that fit the range', async () => {
    const { sql } = service;
    const [channel] = await sql<{ channel_id: bigint }[]>`select channel_id from channel limit 1`;
    const copy = (minutesAgo: number, since: string, accepted: number) => sql`
      insert into channel_minute (minute, channel_id, since, accepted, refused, throttled, unknown, reports)
      select date_trunc('minute', now()) - ${minutesAgo} * interval '1 minute', ${channel?.channel_id ?? 0n}, ${since},
        ${accepted}, 0, 0, 1, ${accepted}`;
    await sql`delete from channel_minute`;
    await copy(10, '2026-01-01T00:00:00Z', 1_000);
    await copy(9, '2026-01-01T00:00:00Z', 1_040);
    await copy(8, '2026-01-02T00:00:00Z', 7);
    await copy(7, '2026-01-02T00:00:00Z', 7);
    const { items, step_seconds: step } = await service.operator.platformHistory('15m');
    expect(step).toBe(60);
    const counted = items.filter(({ at }) => Date.parse(at) < Date.now() - 7 * 60_000);
    expect(counted.map(({ accepted, unknown, reports }) => [accepted, unknown, reports])).toEqual([
      [40, 0, 40],
      [7, 1, 7],
      [0, 0, 0],
    ]);
    const day = await service.operator.platformHistory('24h');
    expect(day.step_seconds).toBe(1_200);
    expect(day.items.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(47);
    const [named] = await sql<{ channel_no: string }[]>`
      select channel_no from channel where channel_id = ${channel?.channel_id ?? 0n}`;
    const channelNo = named?.channel_no ?? '';
    const own = await service.operator.platformHistory('24h', { channelNo });
    expect(own.items.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(47);
    await expect(service.operator.platformHistory('24h', { channelNo: 'H0' })).rejects.toMatchObject({ status: 404 });
  });

  it('is copied from what the owners publish, once a minute, and forgotten after a day', async () => {
    const { sql } = service;
    await sql`delete from channel_minute`;
    await sql`
      insert into channel_minute (minute, channel_id, since, accepted, refused, throttled, unknown, reports)
      select now() - interval '25 hours', channel_id, now(), 1, 1, 1, 1, 1 from channel`;
    await until(async () => (await service.operator.platform()).channels.every(({ counted }) => counted !== null));
    await recordMinute(sql);
    await recordMinute(sql);
    const rows = await sql<{ minute: Date }[]>`select minute from channel_minute`;
    expect(rows).toHaveLength(1);
    expect(Date.now() - (rows[0]?.minute.getTime() ?? 0)).toBeLessThan(120_000);
  });

  it('has nothing of a channel that carried nothing', async () => {
    const firms = (await service.operator.firms().page()).items.map(({ firm }) => firm);
    const { channel_no: channelNo } = await service.operator.createChannel({ name: 'Idle', kind: 'simulator', firms });
    expect((await service.operator.platformHistory('24h', { channelNo })).items).toEqual([]);
  });
});

describe('the tally of a channel', () => {
  const part = {} as never;

  it('keeps no more codes than it has room for, and counts them all', () => {
    const tally = createTally(() => 0);
    for (let code = 0; code < 1_000; code += 1) tally.outcome({ part, kind: 'refused', code: `E${code}` });
    const { codes, counts } = tally.figures();
    expect(counts.refused).toBe(1_000);
    expect(codes).toHaveLength(20);
    expect(codes[0]).toMatchObject({ code: 'other codes', count: 800 });
  });

  it('spells a code as it is recorded with its part', () => {
    const tally = createTally(() => 0);
    const report: Report = {
      kind: 'report',
      messageId: '1',
      status: 'undelivered',
      code: `E\u0007\u202e\ud800 ${'9'.repeat(80)}`,
      ack: () => {},
      nack: () => {},
    };
    const recorded = cleanFeedback(report);
    tally.report(recorded as Report);
    expect(tally.figures().codes[0]?.code).toBe((recorded as Report).code);
  });

  it('tells a rate over the last seconds', () => {
    let now = 0;
    const tally = createTally(() => now);
    for (now = 1_000; now <= 20_000; now += 1_000) {
      for (let count = 0; count < 10; count += 1) tally.outcome({ part, kind: 'accepted', messageId: '' });
      tally.report({ status: 'delivered', code: 'DELIVRD' });
      if (now >= 5_000) expect(tally.figures()).toMatchObject({ parts_per_second: 10, reports_per_second: 1 });
      else tally.figures();
    }
    now = 40_000;
    tally.figures();
    now = 46_000;
    expect(tally.figures()).toMatchObject({ parts_per_second: 0, codes: [] });
  });
});
