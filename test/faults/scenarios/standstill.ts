// The machine of the service stands still for more than a minute while a task is sent, and the task expires meanwhile. The database runs
// elsewhere. Afterwards nothing more of the task is handed over.

import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { countSubmits, createChannels, createPhones, createSender } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { expectSoon, type Scenario } from './scenario.js';

const RATE = 50;
const COUNT = 5000;
const EXPIRES_MS = 40_000;
/** More than a step of the clock that would be waited out. */
const STILL_MS = 75_000;
/** Intents that were committed before are carried out: as many as a session may have, where commits are slow. */
const MAX_UNDER_WAY = 100;
const preload = pathToFileURL(new URL('../world/standstill-clock.mjs', import.meta.url).pathname).href;

export const standstill: Scenario = async ({ startService, database }) => {
  const service = await startService({ NODE_OPTIONS: `--import=${preload}` });
  const wish = { name: 'Slow', kind: 'simulator', config: {}, partsPerSecond: RATE } as const;
  const sender = await createSender(service.url, await createChannels(service.url, [wish]), { name: 'Sender' });
  const client = sender.at(service.url);
  const expiresMs = Date.now() + EXPIRES_MS;
  const { task_no: taskNo } = await client.send({
    template_no: sender.templateNo,
    phones: createPhones(COUNT),
    expires_at: new Date(expiresMs).toISOString(),
    auto_freeze: true,
    auto_submit: true,
  });
  const { sql } = database;
  await until('the task is being sent', async () => (await countSubmits(sql)) > 2 * RATE);
  service.signal('SIGSTOP');
  await sleep(STILL_MS);
  const before = await countSubmits(sql);
  service.signal('SIGCONT');
  const broken = await expectSoon(
    'what expired while the machine stood still ends',
    async () => (await client.task(taskNo)).counts.unsent === 0,
    async () => JSON.stringify((await client.task(taskNo)).counts),
  );
  const late = (await countSubmits(sql)) - before;
  if (late <= MAX_UNDER_WAY) return broken;
  return [
    ...broken,
    { rule: 'what expired while the machine stood still is not sent', detail: `${late} parts were sent` },
  ];
};
