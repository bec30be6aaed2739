// What a round could not do waits for its next try with growing backoff, and is listed until it is done or no longer due.

import { pino } from 'pino';
import { expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { createQuarantine } from '../../../src/pipeline/quarantine/quarantine.js';
import { createRoundQuarantine } from '../../../src/pipeline/quarantine/round-quarantine.js';

const BUCKET = 3;
const sick = { customerId: asCustomerId(7n), taskId: asTaskId(70n) };
const healthy = { customerId: asCustomerId(8n), taskId: asTaskId(80n) };

function createWorld() {
  let nowMs = Date.parse('2026-11-15T12:00:00Z');
  const quarantine = createQuarantine();
  const roundQuarantine = createRoundQuarantine({ quarantine, now: () => nowMs, log: pino({ level: 'silent' }) });
  const refuse = async (items: readonly unknown[]): Promise<void> => {
    if (items.includes(sick)) throw new Error('refused');
  };
  return {
    roundQuarantine,
    list: quarantine.list,
    fail: () => roundQuarantine.run('start', BUCKET, [sick, healthy], refuse),
    pass: (ms: number) => {
      nowMs += ms;
    },
    pauseMs: () => Date.parse(quarantine.list()[0]?.next_try_at ?? '') - nowMs,
  };
}

test('each pause is twice the one before it, up to five minutes', async () => {
  const { fail, pass, pauseMs } = createWorld();
  const pauses: number[] = [];
  for (let tries = 0; tries < 11; tries++) {
    await fail();
    pauses.push(pauseMs());
    pass(pauseMs());
  }
  expect(pauses.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
  expect(pauses.slice(-2)).toEqual([300_000, 300_000]);
});

test('the cause alone is passed over, in its own round and bucket, until its time comes', async () => {
  const { roundQuarantine, list, fail, pass } = createWorld();
  await fail();
  expect(roundQuarantine.waitingTasks('start', BUCKET)).toEqual([sick]);
  expect(roundQuarantine.waitingTasks('end', BUCKET)).toEqual([]);
  expect(roundQuarantine.waitingTasks('start', BUCKET + 1)).toEqual([]);
  expect(list()).toMatchObject([{ kind: 'start', customer_id: '7', task_id: '70', reason: 'refused', tries: 1 }]);
  pass(1000);
  expect(roundQuarantine.waitingTasks('start', BUCKET)).toEqual([]);
});

test('an item that succeeds is not listed any more, and starts at the first backoff when it fails again', async () => {
  const { roundQuarantine, list, fail, pass, pauseMs } = createWorld();
  await fail();
  await fail();
  pass(2000);
  await roundQuarantine.run('start', BUCKET, [sick], async () => {});
  expect(list()).toEqual([]);
  await fail();
  expect(pauseMs()).toBe(1000);
});

test('an item that no round retries is removed', async () => {
  const { list, fail, pass } = createWorld();
  await fail();
  pass(11_001);
  expect(list()).toEqual([]);
});
