// A failover of PostgreSQL under load, with a real primary and a real standby. A synchronous standby has every commit: the service goes on without an
// operator. An asynchronous one that was behind has lost the last commits: that is detected, and channels are held until they are released.

import { afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import type { Sql } from '../../src/store/sql.js';
import {
  awaitOutcomes,
  checkBooks,
  checkUpstream,
  countSubmits,
  countUnknown,
  createChannels,
  createSender,
  operatorAt,
  sendNumbers,
} from '../support/campaign.js';
import { createLab, type Lab, type PostgresServer } from '../support/postgres/replicated-postgres.js';
import { buildCode } from '../support/service-process.js';
import { type SpawnedCentre, type SpawnedService, spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const NUMBERS = 4000;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(buildCode);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startLab(settings: readonly string[] = []) {
  const lab: Lab = await createLab();
  closers.push(() => lab.close());
  const primary = await lab.startPrimary(settings);
  const { standby, network } = await lab.startStandby(primary);
  await until('the standby streams', async () => {
    const rows = await primary.sql`select 1 from pg_stat_replication where state = 'streaming'`;
    return rows.length > 0;
  });
  return { lab, primary, standby, network };
}

async function startTraffic(primary: PostgresServer, standby: PostgresServer) {
  const centre = await spawnCentre(['--answer-ms', '2', '--receipt-ms', '20']);
  closers.push(() => centre.end('SIGKILL'));
  const databaseUrl = `postgres://postrider@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postrider`;
  const services: SpawnedService[] = [];
  for (const roles of ['api,worker', 'worker,channels']) {
    const service = await spawnService({ databaseUrl, roles });
    closers.push(() => service.end('SIGKILL'));
    onTestFailed(() => tell(service.log()));
    services.push(service);
  }
  const url = services[0]?.url ?? '';
  const config = { host: '127.0.0.1', port: centre.port, system_id: 'test', password: 'secret', window: 50 };
  const wish = { name: 'SMPP', kind: 'smpp', config, partsPerSecond: 400 } as const;
  const sender = await createSender(url, await createChannels(url, [wish]), { name: 'Busy' });
  return { centre, services, url, sender };
}

/** From the loss of the primary. */
async function timeUntilSent(sql: Sql, centre: SpawnedCentre, sinceMs: number): Promise<number> {
  const before = await countAccepted(centre);
  await until(
    'parts are sent again',
    async () => (await countAccepted(centre)) > before && (await countSubmits(sql)) > 0,
  );
  return performance.now() - sinceMs;
}

async function countAccepted(centre: SpawnedCentre): Promise<number> {
  return Object.keys((await centre.counts()).by_destination).length;
}

test('a synchronous standby is promoted: nothing twice, nothing lost, no operator', async () => {
  const { primary, standby } = await startLab();
  await primary.sql`alter system set synchronous_standby_names = '*'`;
  await primary.sql`select pg_reload_conf()`;
  const { centre, services, url, sender } = await startTraffic(primary, standby);
  const sent = sendNumbers(url, sender, { count: NUMBERS, taskSize: 100, name: 'sync' });
  await until('a quarter is sent', async () => (await countAccepted(centre)) >= NUMBERS / 4, 120_000);

  const lostAt = performance.now();
  await primary.kill();
  await standby.promote();
  const promotedAt = performance.now();
  const recoveredMs = await timeUntilSent(standby.sql, centre, lostAt);
  await sent;
  await awaitOutcomes(standby.sql, NUMBERS);
  await until('every receipt is acknowledged', async () => (await centre.counts()).pending === 0);
  await checkBooks(standby.sql, NUMBERS);
  await checkUpstream(standby.sql, (await centre.counts()).by_destination);

  const { state, timeline } = await operatorAt(url).recovery();
  expect({ state, timeline }).toEqual({ state: 'open', timeline: 2 });
  expect(services.map((service) => service.child.exitCode)).toEqual([null, null]);
  tell(
    `synchronous failover under load: sending again ${Math.round(recoveredMs)} ms after the primary was killed, ` +
      `${Math.round(promotedAt - lostAt)} ms of it until the standby was promoted; ${NUMBERS} numbers, ${await countUnknown(standby.sql)} unknown`,
  );
  for (const service of services) expect(await service.end('SIGTERM')).toBe(0);
}, 300_000);

test('an asynchronous standby that lost commits is detected: channels are held until they are released', async () => {
  const { primary, standby, network } = await startLab();
  const { centre, url, sender } = await startTraffic(primary, standby);
  const sent = sendNumbers(url, sender, { count: NUMBERS, taskSize: 500, name: 'async' });
  await sent;
  await until('some parts are sent', async () => (await countAccepted(centre)) >= NUMBERS / 10, 120_000);
  const known = await countAccepted(centre);
  network.goSilent();
  await until(
    'parts are sent that the standby does not know of',
    async () => (await countAccepted(centre)) >= known + 100,
  );

  const lostAt = performance.now();
  await primary.kill();
  await standby.promote();
  const operator = operatorAt(url);
  const held = await until('channels are held', async () => {
    const recovery = await operator.recovery();
    return recovery.state === 'held' && recovery;
  });
  const heldMs = performance.now() - lostAt;
  expect(held.reason).toBe('lost_commits');
  expect(held.under_way).toHaveLength(1);

  // Answers and reports that came are recorded; nothing new is sent.
  const before = await countAccepted(centre);
  const release = await operator.releaseChannels({ unsent: 'unknown', remark: 'drill' });
  expect(release.marked_numbers).toBeGreaterThan(0);
  const more = await sendNumbers(url, sender, { count: 100, taskSize: 100, first: 50_000, name: 'afterwards' });
  await until('what came later is sent', async () => (await countAccepted(centre)) >= before + 100);
  const accepted = (await centre.counts()).by_destination;
  expect(Object.values(accepted).filter((times) => times > 1)).toEqual([]);
  expect(Object.keys(accepted)).toHaveLength(before + 100);
  const client = sender.at(url);
  for (const { task_no } of more) {
    await until('it is delivered', async () => (await client.task(task_no)).stage === 'completed');
  }
  tell(
    `asynchronous failover under load: held ${Math.round(heldMs)} ms after the primary was killed; of ${NUMBERS} numbers ${before} were sent, ` +
      `${release.marked_numbers} were marked unknown and none was sent twice (${held.detail})`,
  );
}, 300_000);
