// A process dies while it writes a delivery report. The carrier sends a report again until it is acknowledged, and only then: one
// that is acknowledged before the commit is lost.

import type { Body } from '../../../src/channels/smpp/pdu.js';
import { acceptAll, type PeerConnection } from '../../channels/smpp/peer.js';
import { until } from '../../support/until.js';
import { createSenderTo, expectSoon, killBeforeCommit, reportOn, type Scenario } from './scenario.js';

const isAcknowledged = (connection: PeerConnection) =>
  connection.all('deliver_sm_resp').some(({ status }) => status === 0);

/** A process that has just taken the channel over may refuse a report, which then comes again. */
async function deliverUntilAcknowledged(
  connection: PeerConnection,
  report: Partial<Body<'deliver_sm'>>,
): Promise<void> {
  for (let sequence = 1; !isAcknowledged(connection); sequence++) {
    connection.deliver(sequence, report);
    await until('the report is answered', () => connection.all('deliver_sm_resp').length === sequence);
  }
}

export const reportBeforeCommit: Scenario = async ({ database: { sql }, startService, startPeer }) => {
  const peer = await startPeer(acceptAll);
  const first = await startService();
  const sender = await createSenderTo(peer, first);
  const flags = { auto_freeze: true, auto_submit: true };
  const request = { template_no: sender.templateNo, phones: ['13800138000'], ...flags };
  const { task_no: taskNo } = await sender.at(first.url).send(request);
  const countsAt = async (url: string) => (await sender.at(url).task(taskNo)).counts;
  await until('the answer is recorded', async () => (await countsAt(first.url)).awaiting === 1);
  const submit = await until('the part is with the peer', () => peer.submits()[0]);
  const report = reportOn(submit, `m${submit.sequence}`);
  const connection = peer.current();
  await killBeforeCommit(sql, first, 'receipt', () => connection.deliver(1, report));
  await until('the connection is closed', () => connection.isClosed);
  const second = await startService();
  if (!isAcknowledged(connection)) {
    const isBound = (each: PeerConnection) => !each.isClosed && each.received.length > 0;
    const next = await until('the second process is bound', () => peer.connections.find(isBound));
    await deliverUntilAcknowledged(next, report);
  }
  return await expectSoon(
    'a report that was acknowledged is kept',
    async () => (await countsAt(second.url)).delivered === 1,
    async () => `the task shows ${JSON.stringify(await countsAt(second.url))}`,
  );
};
