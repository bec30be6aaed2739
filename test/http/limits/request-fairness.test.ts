import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import { createRequestFairness, type RequestFairness } from '../../../src/http/limits/request-fairness.js';

const ann = asCustomerId(1n);
const bob = asCustomerId(2n);
const cas = asCustomerId(3n);

/** What `enter` looks at of a response. */
class Response extends EventEmitter {
  closed = false;
  readonly req = { socket: new EventEmitter() };
  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

function startRequests(fairness: RequestFairness, log: string[]) {
  return (name: string, customerId: typeof ann, count: number): Response[] =>
    Array.from({ length: count }, () => {
      const response = new Response();
      fairness.enter(customerId, response as unknown as ServerResponse).then(
        () => log.push(name),
        (error) => log.push(`${name}: ${error.code}`),
      );
      return response;
    });
}

it('lets few requests pass at once, of further ones one of each customer per tick of the loop', async () => {
  const log: string[] = [];
  const start = startRequests(createRequestFairness({ load: () => 0, now: () => 0 }), log);
  start('ann', ann, 7);
  start('bob', bob, 6);
  await Promise.resolve();
  expect(log).toEqual([...Array(4).fill('ann'), ...Array(4).fill('bob')]);
  log.length = 0;
  for (const released of [2, 4, 5]) {
    await setImmediate();
    expect(log).toHaveLength(released);
  }
  expect(log).toEqual(['ann', 'bob', 'ann', 'bob', 'ann']);
});

it('releases no more than 32 requests per tick of the loop, however many customers wait', async () => {
  const log: string[] = [];
  const start = startRequests(createRequestFairness({ load: () => 0, now: () => 0 }), log);
  for (let id = 1n; id <= 40n; id += 1n) start(String(id), asCustomerId(id), 5);
  await Promise.resolve();
  log.length = 0;
  await setImmediate();
  expect(log).toHaveLength(32);
  await setImmediate();
  expect(new Set(log).size).toBe(40);
});

it('counts a request until its answer is over', async () => {
  const log: string[] = [];
  const start = startRequests(createRequestFairness({ load: () => 0, now: () => 0 }), log);
  const responses = start('ann', ann, 4);
  for (const response of responses) response.close();
  start('ann', ann, 4);
  await Promise.resolve();
  expect(log).toHaveLength(8);
});

it('does not work for callers who left', async () => {
  const log: string[] = [];
  const start = startRequests(createRequestFairness({ load: () => 0, now: () => 0 }), log);
  const responses = start('ann', ann, 6);
  responses[4]?.close();
  await expect.poll(() => log.length).toBe(6);
  expect(log).toEqual([...Array(4).fill('ann'), 'ann: unavailable', 'ann']);
});

it('refuses what exceeds the queue', async () => {
  const log: string[] = [];
  const start = startRequests(createRequestFairness({ load: () => 0, now: () => 0 }), log);
  start('ann', ann, 1005);
  start('bob', bob, 1);
  await Promise.resolve();
  await Promise.resolve();
  expect(log.filter((line) => line === 'ann: rate_limited')).toHaveLength(1);
  expect(log).toContain('bob');
});

it('rests longer after each turn of a customer with a long line while the loop is busy and others are at work', async () => {
  let load = 1;
  const log: string[] = [];
  const rests: number[] = [];
  let endRest = () => {};
  const sleep = (ms: number) => {
    rests.push(ms);
    return new Promise<void>((resolve) => {
      endRest = resolve;
    });
  };
  const start = startRequests(createRequestFairness({ load: () => load, now: () => 0, sleep }), log);
  // Another customer is at work.
  start('cas', cas, 1)[0]?.close();
  start('ann', ann, 4 + 7 + 8);
  const rest = async () => {
    endRest();
    // It is released in the tick of the loop after this one.
    await setImmediate();
    await setImmediate();
  };
  await setImmediate();
  for (let tick = 0; tick < 4; tick += 1) await rest();
  expect(rests).toEqual([4, 8, 16, 32, 64]);
  // A customer that has just come does not rest with it.
  start('bob', bob, 5);
  await setImmediate();
  expect(log.filter((name) => name === 'bob')).toHaveLength(5);
  load = 0;
  await rest();
  expect(rests.at(-1)).toBe(32);
  await rest();
  // Its line is short now.
  await setImmediate();
  expect(log.filter((name) => name === 'ann').length).toBeGreaterThan(4 + 7);
});

it('does not rest with a short line: equal customers share the loop', async () => {
  const log: string[] = [];
  const start = startRequests(createRequestFairness({ load: () => 1, now: () => 0 }), log);
  start('ann', ann, 4 + 8);
  start('bob', bob, 4 + 8);
  for (let tick = 0; tick < 8; tick += 1) {
    start('cas', cas, 1)[0]?.close();
    await setImmediate();
  }
  expect(log.filter((name) => name !== 'cas')).toHaveLength(2 * (4 + 8));
});

it('releases several per tick to a customer that has the loop to itself', async () => {
  const log: string[] = [];
  const start = startRequests(createRequestFairness({ load: () => 0, now: () => 0 }), log);
  // The first of its requests pass at once; they do not count as those of others.
  start('ann', ann, 100);
  await setImmediate();
  expect(log).toHaveLength(4 + 32);
  await setImmediate();
  expect(log).toHaveLength(4 + 64);
  // From the moment others are there, it is one per tick again.
  start('bob', bob, 1);
  await setImmediate();
  expect(log.slice(4 + 64)).toEqual(['bob', 'ann']);
});

it('counts customers as others for a second after their last request', async () => {
  const log: string[] = [];
  let nowMs = 0;
  const start = startRequests(createRequestFairness({ load: () => 0, now: () => nowMs }), log);
  start('bob', bob, 1);
  start('ann', ann, 100);
  await setImmediate();
  expect(log).toHaveLength(1 + 4 + 1);
  nowMs += 2000;
  await setImmediate();
  expect(log).toHaveLength(1 + 4 + 1 + 32);
});

describe('rows of lists and exports', () => {
  let nowMs = 0;
  let load = 0;
  const sleep = async (ms: number) => {
    nowMs += ms;
  };
  const enter = async (fairness: RequestFairness, customerId: typeof ann) => {
    const response = new Response();
    await fairness.enter(customerId, response as unknown as ServerResponse);
    response.close();
  };
  /** How long a customer waits for so many rows, a hundred at a time, while bob makes a request before each. */
  const waitFor = async (fairness: RequestFairness, hundreds: number, isBobThere = true) => {
    const startMs = nowMs;
    for (let at = 0; at < hundreds; at += 1) {
      if (isBobThere) await enter(fairness, bob);
      await fairness.takeRows(ann, 100);
    }
    return nowMs - startMs;
  };

  it('do not wait while no other customer is at work', async () => {
    const fairness = createRequestFairness({ load: () => 1, now: () => nowMs, sleep });
    await enter(fairness, ann);
    expect(await waitFor(fairness, 100, false)).toBe(0);
  });

  it('wait beside others in proportion to those before, and longer on a busy loop', async () => {
    const fairness = createRequestFairness({ load: () => load, now: () => nowMs, sleep });
    load = 0;
    // Twice what 900 rows cost.
    expect(await waitFor(fairness, 10)).toBeCloseTo(2 * 900 * 0.04);
    nowMs += 1000;
    load = 1;
    expect(await waitFor(fairness, 10)).toBeCloseTo(9 * 900 * 0.04);
  });

  it('of a customer do not wait for those of another, and a page after a rest does not wait', async () => {
    const fairness = createRequestFairness({ load: () => 1, now: () => nowMs, sleep });
    await waitFor(fairness, 10);
    const atMs = nowMs;
    await fairness.takeRows(bob, 100);
    expect(nowMs).toBe(atMs);
    nowMs += 1000;
    expect(await waitFor(fairness, 1)).toBe(0);
  });

  it('wait two seconds at most', async () => {
    const fairness = createRequestFairness({ load: () => 1, now: () => nowMs, sleep });
    await enter(fairness, bob);
    await fairness.takeRows(ann, 1_000_000);
    expect(await waitFor(fairness, 1)).toBe(2000);
  });
});
