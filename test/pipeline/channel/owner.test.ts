// Who speaks for a channel.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService, until } from '../../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function readLease(channelNo: string): Promise<{ token: number; expiresAt: Date }> {
  const [row] = await service.sql<{ token: number; expiresAt: Date }[]>`
    select token::int, expires_at as "expiresAt"
    from channel_heartbeat join channel using (channel_id) where channel_no = ${channelNo}`;
  return row ?? { token: 0, expiresAt: new Date(0) };
}

test('a channel that is switched off is looked after now and then, not without a pause', async () => {
  const off = await service.addChannel(['cmcc']);
  await until(async () => (await readLease(off)).token > 0);
  await service.operator.updateChannel(off, { status: 'disabled' });
  const beats = new Set<number>();
  // The heartbeat of a channel at work comes once a round, as the look at one that is off does.
  const nextBeat = async () => {
    const { expiresAt } = await readLease(service.channelNo);
    beats.add(expiresAt.getTime());
    return beats.size;
  };
  await until(async () => (await nextBeat()) > 2);
  const before = (await readLease(off)).token;
  await until(async () => (await nextBeat()) > 5);
  expect((await readLease(off)).token - before).toBeLessThan(20);
});
