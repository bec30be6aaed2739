// How far a task goes automatically when it is prepared, and how one that waits for money continues.

import { describe, expect, test } from 'vitest';
import { moneyFromMillionths, ZERO } from '../../../src/domain/money/money.js';
import type { Task } from '../../../src/domain/task/task.js';
import {
  acceptTask,
  prepareTask,
  refreezeTask,
  startTask,
  submitTask,
  type TaskRules,
} from '../../../src/domain/task/task-steps.js';
import { ACCEPTED_AT, accountOf, planOf, taskOf } from '../../support/model/task-of.js';

const NOW = new Date(ACCEPTED_AT.getTime() + 60_000);
const LATER = new Date(NOW.getTime() + 60_000);
const money = moneyFromMillionths;
const BY_REQUEST = { prepare: 'by_request', freeze: 'by_request', submit: 'by_request' } as const;
const rules: TaskRules = { policy: BY_REQUEST, chargeOn: 'delivery', refundOnFailure: true };
const auto = { autoPrepare: true, autoFreeze: true, autoSubmit: true, queuedFor: 'prepare' } as const;

function prepare(changes: Partial<Task>, options: { rejected?: number; available?: bigint; limit?: bigint } = {}) {
  const { rejected = 1, available = 1000n, limit } = options;
  const account = accountOf({ available: money(available), dailyLimit: limit === undefined ? null : money(limit) });
  const task = prepareTask(taskOf(3, changes), planOf(3, rejected, money(50n)), account, rules, NOW);
  return { task, account, stages: task.timeline.map(({ stage }) => stage) };
}

test.each([
  [true, 'by_request', 'prepare'],
  [false, 'by_request', 'manual'],
  [false, 'always', 'prepare'],
  [true, 'manual', 'manual'],
] as const)(
  'an accepted task that asks for it (%s), where the policy says %s, waits for %s',
  (autoPrepare, choice, expected) => {
    const origin = { ...taskOf(3, { autoPrepare }), payload: '', content: '' };
    const task = acceptTask(origin, 3, { policy: { ...BY_REQUEST, prepare: choice } });
    expect(task).toMatchObject({
      stage: 'queued',
      queuedFor: expected,
      counts: { total: 3, unsent: 3 },
      completedAt: null,
    });
    expect(task.timeline).toEqual([{ stage: 'queued', at: task.createdAt.toISOString() }]);
  },
);

describe('a prepared task', () => {
  test('goes out at once where everything is automatic, frozen on the terms of the moment', () => {
    const { task, account, stages } = prepare(auto);
    expect(task).toMatchObject({
      stage: 'submitting',
      queuedFor: null,
      price: 100n,
      counts: { total: 3, unsent: 2, rejected: 1 },
      frozenAt: NOW,
      hold: { frozen: 100n, charged: 0n },
      terms: { chargeOn: 'delivery', refundOnFailure: true },
      submitAt: null,
      completedAt: null,
    });
    expect(stages).toEqual(['queued', 'prepared', 'submitting']);
    expect(account.posted).toMatchObject([{ type: 'freeze', amount: 100n, numbers: 2, availableAfter: 900n }]);
  });

  test.each([
    ['stops at its price', { ...auto, autoFreeze: false, autoSubmit: false }, { stage: 'prepared', frozenAt: null }],
    ['stops at the freeze', { ...auto, autoSubmit: false }, { stage: 'prepared', frozenAt: NOW, submitAt: null }],
    ['waits for its time', { ...auto, sendAt: LATER }, { stage: 'prepared', frozenAt: NOW, submitAt: LATER }],
    ['waits to be resumed', { ...auto, paused: true }, { stage: 'prepared', paused: true, submitAt: NOW }],
  ])('%s', (_, changes, expected) => {
    expect(prepare(changes).task).toMatchObject(expected);
  });

  test.each([
    ['money', { available: 99n }, false],
    ['another day', { limit: 99n }, true],
  ])('waits for %s, and nothing is posted', (_, options, overLimit) => {
    const { task, account } = prepare(auto, options);
    expect(task).toMatchObject({ stage: 'prepared', insufficientFunds: true, overLimit, frozenAt: null });
    expect(account.posted).toEqual([]);
  });

  test('is completed where every number was rejected, and costs nothing', () => {
    const { task, account, stages } = prepare(auto, { rejected: 3 });
    expect(task).toMatchObject({
      stage: 'completed',
      completedAt: NOW,
      price: ZERO,
      counts: { rejected: 3, unsent: 0 },
    });
    expect([stages, account.posted]).toEqual([['queued', 'prepared', 'completed'], []]);
  });

  test('fails where its template is gone', () => {
    const task = prepareTask(taskOf(3, auto), undefined, accountOf(), rules, NOW);
    expect(task).toMatchObject({ stage: 'failed', failure: 'template_unavailable', completedAt: NOW, queuedFor: null });
    expect(task.counts.unsent).toBe(3);
  });
});

describe('a task that waits for money', () => {
  const waiting = { ...auto, stage: 'prepared', price: money(100n), insufficientFunds: true } as const;
  const retry = (changes: Partial<Task>, account = accountOf(), policy: TaskRules['policy'] = BY_REQUEST) =>
    refreezeTask(taskOf(2, { ...waiting, ...changes }), account, { ...rules, policy }, NOW);

  test('continues when there is enough', () => {
    expect(retry({})).toMatchObject({ stage: 'submitting', insufficientFunds: false, hold: { frozen: 100n } });
  });

  test('is unchanged if nothing has changed, and shows what it waits for if that has changed', () => {
    expect(retry({}, accountOf({ available: ZERO }))).toBeUndefined();
    expect(retry({ overLimit: true }, accountOf({ available: ZERO }))).toMatchObject({ overLimit: false });
    expect(retry({}, accountOf({ dailyLimit: ZERO }))).toMatchObject({ insufficientFunds: true, overLimit: true });
  });

  test.each([
    ['the policy is by hand now', {}, { ...BY_REQUEST, freeze: 'manual' }],
    ['it has ended', { stage: 'cancelled' }, BY_REQUEST],
    ['it does not wait', { insufficientFunds: false }, BY_REQUEST],
  ] as const)('is not tried where %s', (_, changes, policy) => {
    const account = accountOf();
    expect(retry(changes, account, policy)).toBeUndefined();
    expect(account.posted).toEqual([]);
  });
});

test('a started task is not paused, and never was if it was not', () => {
  expect(startTask(taskOf(1, { stage: 'submitting', paused: true, submitAt: NOW }), NOW).paused).toBe(false);
  expect(startTask(taskOf(1, { stage: 'prepared' }), NOW).paused).toBeNull();
  expect(submitTask(taskOf(1, { stage: 'prepared', paused: true }), NOW)).toMatchObject({
    paused: true,
    submitAt: NOW,
  });
});
