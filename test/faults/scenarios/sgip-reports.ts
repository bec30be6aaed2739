// An SGIP gateway answers Submits of two sessions with another time in the sequence number, and reports on its own connection. Each
// report settles the part whose Submit it names.

import { formatSequence } from '../../../src/channels/sgip/sequence.js';
import {
  createConfig,
  dialIn,
  findFreePort,
  gatewaySequence,
  sendReport,
  startPeer,
} from '../../channels/sgip/peer.js';
import { createPhones } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { createSenderOver, expectSoon, type Scenario } from './scenario.js';

const COUNT = 6;
/** `state` of a Report, and the result it stands for. */
const STATES = [
  [0, 'delivered'],
  [2, 'undelivered'],
] as const;

export const sgipReports: Scenario = async ({ startService, closers }) => {
  const peer = await startPeer((pdu, { send }) => {
    if (pdu.command !== 'submit') return false;
    send('submit_resp', { ...pdu.sequence, time: pdu.sequence.time + 1 }, { result: 0, reserve: '' });
    return true;
  });
  closers.push(peer.stop);
  const listenPort = await findFreePort();
  const service = await startService();
  const sender = await createSenderOver(service, 'sgip', { ...createConfig(peer.port, listenPort, { sessions: 2 }) });
  const client = sender.at(service.url);
  const phones = createPhones(COUNT);
  const task = await client.send({ template_no: sender.templateNo, phones, auto_freeze: true, auto_submit: true });
  await until('the answers are recorded', async () => (await client.task(task.task_no)).counts.awaiting === COUNT);

  const gateway = await dialIn(listenPort);
  closers.push(() => gateway.socket.destroy());
  const expected = new Map<string, string>();
  for (const [at, { sequence, body }] of peer.submits().entries()) {
    const [state, result] = STATES[at % STATES.length] ?? STATES[0];
    const phone = body.user_numbers[0] ?? '';
    expected.set(phone.slice(-11), result);
    sendReport(gateway, gatewaySequence(at + 2), formatSequence(sequence), { user_number: phone, state });
  }
  const findWrong = async (): Promise<string[]> => {
    const results = new Map<string, string>();
    for await (const { phone, result } of client.receipts({ taskNo: task.task_no })) results.set(phone, result);
    return phones.filter((phone) => results.get(phone) !== expected.get(phone));
  };
  return await expectSoon(
    'a report settles the number of the Submit that it names',
    async () => (await findWrong()).length === 0,
    async () => `${(await findWrong()).length} of ${COUNT} numbers have no receipt, or another one`,
  );
};
