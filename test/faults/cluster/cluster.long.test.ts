// What a cluster goes through, with customers at work all the time: `npm run faults -- --cluster URL`. The machines of the
// cluster must run on this computer, since they are killed, and no other user may use them meanwhile.

import { setTimeout as sleep } from 'node:timers/promises';
import { PostriderError } from '@postrider/client';
import { afterEach, beforeAll, describe, expect, inject, onTestFailed, test } from 'vitest';
import { findFreePort } from '../../../tools/bench/lab/program.js';
import { createPhones } from '../../support/campaign.js';
import { buildCode } from '../../support/service-process.js';
import { tell } from '../../support/tell.js';
import { until } from '../../support/until.js';
import { type ClusterReport, type ClusterWorld, CUSTOMERS, startClusterWorld, WINDOW } from './cluster-world.js';
import type { ClusterCustomer } from './load.js';
import { createMachine, type Machine } from './machines.js';

const isWanted = process.env.FAULTS_CLUSTER === 'on';
const missing = isWanted ? '' : ' (npm run faults -- --cluster URL)';
const NUMBERS = Number(process.env.FAULTS_NUMBERS ?? 100_000);
const AWAY_MS = 8000;
const LIMIT_MS = 900_000;

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startWorld(): Promise<ClusterWorld> {
  const world = await startClusterWorld(NUMBERS);
  closers.push(world.close);
  onTestFailed(() => tell(world.log().slice(-20_000)));
  return world;
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function report(what: string, { seconds, unknown, witness }: ClusterReport, found: string): void {
  const numbers = Object.keys(witness.accepted).length.toLocaleString('en');
  const load = `${numbers} numbers of ${CUSTOMERS} customers in ${seconds.toFixed(0)} s`;
  tell(`${what}: ${found}. ${load}, ${unknown} unknown in the end, none twice, none lost, books exact`);
}

/** The first customer's send is answered 503 with the time after which to ask again. */
async function expectTurnedAway(url: string, customer: ClusterCustomer): Promise<void> {
  const request = { template_no: customer.templateNo, phones: createPhones(1, 99_000_000), auto_prepare: false };
  const answer = await customer
    .at(url, 1)
    .send(request)
    .catch((error: unknown) => error);
  expect(answer).toBeInstanceOf(PostriderError);
  const { status, retryAfterMs } = answer as PostriderError;
  expect({ status, isToldWhen: (retryAfterMs ?? 0) > 0 }).toEqual({ status: 503, isToldWhen: true });
}

async function readAway(url: string): Promise<readonly number[] | undefined> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  if (answer === undefined || !answer.ok) return undefined;
  return ((await answer.json()) as { buckets_away?: readonly number[] }).buckets_away;
}

describe.skipIf(!isWanted)(`a cluster with ${CUSTOMERS} customers and ${NUMBERS} numbers${missing}`, () => {
  beforeAll(buildCode);

  test(
    'the service is killed three times',
    async () => {
      const world = await startWorld();
      const kills: number[] = [];
      for (const share of [0.2, 0.4, 0.6]) {
        await world.reach(share);
        kills.push(Date.now());
        await world.killService();
        await world.startService();
      }
      const outcome = await world.finish();
      expect(outcome.unknown).toBeLessThanOrEqual(kills.length * WINDOW);
      const waits = kills.map((at) => inSeconds(outcome.witness.longestUntilNext(world.customers, at)));
      report('service killed three times', outcome, `all customers sent again after ${waits.join(', ')}`);
    },
    LIMIT_MS,
  );

  test.each([0, 1])(
    'worker %i is killed and started again',
    async (which) => {
      const world = await startWorld();
      await world.reach(0.25);
      const worker = world.workers[which] as Machine;
      const affected = await world.customersOn(worker);
      const others = world.customers.filter((customer) => !affected.includes(customer));
      const killedMs = Date.now();
      await worker.kill();
      const buckets = [...new Set(affected.map(({ bucket }) => bucket))].toSorted((a, b) => a - b);
      await until(
        '/readyz names the buckets that are away',
        async () => String((await readAway(world.url))?.toSorted((a, b) => a - b)) === String(buckets),
      );
      await expectTurnedAway(world.url, affected[0] as ClusterCustomer);
      await sleep(Math.max(0, AWAY_MS - (Date.now() - killedMs)));
      await worker.start();
      const backMs = Date.now();
      await until('/readyz names none', async () => (await readAway(world.url))?.length === 0);
      const readyMs = Date.now() - backMs;
      const outcome = await world.finish();
      expect(outcome.unknown).toBeLessThanOrEqual(WINDOW);
      const { witness } = outcome;
      const found = [
        `away for ${inSeconds(backMs - killedMs)}`,
        `its ${affected.length} customers sent again ${inSeconds(witness.longestUntilNext(affected, backMs))} after it was back`,
        `ready after ${inSeconds(readyMs)}`,
        `longest pause of the ${others.length} others ${inSeconds(witness.longestPause(others, killedMs, backMs))}`,
      ];
      report('worker killed', outcome, found.join(', '));
    },
    LIMIT_MS,
  );

  test(
    'the coordinator is killed and started again',
    async () => {
      const world = await startWorld();
      await world.reach(0.3);
      const killedMs = Date.now();
      await world.coordinator.kill();
      await until('/readyz says that the database is away', async () => (await readAway(world.url)) === undefined);
      await expectTurnedAway(world.url, world.customers[0] as ClusterCustomer);
      await sleep(Math.max(0, AWAY_MS - (Date.now() - killedMs)));
      await world.coordinator.start();
      const backMs = Date.now();
      const outcome = await world.finish();
      expect(outcome.unknown).toBeLessThanOrEqual(2 * WINDOW);
      const wait = inSeconds(outcome.witness.longestUntilNext(world.customers, backMs));
      const away = `away for ${inSeconds(backMs - killedMs)}`;
      report('coordinator killed', outcome, `${away}, all customers sent again ${wait} after it was back`);
    },
    LIMIT_MS,
  );

  test(
    'two buckets are moved to another worker',
    async () => {
      const world = await startWorld();
      const { sql } = world.database;
      await world.reach(0.2);
      const [from, to] = world.workers as [Machine, Machine];
      // One customer of each bucket.
      const onWorker = new Map((await world.customersOn(from)).map((customer) => [customer.bucket, customer]));
      const moved = [...onWorker.values()].slice(0, 2);
      expect(moved.length).toBe(2);
      const startedMs = Date.now();
      const tookMs: number[] = [];
      for (const { bucket } of moved) {
        const beganMs = Date.now();
        await sql`
          select citus_move_shard_placement(get_shard_id_for_distribution_column('account', ${bucket}::smallint),
            ${from.host}, ${from.port}, ${to.host}, ${to.port})`;
        tookMs.push(Date.now() - beganMs);
      }
      const endedMs = Date.now();
      expect(await world.customersOn(to)).toEqual(expect.arrayContaining(moved));
      const outcome = await world.finish();
      expect(outcome.unknown).toBe(0);
      const { witness } = outcome;
      const pauses = moved.map((customer) => inSeconds(witness.longestPause([customer], startedMs, endedMs)));
      const others = world.customers.filter((customer) => !moved.some(({ bucket }) => bucket === customer.bucket));
      const found = [
        `each took ${tookMs.map(inSeconds).join(' and ')}`,
        `longest pauses of their customers ${pauses.join(' and ')}`,
        `of all others ${inSeconds(witness.longestPause(others, startedMs, endedMs))}`,
        `sent again ${inSeconds(witness.longestUntilNext(moved, endedMs))} after the last`,
      ];
      report('two buckets moved', outcome, found.join(', '));
    },
    LIMIT_MS,
  );

  test(
    'a worker is added, and buckets are moved onto it',
    async () => {
      const world = await startWorld();
      const { sql, address } = world.database;
      await world.reach(0.15);
      const [like] = world.workers as [Machine];
      const model = { ...address, host: like.host, port: like.port };
      const added = await createMachine(model, await findFreePort(), inject('templateAddress').database);
      closers.push(added.remove);
      const startedMs = Date.now();
      await sql`select citus_add_node(${added.host}, ${added.port})`;
      await sql`select citus_rebalance_start('by_shard_count')`;
      await until('all is moved', async () => (await countJobs(world)) === 0, LIMIT_MS);
      const endedMs = Date.now();
      const moved = await world.customersOn(added);
      expect(moved.length).toBeGreaterThan(0);
      const outcome = await world.finish();
      expect(outcome.unknown).toBe(0);
      const { witness } = outcome;
      const found = [
        `rebalanced in ${inSeconds(endedMs - startedMs)}`,
        `${moved.length} customers moved`,
        `longest pause of one of them ${inSeconds(
          Math.max(...moved.map((customer) => witness.longestPause([customer], startedMs, endedMs))),
        )}`,
        `sent again ${inSeconds(witness.longestUntilNext(moved, endedMs))} after the end`,
      ];
      report('worker added', outcome, found.join(', '));
    },
    LIMIT_MS,
  );
});

async function countJobs({ database: { sql } }: ClusterWorld): Promise<number> {
  const [row] = await sql<{ failed: number; open: number }[]>`
    select count(*) filter (where state in ('failed', 'cancelled'))::int as failed,
      count(*) filter (where state not in ('finished', 'failed', 'cancelled'))::int as open from pg_dist_background_job`;
  expect(row?.failed).toBe(0);
  return row?.open ?? 0;
}
