// A table is locked for seven seconds, as by an index build, while thousands of customers send one message each: the batches of
// the recorder stand still, and the database ends what is idle in a transaction meanwhile. The process lives, everything that was
// accepted is sent and billed, and a top-up made in between stays.

import { setTimeout as sleep } from 'node:timers/promises';
import { PostriderClient } from '@postrider/client';
import { auditAll } from '../../../src/store/money/audit-money.js';
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
  await createChannels(service.url, [
    { name: 'Simulator', kind: 'simulator', config: { answer_ms: 5, receipt_ms: 20, test_numbers: false } },
  ]);
  const crowd = await createCrowd(sql);
  const over = new AbortController();
  let accepted = 0;
  const sendOnAndOn = async (at: number): Promise<void> => {
    for (let no = at; !over.signal.aborted && no < crowd.length; no += SENDERS) {
      const customer = crowd[no];
      if (customer !== undefined && (await isAccepted(service.url, customer, no))) accepted += 1;
      await sleep(PAUSE_MS);
    }
  };
  const sending = Array.from({ length: SENDERS }, (_, at) => sendOnAndOn(at));
  await sleep(BEFORE_MS);
  const operator = operatorAt(service.url, 1);
  await sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`lock table submit in share mode`;
    await sleep(LOCK_MS / 2);
    // Those whose account is in a batch that stands still are answered after the lock.
    for (let at = 1; at <= TOP_UPS; at += 1) {
      void operator.topUp(`CROWD${at}`, { amount: '100', remark: 'Test' }).catch(() => undefined);
    }
    await sleep(LOCK_MS / 2);
  });
  await sleep(BEFORE_MS);
  over.abort();
  await Promise.all(sending);
  const violations: Violation[] = [];
  if (service.child.exitCode !== null || service.child.signalCode !== null) {
    violations.push({ rule: 'no process ends by itself', detail: service.log().slice(-500) });
    await startService();
  }
  const countCompleted = async () => (await sql`select 1 from task where stage = 'completed'`).length;
  violations.push(
    ...(await expectSoon(
      'after healing everything is sent',
      async () => (await countCompleted()) >= accepted,
      async () => `${await countCompleted()} of ${accepted} are completed`,
      60_000,
    )),
  );
  const imbalances = await auditAll(sql);
  if (imbalances.length > 0)
    violations.push({ rule: 'the audit finds nothing', detail: JSON.stringify(imbalances[0]) });
  return violations;
};

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
