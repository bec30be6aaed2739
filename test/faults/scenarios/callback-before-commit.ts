// A process dies while it stores the callback of an HTTP upstream. The upstream posts a report again until it gets a 200, and only
// then: one that is answered before the commit is lost.

import { createConfig, http, startRawPeer } from '../../channels/http-upstream/peer.js';
import { operatorAt } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { createSenderOver, expectSoon, killBeforeCommit, type Scenario } from './scenario.js';

const MESSAGE_ID = 'm1';
const PHONE = '13800138000';

export const callbackBeforeCommit: Scenario = async ({ database: { sql }, startService, closers }) => {
  const peer = await startRawPeer((socket) => void socket.write(http(200, JSON.stringify({ id: MESSAGE_ID }))));
  closers.push(peer.stop);
  const env = { POSTRIDER_UPSTREAM_ALLOW: '127.0.0.0/8' };
  const first = await startService(env);
  const sender = await createSenderOver(first, 'http', createConfig(peer.port));
  const { callbacks } = await operatorAt(first.url).channel(sender.channelNo);
  const flags = { auto_freeze: true, auto_submit: true };
  const request = { template_no: sender.templateNo, phones: [PHONE], ...flags };
  const { task_no: taskNo } = await sender.at(first.url).send(request);
  const countsAt = async (url: string) => (await sender.at(url).task(taskNo)).counts;
  await until('the answer is recorded', async () => (await countsAt(first.url)).awaiting === 1);

  /** Whether the upstream got its 200. */
  const postReport = (url: string): Promise<boolean> => {
    const body = JSON.stringify({ id: MESSAGE_ID, to: `86${PHONE}`, status: 'delivered' });
    return fetch(`${url}${callbacks?.reports}`, { method: 'POST', body }).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  let isAcknowledged: Promise<boolean> | undefined;
  await killBeforeCommit(sql, first, 'upstream_callback', () => {
    isAcknowledged = postReport(first.url);
  });
  const second = await startService(env);
  if ((await isAcknowledged) === false) await until('the report is taken', () => postReport(second.url));
  return await expectSoon(
    'a report that was acknowledged is kept',
    async () => (await countsAt(second.url)).delivered === 1,
    async () => `the task shows ${JSON.stringify(await countsAt(second.url))}`,
  );
};
