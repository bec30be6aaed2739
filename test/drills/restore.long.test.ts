// A database is restored to an earlier point from a base backup and its archived log, and `postrider recover` makes it safe to start on.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import { createChannels, createSender, operatorAt, sendNumbers } from '../support/campaign.js';
import { createLab } from '../support/postgres/replicated-postgres.js';
import { buildCode, checkout } from '../support/service-process.js';
import { SECRET_KEY, spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const closers: (() => Promise<unknown>)[] = [];
beforeAll(buildCode);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function postrider(databaseUrl: string, ...words: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', POSTRIDER_DATABASE_URL: databaseUrl, POSTRIDER_SECRET_KEY: SECRET_KEY };
  return await promisify(execFile)(process.execPath, [join(checkout, 'bin/postrider.mjs'), ...words], {
    env,
    cwd: '/',
  });
}

test('a restored database is made safe, and nothing is sent twice', async () => {
  const lab = await createLab();
  closers.push(() => lab.close());
  const archiving = ['archive_mode = on', `archive_command = 'cp %p ${lab.archiveDirectory}/%f'`];
  const first = await lab.startPrimary(archiving);
  const centre = await spawnCentre(['--answer-ms', '2', '--receipt-ms', '20']);
  closers.push(() => centre.end('SIGKILL'));
  let service = await spawnService({ databaseUrl: first.url });
  onTestFailed(() => tell(service.log()));
  closers.push(() => service.end('SIGKILL'));
  const config = { host: '127.0.0.1', port: centre.port, system_id: 'test', password: 'secret', window: 20 };
  const wish = { name: 'SMPP', kind: 'smpp', config, partsPerSecond: 100 } as const;
  const sender = await createSender(service.url, await createChannels(service.url, [wish]), { name: 'Busy' });
  const countSent = async () => Object.keys((await centre.counts()).by_destination).length;
  const backup = await lab.backUp(first);

  // Half of it is sent when the point is made to which the database is restored, the other half since.
  const [task] = await sendNumbers(service.url, sender, { count: 400, taskSize: 400, name: 'before' });
  await until('some are sent', async () => (await countSent()) > 50);
  await first.sql`select pg_create_restore_point('drill')`;
  const sentThen = await countSent();
  const [later] = await sendNumbers(service.url, sender, { count: 10, taskSize: 10, first: 9000, name: 'since' });
  await until('more are sent', async () => (await countSent()) >= sentThen + 100);
  await service.end('SIGTERM');
  await first.sql`select pg_switch_wal()`;
  await until('the log is archived', async () => {
    const [row] = await first.sql<{ done: boolean }[]>`
      select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) as done from pg_stat_archiver`;
    return row?.done === true;
  });
  await first.kill();
  const sentBefore = await countSent();

  const restored = await lab.restore(backup, 'drill');
  await until('it is up', async () => {
    const rows = await restored.sql`select 1 from recovery where not pg_is_in_recovery()`.catch(() => []);
    return rows.length > 0;
  });
  const { stdout, stderr } = await postrider(restored.url, 'recover', '--json');
  const recovered = JSON.parse(stdout);
  expect(recovered.under_way).toEqual([
    { customer_no: sender.customerNo, tasks: 1, numbers: recovered.marked_numbers, waiting_tasks: 0 },
  ]);
  expect(recovered.marked_numbers).toBeGreaterThanOrEqual(sentBefore - sentThen - 10);
  expect(stderr).toContain('Tell the customers');
  const again = JSON.parse((await postrider(restored.url, 'recover', '--json')).stdout);
  expect(again).toMatchObject({ marked_tasks: 0, marked_numbers: 0, paused_tasks: 0 });

  service = await spawnService({ databaseUrl: restored.url });
  const operator = operatorAt(service.url);
  expect(await operator.recovery()).toMatchObject({ state: 'held', reason: 'restored' });
  const client = sender.at(service.url);
  await expect(client.task(later?.task_no ?? '')).rejects.toMatchObject({ status: 404 });
  await operator.releaseChannels({ unsent: 'send' });
  const [fresh] = await sendNumbers(service.url, sender, { count: 10, taskSize: 10, first: 20_000, name: 'fresh' });
  await until('new messages are sent', async () => (await client.task(fresh?.task_no ?? '')).stage === 'completed');
  const { counts } = await client.task(task?.task_no ?? '');
  const accepted = (await centre.counts()).by_destination;
  expect(Object.values(accepted).filter((times) => times > 1)).toEqual([]);
  expect(Object.keys(accepted)).toHaveLength(sentBefore + 10);
  expect(counts.unknown + counts.delivered + counts.awaiting).toBe(400);
  expect(await auditAll(restored.sql)).toEqual([]);
  tell(
    `restored to an earlier point: ${sentThen} numbers were sent by then, ${sentBefore - sentThen} since; ` +
      `${recovered.marked_numbers} were marked unknown and none was sent twice`,
  );
}, 300_000);
