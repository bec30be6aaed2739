// Rows read as unsent again under a running process, as after a failover to a standby, or a restored disk, without its last commits: the
// process has the parts on the wire, and does not send them again.

import { afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { createChannels, createSender, sendNumbers } from '../support/campaign.js';
import { createTestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const closers: (() => Promise<unknown>)[] = [];
beforeAll(buildCode, 600_000);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

// The express lane sends the few at once; the many go through the queue.
for (const count of [5, 20])
  test(`${count} numbers whose intents are lost while they are on the wire are sent once`, async () => {
    const database = await createTestDatabase();
    closers.push(database.drop);
    const { sql } = database;
    const centre = await spawnCentre(['--answer-ms', '3000', '--receipt-ms', '200']);
    closers.push(() => centre.end('SIGKILL'));
    const startProcess = async () => {
      const service = await spawnService({ databaseUrl: database.url });
      closers.push(() => service.end('SIGKILL'));
      onTestFailed(() => tell(service.log()));
      return service;
    };
    const untilBound = (times: number) =>
      until(`the channel is up for the ${times}. time`, async () => ((await centre.counts()).binds ?? 0) >= times);
    const service = await startProcess();
    const config = { host: '127.0.0.1', port: centre.port, system_id: 'x', password: 's', window: 20 };
    const channels = await createChannels(service.url, [{ name: 'Slow', kind: 'smpp', config }]);
    const sender = await createSender(service.url, channels, { name: 'Sender' });
    await untilBound(1);
    await sendNumbers(service.url, sender, { count, name: 'lost' });
    const intended = () => sql`select 1 from chunk where position('\\x00'::bytea in part_states) = 0`;
    await until('the intents are committed', async () => (await intended()).length === 1);
    await sql`update chunk set part_states = decode(repeat('00', ${count}::int), 'hex'), intended_at = null`;
    const completed = () => sql`select 1 from task where stage = 'completed'`;
    await until('the task is completed', async () => (await completed()).length === 1);
    await service.end('SIGTERM');
    // Nor does the next process.
    await startProcess();
    await untilBound(2);
    const sent = Object.values((await centre.counts()).by_destination);
    expect(sent).toEqual(Array.from({ length: count }, () => 1));
  }, 120_000);
