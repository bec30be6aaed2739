// A task is cancelled while the carrier has some of its parts and has not answered them. Those keep their course: the carrier takes them,
// they are delivered, and no number of theirs is called cancelled.

import { createPhones } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { createSenderOver, expectSoon, reportOn, type Scenario } from './scenario.js';

const COUNT = 50;
const WINDOW = 10;

export const cancelledUnderWay: Scenario = async ({ startService, startPeer }) => {
  const peer = await startPeer((pdu) => pdu.command === 'submit_sm');
  const service = await startService();
  const sender = await createSenderOver(service, 'smpp', {
    host: '127.0.0.1',
    port: peer.port,
    system_id: 'test',
    password: 'secret',
    window: WINDOW,
    response_timeout_ms: 300_000,
  });
  const client = sender.at(service.url);
  const flags = { auto_freeze: true, auto_submit: true };
  const { task_no: taskNo } = await client.send({
    template_no: sender.templateNo,
    phones: createPhones(COUNT),
    ...flags,
  });
  await until('the window is full', () => peer.submits().length === WINDOW);
  await client.cancelTask(taskNo);
  for (const submit of peer.submits()) {
    const messageId = `m${submit.sequence}`;
    peer.current().send('submit_sm_resp', 0, submit.sequence, { message_id: messageId });
    peer.current().deliver(submit.sequence, reportOn(submit, messageId));
  }
  const read = async () => (await client.task(taskNo)).counts;
  const violations = await expectSoon(
    'a number that was cancelled was not handed over',
    async () => (await read()).delivered === WINDOW,
    async () => `the task shows ${JSON.stringify(await read())}`,
  );
  await service.end('SIGTERM');
  return violations;
};
