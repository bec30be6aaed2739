// A table is locked for seven seconds, as by an index build, while thousands of customers send one message each: the batches of
// the recorder stand still, and the server ends whatever is idle in a transaction meanwhile, as one with a short timeout does. The
// process lives, everything that was accepted is sent and billed, and top-ups made in between stay.

import { setTimeout as sleep } from 'node:timers/promises';
import { PostriderClient } from '@postrider/client';
import { auditAll } from '../../../src/store/money/audit-money.js';
import type { Sql } from '../../../src/store/sql.js';
import { createChannels, operatorAt } from '../../support/campaign.js';
import { type CrowdCustomer, createCrowd } from '../load/crowd.js';
import type { Violation } from '../rules/rules.js';
import { expectSoon, type Scenario } from './scenario.js';

const LOCK_MS = 7000;
const BEFORE_MS = 2000;
const SENDERS = 60;
const PAUSE_MS = 300;
const TOP_UPS = 20;

export const tableLock: Scenario = async ({ database: { sql }, startService }) => {
  const service = await startService();
  // Reports come after the lock: one in the batch behind would wait for its account instead of being idle.
  const config = { answer_ms: 5, receipt_ms: LOCK_MS, test_numbers: false };
  await createChannels(service.url, [{ name: 'Simulator', kind: 'simulator', config }]);
  const crowd = await createCrowd(sql);
  const over = new AbortController();
  /** By number, in the order in which their messages were accepted. */
  const accepted: string[] = [];
  const sendOnAndOn = async (at: number): Promise<void> => {
    for (let no = at; !over.signal.aborted && no < crowd.length; no += SENDERS) {
      const customer = crowd[no];
      if (customer !== undefined && (await isAccepted(service.url, customer, no))) accepted.push(`CROWD${no + 1}`);
      await sleep(PAUSE_MS);
    }
  };
  const sending = Array.from({ length: SENDERS }, (_, at) => sendOnAndOn(at));
  await sleep(BEFORE_MS);
  const operator = operatorAt(service.url, 1);
  await sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`lock table submit in share mode`;
    const before = accepted.length;
    const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const ending = endIdleTransactions(sql, own?.pid ?? 0, LOCK_MS);
    await sleep(LOCK_MS / 2);
    const standing = accepted.slice(before, before + TOP_UPS);
    // Those whose account is in a batch that stands still are answered after the lock.
    for (const customerNo of standing) {
      void operator.topUp(customerNo, { amount: '100', remark: 'Test' }).catch(() => undefined);
    }
    await ending;
  });
  await sleep(BEFORE_MS);
  over.abort();
  await Promise.all(sending);
  if (service.child.exitCode !== null || service.child.signalCode !== null) {
    return [{ rule: 'no process ends by itself', detail: service.log().slice(-500) }];
  }
  if (accepted.length < SENDERS) throw new Error(`only ${accepted.length} messages were accepted`);
  const violations: Violation[] = [];
  const countCompleted = async () => (await sql`select 1 from task where stage = 'completed'`).length;
  violations.push(
    ...(await expectSoon(
      'after healing everything is sent',
      async () => (await countCompleted()) >= accepted.length,
      async () => `${await countCompleted()} of ${accepted.length} are completed`,
      60_000,
    )),
  );
  const imbalances = await auditAll(sql);
  if (imbalances.length > 0)
    violations.push({ rule: 'the audit finds nothing', detail: JSON.stringify(imbalances[0]) });
  return violations;
};

async function endIdleTransactions(sql: Sql, except: number, forMs: number): Promise<void> {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction' and pid <> ${except}`;
    await sleep(20);
  }
}

async function isAccepted(url: string, customer: CrowdCustomer, no: number): Promise<boolean> {
  const { apiKey, apiSecret, templateNo } = customer;
  const client = new PostriderClient({ baseUrl: url, apiKey, apiSecret, retry: { attempts: 1 } });
  const phone = `199${String(no).padStart(8, '0')}`;
  const request = { template_no: templateNo, phones: [phone], variable_values: { p1: 'you' } };
  return await client.send({ ...request, auto_freeze: true, auto_submit: true }).then(
    () => true,
    () => false,
  );
}
