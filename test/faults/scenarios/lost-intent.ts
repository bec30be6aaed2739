// A failover to a standby that was behind: the intents to send are no longer in the rows while the parts are with the carrier,
// which answers them to the process that sent them. Nothing is sent again by the process that opens the channel next.

import { PART } from '../../../src/domain/chunk/chunk-state.js';
import { createPhones } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { createSenderTo, expectSoon, type Scenario } from './scenario.js';

const COUNT = 5;
const RULE = 'a part that was answered is not sent again after lost commits';

export const lostIntent: Scenario = async ({ database: { sql }, startService, startPeer }) => {
  const peer = await startPeer((pdu) => pdu.command === 'submit_sm');
  const service = await startService();
  const sender = await createSenderTo(peer, service);
  const flags = { auto_freeze: true, auto_submit: true };
  const phones = createPhones(COUNT);
  const client = sender.at(service.url);
  const { task_no: taskNo } = await client.send({ template_no: sender.templateNo, phones, ...flags });
  await until('the parts are with the peer', () => peer.submits().length === COUNT);
  await sql`update chunk set part_states = ${Buffer.alloc(COUNT, PART.unsent)}`;
  const answered = peer.submits();
  for (const { sequence } of answered) {
    peer.current().send('submit_sm_resp', 0, sequence, { message_id: `m${sequence}` });
  }
  const recorded = await expectSoon(
    'an answer is proof that its part was sent',
    async () => (await client.task(taskNo)).counts.awaiting === COUNT,
    async () => `the task shows ${JSON.stringify((await client.task(taskNo)).counts)}`,
  );
  await service.end('SIGKILL');
  const next = await startService();
  // What would go again goes before a new message.
  const other = '13900139999';
  await sender.at(next.url).send({ template_no: sender.templateNo, phones: [other], ...flags });
  const isThrough = () => peer.submits().some(({ body }) => body.destination_addr.endsWith(other));
  await until('another message is with the peer', isThrough);
  const times = phones.map(
    (phone) => peer.submits().filter(({ body }) => body.destination_addr.endsWith(phone)).length,
  );
  const twice = times.some((count) => count > 1) ? [{ rule: RULE, detail: `sent ${times.join(', ')} times` }] : [];
  return [...twice, ...recorded];
};
