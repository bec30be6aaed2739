// A report comes before the answer to its part, and the answer cannot be written for a while: the report is applied once it is.

import type { Sql } from '../../../src/store/sql.js';
import { until } from '../../support/until.js';
import { createSenderTo, expectSoon, reportOn, type Scenario } from './scenario.js';

const MESSAGE_ID = 'early';

/** A sequence keeps counting when its transaction is rolled back. */
async function countRefused(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select last_value::int as count from refused_submits`;
  return row?.count ?? 0;
}

export const earlyReport: Scenario = async ({ database: { sql }, startService, startPeer }) => {
  const peer = await startPeer((pdu) => pdu.command === 'submit_sm' || pdu.command === 'deliver_sm_resp');
  const service = await startService();
  const sender = await createSenderTo(peer, service);
  const client = sender.at(service.url);
  const flags = { auto_freeze: true, auto_submit: true };
  const task = await client.send({ template_no: sender.templateNo, phones: ['13800138000'], ...flags });
  const submit = await until('the part is with the peer', () => peer.submits()[0]);
  await sql.unsafe(`
    create sequence refused_submits;
    create function refuse_submit() returns trigger language plpgsql as $$
      begin perform nextval('refused_submits'); raise exception 'not this one'; end $$;
    create trigger refuse_submit before insert on submit for each row execute function refuse_submit();`);
  peer.current().deliver(1, reportOn(submit, MESSAGE_ID));
  await until('the report is kept', () => peer.current().all('deliver_sm_resp').length > 0);
  peer.current().send('submit_sm_resp', 0, submit.sequence, { message_id: MESSAGE_ID });
  await until('the answer is quarantined', () => service.log().includes('a customer is quarantined'));
  // Its retry goes behind the report in the line of the bucket: once the retry is refused, the report has been tried too.
  const before = await countRefused(sql);
  await until('the answer is retried', async () => (await countRefused(sql)) > before);
  await sql`drop trigger refuse_submit on submit`;
  const read = () => client.task(task.task_no);
  return await expectSoon(
    'a report that came before its answer is applied',
    async () => (await read()).counts.delivered === 1,
    async () => `the task shows ${JSON.stringify((await read()).counts)}`,
  );
};
