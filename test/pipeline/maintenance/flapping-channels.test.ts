// A channel that goes up and down, or two that take turns, renew neither how long a number has waited nor the time at which the channel was
// last live: its numbers are given up in time, and their money returns.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueKeyOf } from '../../../src/domain/rules/queue-place.js';
import { createStrandedRound } from '../../../src/pipeline/maintenance/stranded.js';
import { createQuarantine } from '../../../src/pipeline/quarantine/quarantine.js';
import { acquireLease, releaseLease, renewLease } from '../../../src/store/channel/channel-lease.js';
import { moveChunks, readQueuedChunks } from '../../../src/store/chunk/dispatch-queue.js';
import { createSnapshotView } from '../../../src/store/snapshot/view.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 30 * MINUTE_MS;
const LEASE = { leaseMs: MINUTE_MS, steadyMs: MINUTE_MS };

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Last live an hour ago. The service has not been told of it: nothing but the test asks for its lease. */
async function addGoneChannel(channelId: bigint): Promise<bigint> {
  const { sql } = service;
  await sql`
    insert into channel (channel_id, channel_no, name, kind, firms, status, config, version)
    overriding system value values (${channelId}, ${`H${channelId}`}, 'Gone', 'simulator', '{cmcc}', 'active', '{}', 0)`;
  await sql`
    insert into channel_heartbeat (channel_id, token, expires_at, live_at)
    values (${channelId}, 0, now() - interval '1 hour', now() - interval '1 hour')`;
  return channelId;
}

async function keepWaiting(customer: ServiceCustomer): Promise<string> {
  const { task_no: taskNo } = await customer.send(['13800138000'], { auto_submit: false });
  await customer.taskWhen(taskNo, ({ waits_for }) => waits_for === 'submit');
  return taskNo;
}

function createRound() {
  let nowMs = 0;
  const log = pino({ level: 'silent' });
  const quarantine = createQuarantine({ now: Date.now, log });
  const limits = { receiptTimeoutMs: 3_600_000, unknownTimeoutMs: 3_600_000 };
  const snapshot = () => createSnapshotView();
  const deps = { sql: service.sql, snapshot, limits, quarantine, unsentTimeoutMs: TIMEOUT_MS };
  const round = createStrandedRound({ ...deps, monotonicNow: () => nowMs });
  return {
    async after(ms: number): Promise<void> {
      nowMs += ms;
      while (await round(0));
    },
  };
}

async function goUp(channelId: bigint) {
  const claim = { channelId, owner: 'test', leaseMs: MINUTE_MS, patienceMs: 0 };
  const lease = await acquireLease(service.sql, claim);
  if (lease === undefined) throw new Error('the channel has an owner');
  for (const _ of [1, 2]) await renewLease(service.sql, lease, LEASE, { state: 'up' });
  return lease;
}

test('numbers that move between channels which are up for moments only are given up in time', async () => {
  const { sql } = service;
  const working = await service.addChannel(['cmcc']);
  const customer = await service.addCustomer({ channelNos: [working], balance: '1' });
  const taskNo = await keepWaiting(customer);
  const [one, other] = [await addGoneChannel(900_001n), await addGoneChannel(900_002n)];
  await service.operator.updateChannel(working, { status: 'disabled' });
  await until(async () => (await service.operator.channel(working)).health.state === 'down');
  await customer.client.submitTask(taskNo);
  await sql`update chunk set channel_id = ${one}, queued_at = now() - interval '1 hour' where queue_no is not null`;
  const round = createRound();

  const [row] = await sql<{ customerId: bigint }[]>`select customer_id as "customerId" from chunk`;
  const customerId = row?.customerId as never;
  const [stored] = await readQueuedChunks(sql, 0, one, [{ queue: queueKeyOf(customerId, 'notice'), after: 0n }], {
    chunks: 1,
    parts: 10,
  });
  if (stored === undefined) throw new Error('no chunk is queued');
  const move = { ...stored, to: other, queueNo: stored.chunk.queueNo + 1n };
  expect((await moveChunks(sql, 0, customerId, [move], new Date())).size).toBe(1);

  await round.after(0);
  const lease = await goUp(other);
  await round.after(5 * MINUTE_MS);
  expect((await customer.client.task(taskNo)).counts).toMatchObject({ unsent: 1, rejected: 0 });
  await releaseLease(sql, lease);
  await round.after(1);
  expect((await customer.client.task(taskNo)).counts).toMatchObject({ unsent: 0, rejected: 1 });
  expect(await customer.client.account()).toMatchObject({ available: '1.000000', frozen: '0.000000' });
});

test('a channel that stays up is live, and that it went down for a moment does not cost its numbers', async () => {
  const { sql } = service;
  const channelId = await addGoneChannel(900_003n);
  const lease = await goUp(channelId);
  const isLive = async () => {
    const [row] =
      await sql`select live_at > now() - interval '1 minute' as live from channel_heartbeat where channel_id = ${channelId}`;
    return row?.live;
  };
  expect(await isLive()).toBe(false);
  await sql`update channel_heartbeat set up_since = up_since - interval '1 minute' where channel_id = ${channelId}`;
  await renewLease(sql, lease, LEASE, { state: 'up' });
  expect(await isLive()).toBe(true);
  await renewLease(sql, lease, LEASE, { state: 'down' });
  expect(await isLive()).toBe(true);
  const [down] = await sql`select up_since from channel_heartbeat where channel_id = ${channelId}`;
  expect(down?.up_since).toBeNull();
  await releaseLease(sql, lease);
});
