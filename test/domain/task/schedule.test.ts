import { describe, expect, test } from 'vitest';
import { checkTimes, mayStart, startOf, WAITS, waitsFor } from '../../../src/domain/task/schedule.js';

const NOW = new Date('2026-11-15T00:00:00Z');
const inMs = (ms: number) => new Date(NOW.getTime() + ms);
const DAY_MS = 24 * 3_600_000;

describe('what a task waits for', () => {
  const fresh = {
    stage: 'prepared',
    paused: null,
    queuedFor: null,
    frozenAt: null,
    insufficientFunds: false,
    overLimit: false,
    submitAt: null,
  } as const;
  const frozen = { ...fresh, frozenAt: NOW };
  const table = [
    ['accepted, prepared by itself', { ...fresh, stage: 'queued', queuedFor: 'prepare' }, null],
    ['accepted, prepared by hand', { ...fresh, stage: 'queued', queuedFor: 'manual' }, 'prepare'],
    ['accepted and paused', { ...fresh, stage: 'queued', queuedFor: 'prepare', paused: true }, 'resume'],
    ['priced', fresh, 'freeze'],
    ['priced, without the money', { ...fresh, insufficientFunds: true }, 'funds'],
    ['priced, over the limit of the day', { ...fresh, insufficientFunds: true, overLimit: true }, 'limit'],
    ['frozen', frozen, 'submit'],
    ['frozen, before its time', { ...frozen, submitAt: inMs(1) }, 'send_at'],
    ['frozen, before its time, paused', { ...frozen, submitAt: inMs(1), paused: true }, 'resume'],
    ['going out', { ...frozen, stage: 'submitting' }, 'channel'],
    ['going out, outside its window', { ...frozen, stage: 'submitting' }, 'window'],
    ['going out, after a pause', { ...frozen, stage: 'submitting', paused: false }, 'channel'],
    ['going out, paused', { ...frozen, stage: 'submitting', submitAt: NOW, paused: true }, 'resume'],
    ['going out, put off', { ...frozen, stage: 'submitting', submitAt: inMs(1) }, 'send_at'],
    ['out', { ...frozen, stage: 'waiting_receipt' }, 'receipts'],
    ['out, some in doubt', { ...frozen, stage: 'submit_unknown' }, 'verification'],
    ['completed', { ...frozen, stage: 'completed' }, null],
    ['failed', { ...fresh, stage: 'failed' }, null],
    ['cancelled while paused', { ...fresh, stage: 'cancelled', paused: true }, null],
  ] as const;

  test.each(table)('%s', (_, task, expected) => {
    expect(waitsFor(task, expected === 'window')).toBe(expected);
  });

  test('the table has everything that it can', () => {
    const seen: ReadonlySet<string | null> = new Set(table.map(([, , waits]) => waits));
    expect(WAITS.filter((word) => !seen.has(word))).toEqual([]);
  });
});

describe('the times of a request', () => {
  test.each([
    [{}, []],
    [{ sendAt: inMs(-DAY_MS) }, []],
    [{ sendAt: inMs(90 * DAY_MS) }, []],
    [{ sendAt: inMs(90 * DAY_MS + 1) }, ['/send_at']],
    [{ expiresAt: inMs(0) }, ['/expires_at']],
    [{ expiresAt: inMs(1) }, []],
    [{ sendAt: inMs(5), expiresAt: inMs(5) }, ['/expires_at']],
    [{ sendAt: inMs(5), expiresAt: inMs(6) }, []],
  ])('%j', (times, pointers) => {
    expect(checkTimes(times, NOW.getTime()).map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

test('a task starts when its time has come and it is not paused', () => {
  expect(mayStart({ sendAt: null, paused: null }, NOW)).toBe(true);
  expect(mayStart({ sendAt: NOW, paused: false }, NOW)).toBe(true);
  expect(mayStart({ sendAt: inMs(1), paused: false }, NOW)).toBe(false);
  expect(mayStart({ sendAt: null, paused: true }, NOW)).toBe(false);
  expect(startOf({ sendAt: inMs(1) }, NOW)).toEqual(inMs(1));
  expect(startOf({ sendAt: inMs(-1) }, NOW)).toEqual(NOW);
});
