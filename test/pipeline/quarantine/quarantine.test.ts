// What a round could not do waits for its next try with growing backoff, and is listed until it is done or no longer due.

import { pino } from 'pino';
import { expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../src/domain/outcome/delivery-event.js';
import { createQuarantine } from '../../../src/pipeline/quarantine/quarantine.js';
import { noteMachineError } from '../../../src/store/retry.js';
import { chunkOf } from '../../support/model/chunk-of.js';

const BUCKET = 3;
const sick = { customerId: asCustomerId(7n), taskId: asTaskId(70n) };
const healthy = { customerId: asCustomerId(8n), taskId: asTaskId(80n) };

function createWorld() {
  let nowMs = Date.parse('2026-11-15T12:00:00Z');
  const quarantine = createQuarantine({ now: () => nowMs, log: pino({ level: 'silent' }) });
  const refuse = async (items: readonly unknown[]): Promise<undefined> => {
    if (items.includes(sick)) throw new Error('refused');
  };
  return {
    quarantine,
    list: quarantine.list,
    fail: () => quarantine.run('start', BUCKET, [sick, healthy], refuse),
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
  const { quarantine, list, fail, pass } = createWorld();
  await fail();
  expect(quarantine.waitingTasks('start', BUCKET)).toEqual([sick]);
  expect(quarantine.waitingTasks('end', BUCKET)).toEqual([]);
  expect(quarantine.waitingTasks('start', BUCKET + 1)).toEqual([]);
  expect(list()).toMatchObject([{ kind: 'start', customer_id: '7', task_id: '70', reason: 'refused', tries: 1 }]);
  pass(1000);
  expect(quarantine.waitingTasks('start', BUCKET)).toEqual([]);
});

test('an item that succeeds is not listed any more, and starts at the first backoff when it fails again', async () => {
  const { quarantine, list, fail, pass, pauseMs } = createWorld();
  await fail();
  await fail();
  pass(2000);
  await quarantine.run('start', BUCKET, [sick], async () => {});
  expect(list()).toEqual([]);
  await fail();
  expect(pauseMs()).toBe(1000);
});

test('items of customers whose account is locked come after all others, and one that fails is quarantined alone', async () => {
  const { quarantine, list } = createWorld();
  const locked = { customerId: asCustomerId(9n), taskId: asTaskId(90n) };
  const steps: (readonly [readonly bigint[], boolean])[] = [];
  await quarantine.run('start', BUCKET, [locked, sick, healthy], async (items, mayWait) => {
    steps.push([items.map(({ taskId }) => taskId), mayWait]);
    if (items.includes(sick)) throw new Error('refused');
    return new Set(mayWait || !items.includes(locked) ? [] : [locked.customerId]);
  });
  expect(steps).toEqual([
    [[90n, 70n, 80n], false],
    [[90n, 70n], false],
    [[90n], true],
    [[70n], true],
    [[80n], true],
  ]);
  expect(list().map(({ task_id }) => task_id)).toEqual(['70']);
});

test('an item that no round retries is removed', async () => {
  const { list, fail, pass } = createWorld();
  await fail();
  pass(11_001);
  expect(list()).toEqual([]);
});

const onChannel = { channelId: 5n, customerId: asCustomerId(7n) };

function answerOf(taskId: bigint): { readonly event: DeliveryEvent } {
  const chunk = chunkOf({ customerId: onChannel.customerId, taskId: asTaskId(taskId) });
  return { event: { chunk, index: 0, part: 1, channelId: 5n, event: { kind: 'accepted' } } };
}

test('a customer on a channel is listed by the tasks of its answers, as they are now', async () => {
  const { quarantine, list } = createWorld();
  const answers: { readonly event: DeliveryEvent }[] = [];
  quarantine.addCustomer(onChannel, new Error('refused'), answers);
  const common = { customer_id: '7', channel_id: '5', reason: 'refused', tries: 1 };
  expect(list()).toMatchObject([{ kind: 'send', task_id: null, parts: null, ...common }]);
  answers.push(answerOf(70n), answerOf(71n), answerOf(70n));
  expect(list()).toMatchObject([
    { kind: 'record', task_id: '70', parts: 2, ...common },
    { kind: 'record', task_id: '71', parts: 1, ...common },
  ]);
});

test('a customer that fails again after its release waits longer, until a write succeeds', () => {
  const { quarantine, list, pass } = createWorld();
  const hold = (error: unknown = new Error('refused')) => quarantine.addCustomer(onChannel, error, []);
  expect([hold(), hold(), hold()]).toEqual([1000, 2000, 4000]);
  quarantine.releaseCustomer(onChannel);
  pass(600_000);
  expect(list()).toEqual([]);
  expect([hold(), hold(), hold(), hold()]).toEqual([8000, 16_000, 32_000, 60_000]);
  expect(Date.parse(list()[0]?.next_try_at ?? '') - Date.parse(list()[0]?.since ?? '')).toBe(60_000);
  quarantine.forgetCustomer(onChannel);
  expect(hold()).toBe(1000);
  const away = Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' });
  noteMachineError(away);
  expect([hold(away), hold(away), hold()]).toEqual([1000, 1000, 8000]);
});

test('a channel that is closed takes its own customers with it', async () => {
  const { quarantine, list, fail } = createWorld();
  await fail();
  quarantine.addCustomer(onChannel, new Error('refused'), []);
  quarantine.addCustomer({ ...onChannel, channelId: 6n }, new Error('refused'), []);
  quarantine.forgetChannel(5n);
  expect(list().map(({ kind, channel_id }) => [kind, channel_id])).toEqual([
    ['start', null],
    ['send', '6'],
  ]);
});
