// A report comes before the answer to its part, and the answer cannot be written for a while: the report is applied once it is.

import type { Body, PduOf } from '../../../src/channels/smpp/pdu.js';
import { until } from '../../support/until.js';
import { createSenderTo, expectSoon, type Scenario } from './scenario.js';

const MESSAGE_ID = 'early';

function reportOn({ body }: PduOf<'submit_sm'>): Partial<Body<'deliver_sm'>> {
  const text = `id:${MESSAGE_ID} sub:001 dlvrd:001 submit date:2611150000 done date:2611150000 stat:DELIVRD err:000 text:`;
  const addresses = { source_addr: body.destination_addr, destination_addr: body.source_addr };
  return { ...addresses, esm_class: 0x04, short_message: Buffer.from(text) };
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
  peer.current().deliver(1, reportOn(submit));
  await until('the report is kept', () => peer.current().all('deliver_sm_resp').length > 0);
  peer.current().send('submit_sm_resp', 0, submit.sequence, { message_id: MESSAGE_ID });
  // A sequence counts on when its transaction is rolled back.
  await until(
    'the answer is refused',
    async () => (await sql`select 1 from refused_submits where is_called`).length > 0,
  );
  await sql`drop trigger refuse_submit on submit`;
  const read = () => client.task(task.task_no);
  return await expectSoon(
    'a report that came before its answer is applied',
    async () => (await read()).counts.delivered === 1,
    async () => `the task shows ${JSON.stringify((await read()).counts)}`,
  );
};
