// A cap holds over processes: of two sends of one number at the same moment, to two services on one database, one is capped.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChannels, createSender, operatorAt, type Sender } from '../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { type SpawnedService, spawnService } from '../support/spawned.js';
import { until } from '../support/until.js';

const ROUNDS = 15;

let database: TestDatabase;
let services: SpawnedService[] = [];
let sender: Sender;

beforeAll(async () => {
  await buildCode();
  database = await createTestDatabase();
  services = await Promise.all([1, 2].map(() => spawnService({ databaseUrl: database.url })));
  const url = services[0]?.url ?? '';
  const channels = await createChannels(url, [
    { name: 'Simulator', kind: 'simulator', config: { test_numbers: false } },
  ]);
  sender = await createSender(url, channels, { name: 'Capped' });
  const caps = [{ class: null, scope: 'customer', count: 1, per: '1h' }] as const;
  await operatorAt(url).updateCustomer(sender.customerNo, { caps: [...caps] });
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.end('SIGKILL')));
  await database?.drop();
});

test('of two tasks at once in two processes, one is capped', async () => {
  const clients = services.map(({ url }) => sender.at(url));
  const flags = { auto_freeze: true, auto_submit: true };
  const pairs = Array.from({ length: ROUNDS }, (_, round) => `1391000${1000 + round}`);
  const sent = await Promise.all(
    pairs.flatMap((phone) =>
      // By the express lane of each process in one half of the rounds, by the workers in the other.
      clients.map((client, at) => {
        const others =
          Number(phone) % 2 === 0
            ? []
            : Array.from({ length: 20 }, (_, n) => `13${at + 5}${phone.slice(-4)}${1000 + n}`);
        return client.send({ template_no: sender.templateNo, phones: [phone, ...others], ...flags });
      }),
    ),
  );
  const results = new Map<string, string[]>();
  for (const { task_no: taskNo } of sent) {
    const client = clients[0];
    if (client === undefined) return expect.fail('no service');
    await until('the task is completed', async () => (await client.task(taskNo)).stage === 'completed');
    const { items } = await client.receipts({ taskNo, pageSize: 100 }).page();
    for (const { phone, result, code } of items.filter((item) => pairs.includes(item.phone))) {
      results.set(phone, [...(results.get(phone) ?? []), result === 'delivered' ? result : String(code)]);
    }
  }
  expect([...results.values()].map((pair) => pair.toSorted())).toEqual(
    pairs.map(() => ['delivered', 'frequency_capped']),
  );
});
