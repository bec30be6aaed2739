// A message centre keeps its receipts until the client logs in again, sends them in one write with the answer to the login, and gives
// up what is refused. The process that owns the channel is killed, and the next one is not ready to receive when it logs in.

import { startMessageCentre } from '../../../tools/message-centre/message-centre.js';
import { createConfig } from '../../channels/smpp/peer.js';
import { createPhones } from '../../support/campaign.js';
import { isWaitedFor } from '../../support/lock-waits.js';
import { until } from '../../support/until.js';
import { createSenderOver, expectSoon, type Scenario } from './scenario.js';

const COUNT = 20;

export const behindLogin: Scenario = async ({ startService, database, closers }) => {
  const centre = await startMessageCentre({ port: 0, testNumbers: false, atLoginRate: 1, repeatRefused: false });
  closers.push(() => centre.stop());
  const killed = await startService();
  const sender = await createSenderOver(killed, 'smpp', { ...createConfig(centre.port) });
  const flags = { auto_freeze: true, auto_submit: true };
  const client = sender.at(killed.url);
  const { task_no: taskNo } = await client.send({
    template_no: sender.templateNo,
    phones: createPhones(COUNT),
    ...flags,
  });
  await until('the answers are recorded', async () => (await client.task(taskNo)).counts.awaiting === COUNT);

  const { sql } = database;
  let next: Promise<unknown> | undefined;
  await sql.begin(async (tx) => {
    // Test messages cannot be written: the channel opens its sessions and does not get ready.
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`lock table channel_test in share mode`;
    await killed.end('SIGKILL');
    next = startService();
    await until('the next process has logged in', () => centre.counts().binds === 2, 60_000);
    await until('it is not ready', () => isWaitedFor(sql, tx));
  });
  await next;
  const countDelivered = async () => {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from receipt where result = 'delivered'`;
    return row?.count ?? 0;
  };
  return await expectSoon(
    'a report behind the login settles its number',
    async () => (await countDelivered()) === COUNT,
    async () => `${await countDelivered()} of ${COUNT} are delivered, ${centre.counts().givenUp} reports were refused`,
  );
};
