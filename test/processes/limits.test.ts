// One limit of requests per second over processes and machines.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenBuckets, type Draw } from '../../src/http/limits/rate-limit.js';
import { createRemoteLimiter } from '../../src/processes/remote-limiter.js';
import { startShareWatch } from '../../src/service/share-watch.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

describe('over processes', () => {
  const LIMIT = 1000;

  function startMachine(processes: number) {
    const clock = { nowMs: 0 };
    const now = () => clock.nowMs;
    const buckets = createTokenBuckets(now, { part: 1 });
    const draws: Draw[] = [];
    const draw = async (key: string, perSecond: number, wish: Draw) => {
      draws.push(wish);
      return buckets.draw(key, perSecond, wish);
    };
    const limiters = Array.from({ length: processes }, () => createRemoteLimiter(draw, now));
    return { clock, draws, limiters };
  }

  it('grants what the limit allows, however requests are spread', async () => {
    const { clock, limiters } = startMachine(4);
    let allowed = 0;
    // Twice the limit for three seconds, a request every half millisecond, most of them to the first process.
    for (let request = 0; request < 3 * 2 * LIMIT; request += 1) {
      clock.nowMs = request / 2;
      const state = await limiters[request % 5 < 2 ? 0 : request % 4]?.take('c', LIMIT);
      if (state?.allowed === true) allowed += 1;
    }
    // A full bucket, and what three seconds add to it; at the end each process may hold a slice.
    expect(allowed).toBeLessThanOrEqual(4 * LIMIT);
    expect(allowed).toBeGreaterThan(4 * LIMIT - 4 * (LIMIT / 20));
  });

  it('draws far less often than it is asked', async () => {
    const { clock, draws, limiters } = startMachine(2);
    for (let request = 0; request < LIMIT; request += 1) {
      clock.nowMs = request * 1.25;
      expect(await limiters[request % 2]?.take('c', LIMIT)).toMatchObject({ allowed: true });
    }
    expect(draws.length).toBeLessThan(LIMIT / 8);
  });

  it('returns what was not used in time', async () => {
    const { clock, draws, limiters } = startMachine(1);
    for (let request = 0; request < 20; request += 1) await limiters[0]?.take('c', LIMIT);
    clock.nowMs = 10_000;
    await limiters[0]?.take('c', LIMIT);
    expect(draws.at(-1)?.returned).toBeGreaterThan(0);
  });

  it('asks once for requests that wait at the same time', async () => {
    const { draws, limiters } = startMachine(1);
    const states = await Promise.all(Array.from({ length: 3 }, () => limiters[0]?.take('c', 2)));
    expect(states.map((state) => state?.allowed)).toEqual([true, true, false]);
    expect(draws).toHaveLength(3);
  });
});

describe('over machines', () => {
  const one: Draw = { wanted: 1, returned: 0 };

  /** What the machines with these parts of the limit grant together in so many seconds, each asked for twice the limit. */
  function grantTogether(parts: readonly number[], limit: number, seconds: number): number {
    const clock = { nowMs: 0 };
    const machines = parts.map((part) => createTokenBuckets(() => clock.nowMs, { part }));
    let granted = 0;
    for (let request = 0; request < 2 * limit * seconds; request += 1) {
      clock.nowMs += 500 / limit;
      for (const buckets of machines) granted += buckets.draw('c', limit, one).granted;
    }
    return granted;
  }

  it('each grants its part of the limit', () => {
    for (const parts of [
      [1 / 2, 1 / 2],
      [1 / 3, 1 / 3, 1 / 3],
      [1 / 4, 3 / 4],
    ]) {
      const granted = grantTogether(parts, 200, 6);
      // Full buckets, and what six seconds add to them.
      expect(granted).toBeLessThanOrEqual(7 * 200);
      expect(granted).toBeGreaterThan(7 * 200 - parts.length - 1);
    }
  });

  it('a part of less than one request a second grants one now and then', () => {
    const granted = grantTogether([1 / 4, 1 / 4, 1 / 4, 1 / 4], 2, 20);
    expect(granted).toBeLessThanOrEqual(2 * 20 + 4);
    expect(granted).toBeGreaterThanOrEqual(2 * 20);
  });

  describe('that share a database', () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await createTestDatabase();
    });
    afterAll(() => database.drop());

    const addNode = (node: string, roles: string[], age: string) => database.sql`
      insert into node (node, roles, version, started_at, seen_at, figures)
      values (${node}, ${roles}, '1', now(), now() - ${age}::interval, '{}')`;

    it('have the part that their processes are of all that live and take requests', async () => {
      await addNode('own', ['api', 'worker'], '1 second');
      await addNode('own too', ['api'], '5 seconds');
      await addNode('other', ['api'], '0 seconds');
      await addNode('without requests', ['worker'], '0 seconds');
      await addNode('gone', ['api'], '16 seconds');
      const share = { part: 1 };
      const watch = startShareWatch({ sql: database.sql, processes: 2, share });
      await until('the part is known', () => share.part === 2 / 3);
      await watch.stop();
      // A process that has just started has not reported yet.
      await database.sql`delete from node`;
      const alone = startShareWatch({ sql: database.sql, processes: 2, share });
      await until('it is alone', () => share.part === 1);
      await alone.stop();
    });
  });
});
