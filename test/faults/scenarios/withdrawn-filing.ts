// While two tasks are being sent, the filing of one is withdrawn and the channel of the other begins to require filings. What is left of
// both goes over a third channel.

import type { Sql } from '../../../src/store/sql.js';
import { createChannels, createPhones, createSender, operatorAt } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import { expectSoon, type Scenario } from './scenario.js';

const RATE = 20;
const COUNT = 400;
/** Other machines see the configuration within two seconds; this is one more for a busy one. */
const MAX_LATE = 3 * RATE;
const CHANNELS = ['Filed', 'Lax', 'Open'] as const;

export const withdrawnFiling: Scenario = async ({ startService, database: { sql } }) => {
  const service = await startService();
  const wishes = CHANNELS.map((name) => ({
    ...({ name, kind: 'simulator', config: {} } as const),
    ...(name === 'Open' ? {} : { partsPerSecond: RATE }),
  }));
  const [filed = '', lax = '', open = ''] = await createChannels(service.url, wishes);
  const operator = operatorAt(service.url);
  await operator.updateChannel(filed, { requires_filing: true });
  const one = await createSender(service.url, [filed], { name: 'Filed' });
  const other = await createSender(service.url, [lax], { name: 'Lax' });
  const [account] = (await operator.serviceAccounts(one.customerNo).page()).items;
  const setFiling = (status: 'filed' | 'rejected') =>
    operator.setFiling(one.customerNo, account?.service_account_no ?? '', { channel_no: filed, status });
  await operator.updateServiceAccount(one.customerNo, account?.service_account_no ?? '', { signature: 'Rider' });
  await setFiling('filed');

  const clients = [one, other].map((sender) => ({ client: sender.at(service.url), templateNo: sender.templateNo }));
  const tasks = await Promise.all(
    clients.map(async ({ client, templateNo: template_no }, at) => {
      const phones = createPhones(COUNT, at * COUNT);
      return {
        client,
        taskNo: (await client.send({ template_no, phones, auto_freeze: true, auto_submit: true })).task_no,
      };
    }),
  );
  await until('both channels are at work', async () => {
    const counts = await countByChannel(sql);
    return counts.Filed > RATE && counts.Lax > RATE;
  });
  for (const { customerNo } of [one, other]) await operator.grantChannel(customerNo, open);
  await Promise.all([setFiling('rejected'), operator.updateChannel(lax, { requires_filing: true })]);
  const before = await countByChannel(sql);
  const broken = await expectSoon(
    'what is left goes over another channel',
    async () => {
      const found = await Promise.all(tasks.map(({ client, taskNo }) => client.task(taskNo)));
      return found.every(({ counts }) => counts.delivered + counts.undelivered === COUNT);
    },
    async () => JSON.stringify(await countByChannel(sql)),
    60_000,
  );
  const after = await countByChannel(sql);
  const late = (['Filed', 'Lax'] as const).filter((name) => after[name] - before[name] > MAX_LATE);
  return [
    ...broken,
    ...late.map((name) => ({
      rule: 'a channel that requires a filing carries only what is filed with it',
      detail: `${after[name] - before[name]} parts went over "${name}" afterwards`,
    })),
  ];
};

async function countByChannel(sql: Sql): Promise<Record<(typeof CHANNELS)[number], number>> {
  const rows = await sql<{ name: string; parts: number }[]>`
    select channel.name, count(*)::int as parts from submit join channel using (channel_id) group by channel.name`;
  const count = (name: string) => rows.find((row) => row.name === name)?.parts ?? 0;
  return { Filed: count('Filed'), Lax: count('Lax'), Open: count('Open') };
}
