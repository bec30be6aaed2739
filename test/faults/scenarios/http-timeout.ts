// An HTTP upstream takes a message and does not answer within the time limit: the message may be sent, so it goes to no upstream a
// second time.

import { createConfig, http, startRawPeer } from '../../channels/http-upstream/peer.js';
import { until } from '../../support/until.js';
import { createSenderOver, type Scenario } from './scenario.js';

const UNANSWERED = '13800138000';
const ANSWERED = '13900139000';

export const httpTimeout: Scenario = async ({ startService, closers }) => {
  const peer = await startRawPeer((socket, request) => {
    if (!request.includes(UNANSWERED)) socket.write(http(200, JSON.stringify({ id: 'm1' })));
  });
  closers.push(peer.stop);
  const service = await startService({ POSTRIDER_UPSTREAM_ALLOW: '127.0.0.0/8', POSTRIDER_UNKNOWN_TIMEOUT: '1h' });
  const sender = await createSenderOver(service, 'http', createConfig(peer.port, { timeout_ms: 300 }));
  const client = sender.at(service.url);
  const send = (phone: string) =>
    client.send({ template_no: sender.templateNo, phones: [phone], auto_freeze: true, auto_submit: true });
  const timesSent = (phone: string) => peer.requests.filter((request) => request.includes(phone)).length;
  const { task_no: taskNo } = await send(UNANSWERED);
  const isUnknown = async () => (await client.task(taskNo)).counts.unknown === 1;
  await until('the part is unknown, or sent again', async () => timesSent(UNANSWERED) > 1 || (await isUnknown()));
  // What would go again goes before a new message.
  await send(ANSWERED);
  await until('another message is with the peer', () => timesSent(ANSWERED) > 0);
  const times = timesSent(UNANSWERED);
  return times === 1 ? [] : [{ rule: 'a part without an answer is not sent again', detail: `sent ${times} times` }];
};
