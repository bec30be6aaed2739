// Rounds over several customers serve those with a free account before they wait for a locked one. Each test makes a task of ann and
// one of bob due at once while ann's account is locked: bob's is served meanwhile.

import type { TaskDetail } from '@postrider/client';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStrandedRound } from '../../src/pipeline/maintenance/stranded.js';
import { createQuarantine } from '../../src/pipeline/quarantine/quarantine.js';
import { auditAll } from '../../src/store/money/audit-money.js';
import { createSnapshotView } from '../../src/store/snapshot/view.js';
import type { AnySql } from '../../src/store/sql.js';
import { isWaitedFor, lockAccountOf } from '../support/lock-waits.js';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  await service.stop();
});

/** Much less than the time after which the database cancels a statement that waits, and a round tries each customer alone. */
const SERVED_MS = 15_000;

const BY_HAND = { auto_prepare: false, auto_freeze: false, auto_submit: false };
const IN_AN_HOUR = () => new Date(Date.now() + 3_600_000).toISOString();

interface Case {
  readonly customers?: Parameters<Service['addCustomer']>[0];
  /** Resolves when the task waits for what `makeDue` changes. */
  readonly begin: (customer: ServiceCustomer) => Promise<string>;
  /** For both customers in one statement, so that one round finds both tasks. */
  readonly makeDue: (tx: AnySql) => Promise<unknown>;
  readonly isServed: (customer: ServiceCustomer, taskNo: string) => Promise<boolean>;
}

function waitsForOneOf(...waits: readonly TaskDetail['waits_for'][]): Case['isServed'] {
  return async ({ client }, taskNo) => waits.includes((await client.task(taskNo)).waits_for);
}

const CASES: Readonly<Record<string, Case>> = {
  prepared: {
    begin: async (customer) => (await customer.send(['13800138000'], BY_HAND)).task_no,
    makeDue: (tx) => tx`update task set queued_for = 'prepare' where queued_for = 'manual'`,
    isServed: waitsForOneOf('freeze'),
  },
  started: {
    begin: async (customer) => {
      const { task_no: taskNo } = await customer.send(['13800138000'], { send_at: IN_AN_HOUR() });
      await customer.taskWhen(taskNo, ({ waits_for }) => waits_for === 'send_at');
      return taskNo;
    },
    makeDue: (tx) => tx`update task set submit_at = now() where submit_at is not null`,
    isServed: waitsForOneOf('channel', 'receipts', null),
  },
  ended: {
    begin: async (customer) => {
      const { task_no: taskNo } = await customer.send(['13800138000'], { ...BY_HAND, expires_at: IN_AN_HOUR() });
      return taskNo;
    },
    makeDue: (tx) => tx`update task set expires_at = now(), unsent_until = now() where unsent_until is not null`,
    isServed: waitsForOneOf(null),
  },
  'frozen again': {
    customers: { balance: '0.01' },
    begin: async (customer) => {
      const { task_no: taskNo } = await customer.send(['13800138000'], { auto_submit: false });
      await customer.taskWhen(taskNo, ({ waits_for }) => waits_for === 'funds');
      return taskNo;
    },
    makeDue: (tx) => tx`update account set credit_limit = 1000000, wants_refreeze = true where available = 10000`,
    isServed: waitsForOneOf('submit'),
  },
  'given a new day': {
    customers: { daily_limit: '0.01' },
    begin: async (customer) => {
      const { task_no: taskNo } = await customer.send(['13800138000'], { auto_submit: false });
      await customer.taskWhen(taskNo, ({ waits_for }) => waits_for === 'limit');
      return taskNo;
    },
    makeDue: async (tx) => {
      await tx`update account set daily_limit = 1000000, frozen_on = '2020-01-01' where daily_limit = 10000`;
      // Days begin with a round of freezing again, which is ten seconds away otherwise.
      await tx`select pg_notify('postrider', 'refreeze')`;
    },
    isServed: async ({ customerNo }) => {
      const rows = await service.sql`
        select 1 from account a join customer c using (bucket, customer_id)
        where c.customer_no = ${customerNo} and a.frozen_on > '2020-01-01'`;
      return rows.length > 0;
    },
  },
};

/** A round that finds a customer before the snapshot does leaves it to the next one. */
async function hasNoRefreeze({ customerNo }: ServiceCustomer): Promise<boolean> {
  const rows = await service.sql`
    select from account a join customer c using (bucket, customer_id) where c.customer_no = ${customerNo} and a.wants_refreeze`;
  if (rows.length > 0) await service.sql`select pg_notify('postrider', 'refreeze')`;
  return rows.length === 0;
}

test.each(Object.entries(CASES))('a task is %s while the account of another customer is locked', async (_, each) => {
  const ann = await service.addCustomer(each.customers);
  const bob = await service.addCustomer(each.customers);
  await each.begin(ann);
  const bobs = await each.begin(bob);
  // Freezing again after bob's first top-up would lock his account, too.
  await until(() => hasNoRefreeze(bob));
  const check = async (tx: AnySql): Promise<void> => {
    await lockAccountOf(tx, ann);
    await until('bob is served', () => each.isServed(bob, bobs), SERVED_MS);
  };
  // The check waits in line for the account before the tasks become due, so that no round gets it first.
  const { checked } = await service.sql.begin(async (tx) => {
    await lockAccountOf(tx, ann);
    await each.makeDue(tx);
    const checked = service.sql.begin(check);
    await until(() => isWaitedFor(service.sql, tx));
    return { checked };
  });
  await checked;
});

test('stranded numbers are rejected while the account of another customer is locked', async () => {
  const channelNos = [await service.addChannel(['cmcc'])];
  const ann = await service.addCustomer({ channelNos });
  const bob = await service.addCustomer({ channelNos });
  const begin = async (customer: ServiceCustomer) => {
    const { task_no: taskNo } = await customer.send(['13800138000'], { auto_submit: false });
    await customer.taskWhen(taskNo, ({ waits_for }) => waits_for === 'submit');
    return taskNo;
  };
  const tasks = [await begin(ann), await begin(bob)];
  await service.operator.updateChannel(channelNos[0] ?? '', { status: 'disabled' });
  await until(async () => (await service.operator.channel(channelNos[0] ?? '')).health.state === 'down');
  await until(() => hasNoRefreeze(bob));
  await ann.client.submitTask(tasks[0] ?? '');
  await bob.client.submitTask(tasks[1] ?? '');
  await service.sql`update chunk set queued_at = queued_at - interval '1 hour' where queue_no is not null`;
  await service.sql`
    update channel_heartbeat h set live_at = live_at - interval '1 hour'
    from channel c where c.channel_id = h.channel_id and c.channel_no = ${channelNos[0] ?? ''}`;
  let nowMs = 0;
  const quarantine = createQuarantine({
    now: Date.now,
    log: pino({ level: 'silent' }),
  });
  const limits = { receiptTimeoutMs: 3_600_000, unknownTimeoutMs: 3_600_000 };
  const snapshot = () => createSnapshotView();
  const deps = { sql: service.sql, snapshot, limits, quarantine, unsentTimeoutMs: 1_800_000 };
  const round = createStrandedRound({ ...deps, monotonicNow: () => nowMs });
  await service.sql.begin(async (tx) => {
    const bucket = await lockAccountOf(tx, ann);
    await round(bucket);
    nowMs = 3_600_000;
    const rejecting = round(bucket);
    const isDone = async () => (await bob.client.task(tasks[1] ?? '')).counts.rejected === 1;
    await until('bob is served', isDone, SERVED_MS);
    return { rejecting };
  });
  await ann.completed(tasks[0] ?? '');
});
