// Two SGIP channels listen on one port, each with a login. A report settles its number when it comes over the session of its channel.

import { formatSequence } from '../../../src/channels/sgip/sequence.js';
import {
  createConfig,
  dial,
  findFreePort,
  gatewaySequence,
  login,
  type Peer,
  sendReport,
  startPeer,
} from '../../channels/sgip/peer.js';
import { createChannels, createPhones, createSender } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { expectSoon, type Scenario } from './scenario.js';

const COUNT = 3;
const LOGINS = ['one', 'two'] as const;

export const sgipSharedPort: Scenario = async ({ startService, closers }) => {
  const listenPort = await findFreePort();
  const peers: Peer[] = [];
  for (const _ of LOGINS) {
    const peer = await startPeer();
    closers.push(peer.stop);
    peers.push(peer);
  }
  const service = await startService();
  const wishes = LOGINS.map((name, at) => {
    const config = createConfig(peers[at]?.port ?? 0, listenPort, { listen_account: name });
    return { name, kind: 'sgip', config: { ...config } } as const;
  });
  const channelNos = await createChannels(service.url, wishes);
  const waiting: (() => Promise<number>)[] = [];
  for (const [at, name] of LOGINS.entries()) {
    const sender = await createSender(service.url, channelNos.slice(at, at + 1), { name, chargeOn: 'delivery' });
    const client = sender.at(service.url);
    const phones = createPhones(COUNT, at * COUNT);
    const flags = { auto_freeze: true, auto_submit: true };
    const { task_no: taskNo } = await client.send({ template_no: sender.templateNo, phones, ...flags });
    const countAwaiting = async () => (await client.task(taskNo)).counts.awaiting;
    await until('the answers are recorded', async () => (await countAwaiting()) === COUNT);
    waiting.push(countAwaiting);
  }
  for (const [at, name] of LOGINS.entries()) {
    const gateway = await dial(listenPort);
    closers.push(() => gateway.socket.destroy());
    if ((await login(gateway, name)) !== 0) throw new Error(`the login of channel ${name} was refused`);
    for (const [index, { sequence, body }] of (peers[at]?.submits() ?? []).entries()) {
      const about = { user_number: body.user_numbers[0] ?? '' };
      sendReport(gateway, gatewaySequence(index + 2), formatSequence(sequence), about);
    }
  }
  const countAll = async () => (await Promise.all(waiting.map((count) => count()))).reduce((sum, count) => sum + count);
  return await expectSoon(
    'a report over the session of its channel settles its number',
    async () => (await countAll()) === 0,
    async () => `${await countAll()} of ${COUNT * LOGINS.length} numbers have no receipt`,
  );
};
