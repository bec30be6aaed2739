// A process that lost its lease writes nothing: not an intent, not an answer, not a report to be kept, not an inbound
// message.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { asTaskId, type CustomerId } from '../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { createRecorder, recordAll } from '../../../src/pipeline/settle/recorder.js';
import { takeOverBucket } from '../../../src/store/channel/bucket-fence.js';
import {
  acquireLease,
  type Lease,
  LeaseLostError,
  readHeldFences,
  releaseLease,
  renewLease,
} from '../../../src/store/channel/channel-lease.js';
import { insertUnmatchedReports } from '../../../src/store/wire/unmatched-report.js';
import { insertUnclaimedUplink, insertUplink } from '../../../src/store/wire/uplink.js';
import { chunkOf } from '../../support/model/chunk-of.js';
import { type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

/** The service does not know it: the test alone asks for its lease. */
const CHANNEL_ID = 987_654n;
let service: Service;
let customerId: CustomerId;
let lost: Lease;
let held: Lease;

beforeAll(async () => {
  service = await startService();
  await service.addCustomer();
  const [row] = await service.sql<{ customerId: CustomerId }[]>`
    select customer_id as "customerId" from customer limit 1`;
  if (row === undefined) throw new Error('no customer');
  customerId = row.customerId;
  await service.sql`
    insert into channel (channel_id, channel_no, name, kind, firms, status, config, version)
    overriding system value values (${CHANNEL_ID}, 'HFENCED', 'Fenced', 'simulator', '{cmcc}', 'active', '{}', 0)`;
  lost = await acquire('first');
  await releaseLease(service.sql, lost);
  held = await acquire('second');
});
afterAll(() => service.stop());

const claimOf = (owner: string, patienceMs = 0) => ({ channelId: CHANNEL_ID, owner, leaseMs: 60_000, patienceMs });

async function acquire(owner: string): Promise<Lease> {
  const lease = await acquireLease(service.sql, claimOf(owner));
  if (lease === undefined) throw new Error(`${owner} did not get the lease`);
  await takeOverBucket(service.sql, 0, lease);
  return lease;
}

function createIntent(): DeliveryEvent {
  const numbers = { seq: [1], phone: ['13800000000'], to: ['8613800000000'], text: 'Hello', parts: [1] };
  const chunk = chunkOf({ customerId, taskId: asTaskId(1n), queueNo: 0n, channelId: CHANNEL_ID, numbers });
  return { chunk, index: 0, part: 1, event: { kind: 'intended' }, channelId: CHANNEL_ID };
}

test('each change of owner raises the token, and a lease that is held cannot be taken', async () => {
  expect(held.token).toBeGreaterThan(lost.token);
  expect(await acquireLease(service.sql, claimOf('third'))).toBeUndefined();
});

test('what is recorded under a lost lease is refused, also in one batch with what is not', async () => {
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const { signal } = new AbortController();
  const recorder = createRecorder({ sql: service.sql, limits, concurrency: 1, signal });
  const results = await Promise.allSettled([
    recordAll(recorder, [createIntent()], lost),
    recordAll(recorder, [createIntent()], held),
    recordAll(recorder, [createIntent()], lost),
    recordAll(recorder, [createIntent()]),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(LeaseLostError);
});

test('a report is kept by the owner of the channel only', async () => {
  const unsaid = { reference: null, phone: null, doneAt: null };
  const report = { messageKey: 'm1', messageId: 'm1', code: 'DELIVRD', ...unsaid };
  const keep = (lease: Lease) => insertUnmatchedReports(service.sql, lease, [{ ...report, status: 'delivered' }]);
  await expect(keep(lost)).rejects.toBeInstanceOf(LeaseLostError);
  expect(await keep(held)).toHaveLength(1);
});

test('an inbound message is stored by the owner of the channel only, claimed or unclaimed', async () => {
  const { sql } = service;
  const words = { from: '8613800138000', to: '9999', text: 'STOP', incomplete: false, fingerprint: 'f' };
  await expect(insertUnclaimedUplink(sql, lost, words, 'last')).rejects.toBeInstanceOf(LeaseLostError);
  const uplink = {
    bucket: 0,
    customerId,
    channelId: CHANNEL_ID,
    serviceAccountId: 1n,
    taskId: null,
    phone: words.from,
    phoneKey: words.from,
    firm: null,
    content: words.text,
    incomplete: false,
    fingerprint: 'f',
  };
  await expect(insertUplink(sql, lost, uplink, 'stop', 'last')).rejects.toBeInstanceOf(LeaseLostError);
  const stored = async () =>
    (
      await sql`
      select (select count(*)::int from uplink) as claimed, (select count(*)::int from unclaimed_uplink) as unclaimed,
        (select count(*)::int from opt_out) as stopped`
    )[0];
  expect(await stored()).toMatchObject({ claimed: 0, unclaimed: 0, stopped: 0 });
  await insertUnclaimedUplink(sql, held, words, 'last');
  await insertUplink(sql, held, uplink, 'stop', 'last');
  expect(await stored()).toMatchObject({ claimed: 1, unclaimed: 1, stopped: 1 });
});

test('a transaction that writes under the fence does not keep the owner from renewing, and a takeover waits for it', async () => {
  const { sql } = service;
  const order: string[] = [];
  let next: Promise<Lease> | undefined;
  await sql.begin(async (tx) => {
    await readHeldFences(tx, [held]);
    // In one row with the fence, this would wait for the commit, which waits for it.
    expect(await renewLease(sql, held, { leaseMs: 60_000, steadyMs: 0 }, { state: 'up' })).toBe(true);
    await releaseLease(sql, held);
    next = acquire('third').then((lease) => {
      order.push('taken over');
      return lease;
    });
    const isWaiting = async () =>
      (await sql`select 1 from pg_locks where not granted and pid <> pg_backend_pid()`).length > 0;
    await until('the takeover waits', isWaiting);
    order.push('committed');
  });
  const third = await next;
  expect(order).toEqual(['committed', 'taken over']);
  await expect(sql.begin((tx) => readHeldFences(tx, [held]))).rejects.toBeInstanceOf(LeaseLostError);
  held = third ?? held;
});

test('a process with patience takes a channel only when it was without an owner for that long', async () => {
  await releaseLease(service.sql, held);
  expect(await acquireLease(service.sql, claimOf('patient', 60_000))).toBeUndefined();
  held = await acquire('second');
});
