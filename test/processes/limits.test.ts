// One limit of requests per second over processes and machines.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenBuckets, type Draw } from '../../src/http/limits/rate-limit.js';
import { createRateShares, shareOf } from '../../src/http/limits/rate-share.js';
import { createRemoteLimiter } from '../../src/processes/remote-limiter.js';
import { exchangeDemands, removeDemands } from '../../src/store/request-demand.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

describe('over processes', () => {
  const LIMIT = 1000;

  function startMachine(processes: number) {
    const clock = { nowMs: 0 };
    const now = () => clock.nowMs;
    const buckets = createTokenBuckets(now, createRateShares(now));
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
    expect(draws.reduce((sum, { asked }) => sum + asked, 0)).toBe(21);
  });

  it('asks once for requests that wait at the same time', async () => {
    const { draws, limiters } = startMachine(1);
    const states = await Promise.all(Array.from({ length: 3 }, () => limiters[0]?.take('c', 2)));
    expect(states.map((state) => state?.allowed)).toEqual([true, true, false]);
    expect(draws).toHaveLength(3);
  });
});

describe('over machines', () => {
  it('each takes what it needs, and the rest is shared evenly', () => {
    expect(shareOf(100, 10, [20])).toBe(80);
    expect(shareOf(100, 500, [500])).toBe(50);
    expect(shareOf(100, 500, [20])).toBe(80);
    expect(shareOf(100, 20, [500])).toBe(80);
    expect(shareOf(100, 500, [500, 10])).toBe(45);
    // Requests may come here any time.
    expect(shareOf(100, 0, [100])).toBe(50);
  });

  describe('that share a database', () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await createTestDatabase();
    });
    afterAll(() => database.drop());

    it('grant the limit together from the second second on', async () => {
      const LIMIT = 200;
      let nowMs = 0;
      const machines = ['one', 'two', 'three'].map((node) => {
        const shares = createRateShares(() => nowMs);
        return { node, shares, buckets: createTokenBuckets(() => nowMs, shares) };
      });
      const one: Draw = { wanted: 1, returned: 0, asked: 1 };
      // Two machines want more than the limit, the third a tenth of it.
      const wanted = [2 * LIMIT, 3 * LIMIT, LIMIT / 10];
      const granted: number[] = [];
      for (let second = 0; second < 6; second += 1) {
        let sum = 0;
        for (let tick = 0; tick < 100; tick += 1) {
          nowMs += 10;
          for (const [at, { buckets }] of machines.entries()) {
            const due =
              Math.floor(((tick + 1) * (wanted[at] ?? 0)) / 100) - Math.floor((tick * (wanted[at] ?? 0)) / 100);
            for (let request = 0; request < due; request += 1) sum += buckets.draw('7', LIMIT, one).granted;
          }
        }
        granted.push(sum);
        for (const { node, shares } of machines) {
          const others = await exchangeDemands(database.sql, node, shares.takeDemands());
          shares.setOthers(others);
        }
      }
      for (const sum of granted.slice(2)) {
        expect(sum).toBeLessThanOrEqual(1.1 * LIMIT);
        expect(sum).toBeGreaterThanOrEqual(0.9 * LIMIT);
      }
      await removeDemands(database.sql, 'one');
      expect(await exchangeDemands(database.sql, 'two', new Map())).toHaveLength(1);
    });
  });
});
