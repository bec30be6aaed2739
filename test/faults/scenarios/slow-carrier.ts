// A carrier takes seconds to answer, and the process is killed. Of what waited for its window nothing reached a socket, and little of it
// becomes unknown: what the carrier may have got, and what would have been sent during two commits.

import { startMessageCentre } from '../../../tools/message-centre/message-centre.js';
import { createConfig } from '../../channels/smpp/peer.js';
import { createPhones } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { createSenderOver, expectSoon, type Scenario } from './scenario.js';

const WINDOW = 4;
const COUNT = 60;
const ANSWER_MS = 2_000;
/** What fits on the wire, and one part more: two commits are a twentieth of the time to an answer. */
const MAX_UNKNOWN = WINDOW + 1;

export const slowCarrier: Scenario = async ({ startService, closers }) => {
  const centre = await startMessageCentre({ port: 0, testNumbers: false, answerMs: ANSWER_MS });
  closers.push(() => centre.stop());
  const env = { POSTRIDER_UNKNOWN_TIMEOUT: '1h' };
  const killed = await startService(env);
  const config = createConfig(centre.port, { window: WINDOW, response_timeout_ms: 60_000 });
  const sender = await createSenderOver(killed, 'smpp', { ...config });
  const flags = { auto_freeze: true, auto_submit: true };
  const client = sender.at(killed.url);
  const { task_no: taskNo } = await client.send({
    template_no: sender.templateNo,
    phones: createPhones(COUNT),
    ...flags,
  });
  // A second round of the window is on the wire: the channel knows how long answers take.
  await until('answers came', () => centre.counts().submits > WINDOW);
  await killed.end('SIGKILL');
  const next = await startService(env);
  const countUnknown = async () => (await sender.at(next.url).task(taskNo)).counts.unknown;
  await until('what was on the wire is unknown', async () => (await countUnknown()) > 0, 60_000);
  const unknown = await countUnknown();
  const rule = 'no more parts are unknown after a crash than fit on the wire and are sent during two commits';
  if (unknown > MAX_UNKNOWN) return [{ rule, detail: `${unknown} of ${COUNT} are unknown, the window is ${WINDOW}` }];
  return await expectSoon(
    'what did not reach a socket is sent',
    async () => centre.counts().destinations >= COUNT - unknown,
    () => JSON.stringify(centre.counts()),
    60_000,
  );
};
