// The sign of life of a channel: one that is stuck takes nothing from the others, and is there again when it is free.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

let service: Service;
let channelNos: string[];
beforeAll(async () => {
  service = await startService();
  channelNos = [service.channelNo, await service.addChannel(['cmcc'])];
});
afterAll(() => service.stop());

interface Beat {
  readonly id: bigint;
  readonly token: bigint;
  readonly expiresAt: Date;
  readonly isUp: boolean;
}

async function readBeats(): Promise<Beat[]> {
  return await service.sql<Beat[]>`
    select channel_id as id, token, expires_at as "expiresAt", expires_at > now() and health->>'state' = 'up' as "isUp"
    from channel_heartbeat join channel using (channel_id) order by channel_no = ${channelNos[0] ?? ''} desc`;
}

/** Connections of the service that wait for a lock now. */
async function countWaiting(): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}

test('a heartbeat whose row is locked takes one connection, and the other channels stay up', async () => {
  const [stuck, free] = await readBeats();
  let mostWaiting = 0;
  const beats = new Set<number>();
  await service.sql.begin(async (tx) => {
    await until(async () => {
      // A statement each time, so that the transaction is not ended as idle.
      await tx`select 1 from channel_heartbeat where channel_id = ${stuck?.id ?? 0n} for update`;
      mostWaiting = Math.max(mostWaiting, await countWaiting());
      const [, other] = await readBeats();
      beats.add(other?.expiresAt.getTime() ?? 0);
      expect(other).toMatchObject({ token: free?.token, isUp: true });
      // Long enough that the lease of the stuck one has run out.
      return beats.size > 8;
    });
  });
  expect(mostWaiting).toBe(1);
  await until(async () => (await readBeats()).every(({ isUp }) => isUp));
  expect((await readBeats()).map(({ token }) => token)).toEqual([stuck?.token, free?.token]);
});
