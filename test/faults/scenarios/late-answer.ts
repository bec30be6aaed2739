// A process is halted with parts on the wire, and another takes its channel over: it can only call them unknown. The carrier
// answered the first one meanwhile, which reads the answers when it goes on: they settle the question.

import { createPhones } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { createSenderTo, expectSoon, type Scenario } from './scenario.js';

const COUNT = 5;

export const lateAnswer: Scenario = async ({ database: { sql }, startService, startPeer }) => {
  const peer = await startPeer((pdu) => pdu.command === 'submit_sm');
  const env = { POSTRIDER_UNKNOWN_TIMEOUT: '1h' };
  const first = await startService(env);
  const sender = await createSenderTo(peer, first);
  const flags = { auto_freeze: true, auto_submit: true };
  const request = { template_no: sender.templateNo, phones: createPhones(COUNT), ...flags };
  await sender.at(first.url).send(request);
  await until('the parts are with the peer', () => peer.submits().length === COUNT);
  const connection = peer.current();
  const second = await startService(env);
  first.signal('SIGSTOP');
  try {
    for (const { sequence } of peer.submits()) {
      connection.send('submit_sm_resp', 0, sequence, { message_id: `m${sequence}` });
    }
    const isTakenOver = async () => (await sql`select 1 from submit where code = 'process_ended'`).length === COUNT;
    await until('they are unknown to the second', isTakenOver);
  } finally {
    first.signal('SIGCONT');
  }
  const read = async () => (await sql<{ status: string }[]>`select status from submit`).map(({ status }) => status);
  const violations = await expectSoon(
    'an answer is recorded, whichever process owns the channel',
    async () => (await read()).filter((status) => status === 'accepted').length === COUNT,
    async () => `the submits are ${(await read()).join(', ')}`,
  );
  await Promise.all([first.end('SIGTERM'), second.end('SIGTERM')]);
  return violations;
};
