// What one customer does must not take the connections that others need, nor make them wait for its locked account.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLockWaits, lockAccountOf } from '../support/lock-waits.js';
import { allOf, type Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

const CALLS = 60;
const BY_HAND = { auto_prepare: false, auto_freeze: false, auto_submit: false };
let service: Service;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => service.stop());

test('calls that wait for one account hold one connection, and those of others go on', async () => {
  const ann = await service.addCustomer();
  const bob = await service.addCustomer();
  const busy = await ann.send(['13800138000'], BY_HAND);
  const moves = await service.sql.begin(async (tx) => {
    await lockAccountOf(tx, ann);
    const open = Array.from({ length: CALLS }, (_, at) =>
      ann.client.moveTask(busy.task_no, at % 2 === 0 ? 'pause' : 'resume').catch((error: unknown) => error),
    );
    await until(async () => (await findLockWaits(service.sql, 'from account')).length > 0);
    // These need connections, and end while all of ann's calls wait.
    const sent = await bob.send(['13800138001'], BY_HAND);
    expect(await bob.client.moveTask(sent.task_no, 'cancel')).toMatchObject({ task_no: sent.task_no });
    // One, but for a step of the worker that meets the account for a moment.
    await until(async () => (await findLockWaits(service.sql, 'from account')).length === 1);
    return { open };
  });
  expect(await Promise.all(moves.open)).toHaveLength(CALLS);
});

test('changes of webhooks that wait for one account hold one connection, beside moves', async () => {
  const ann = await service.addCustomer();
  const bob = await service.addCustomer();
  const { webhook_no: webhookNo } = await ann.client.createWebhook({
    url: 'http://127.0.0.1:9/',
    events: ['receipts'],
  });
  const busy = await ann.send(['13800138000'], BY_HAND);
  const changes = await service.sql.begin(async (tx) => {
    await lockAccountOf(tx, ann);
    const calls = [
      () => ann.client.rotateWebhook(webhookNo),
      () => ann.client.replayWebhook(webhookNo, 0),
      () => ann.client.updateWebhook(webhookNo, { description: 'a' }),
      () => ann.client.moveTask(busy.task_no, 'pause'),
    ];
    const open = Array.from({ length: 5 }, () => calls).flatMap((each) =>
      each.map((call) => call().catch((error: unknown) => error)),
    );
    await until(async () => (await findLockWaits(service.sql, 'from account')).length > 0);
    expect(await allOf(bob.client.webhooks())).toEqual([]);
    // One, but for a step of the worker that meets the account for a moment.
    await until(async () => (await findLockWaits(service.sql, 'from account')).length === 1);
    return { open };
  });
  expect(await Promise.all(changes.open)).toHaveLength(20);
});

/** Tasks of a batch do not take the express lane. */
const ORDINARY = { batch_id: 'b' };

test('tasks of others are prepared and sent while an account is locked', async () => {
  const ann = await service.addCustomer();
  const bob = await service.addCustomer();
  const anns = await service.sql.begin(async (tx) => {
    await lockAccountOf(tx, ann);
    const task = await ann.send(['13800138000'], ORDINARY);
    await until(async () => (await findLockWaits(service.sql, 'from account')).length > 0);
    const sent = await bob.send(['13800138001'], ORDINARY);
    await bob.completed(sent.task_no);
    return { task };
  });
  await ann.completed(anns.task.task_no);
});

test('messages of others are accepted, answered and reported while an answer waits for a locked account', async () => {
  const channelNos = [await service.addChannel(['cmcc'], { answer_ms: 500, receipt_ms: 20 })];
  const ann = await service.addCustomer({ channelNos });
  const bob = await service.addCustomer({ channelNos });
  const task = await ann.send(['13800138000'], ORDINARY);
  await until(
    async () => (await service.sql`select 1 from chunk where position('\\x01' in part_states) > 0`).length > 0,
  );
  await service.sql.begin(async (tx) => {
    await lockAccountOf(tx, ann);
    await until(async () => (await findLockWaits(service.sql, 'from account')).length > 0);
    const sent = await bob.send(['13800138001']);
    await bob.completed(sent.task_no);
  });
  await ann.completed(task.task_no);
});

test('small messages are accepted while large ones wait to be stored', async () => {
  const ann = await service.addCustomer();
  const bob = await service.addCustomer();
  await ann.send(['13800138000'], BY_HAND);
  const phones = Array.from({ length: 5000 }, (_, at) => `138${String(at).padStart(8, '0')}`);
  const keys = ['large-1', 'large-2', 'large-3'];
  const open: Promise<unknown>[] = [];
  const rollback = new Error('nothing of this stays');
  await service.sql
    .begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      // The same request keys in a transaction that is still open: an insert of one of them waits for its end.
      await tx`
        insert into task
        select copy.* from customer join task using (bucket, customer_id),
          unnest(${keys}::text[]) with ordinality as wanted (key, at),
          jsonb_populate_record(task, jsonb_build_object('request_key', 'c:' || key, 'task_id', task_id + at)) as copy
        where customer_no = ${ann.customerNo}`;
      for (const key of keys) {
        open.push(ann.send(phones, { ...BY_HAND, client_request_id: key }));
        // Two inserts at most are under way; further requests wait for them.
        const waiting = Math.min(open.length, 2);
        await until(async () => (await findLockWaits(service.sql, 'insert into task')).length === waiting);
      }
      await bob.send(['13800138001'], BY_HAND);
      throw rollback;
    })
    .catch((error: unknown) => expect(error).toBe(rollback));
  expect(await Promise.all(open)).toHaveLength(keys.length);
});
