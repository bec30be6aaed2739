import { expect, test } from 'vitest';
import { countGot, judgeEnough } from './enough.js';
import type { Call } from './history.js';

const MINUTE = 60_000;

function callOf(status: number, taskNo?: string, action = 'send'): Call {
  const about = { action, node: 'node-1', customer: 'c', method: 'POST', target: '/' };
  return { kind: 'call', ...about, startMs: 0, endMs: 1, status, answer: { task_no: taskNo } };
}

const times = (count: number, create: (at: number) => Call) => Array.from({ length: count }, (_, at) => create(at));
const judged = (calls: readonly Call[]) => judgeEnough(countGot({ calls: () => calls }), MINUTE);

test('a campaign with enough tasks and answers is valid', () => {
  const accepted = times(30, (at) => callOf(200, `T${at}`, at % 2 === 0 ? 'send' : 'send-one'));
  expect(judged([...accepted, ...times(20, () => callOf(503)), ...times(50, () => callOf(0))])).toEqual([]);
});

test('a campaign in which most calls got no answer fails', () => {
  const accepted = times(200, (at) => callOf(200, `T${at}`));
  expect(judged([...accepted, ...times(201, () => callOf(0))])[0]?.detail).toContain(
    '200 of 401 calls answered (49 %)',
  );
});

test('a campaign with few accepted tasks fails, repeated and refused sends do not count', () => {
  const accepted = times(29, (at) => callOf(200, `T${at}`));
  const rest = [...accepted, ...times(50, () => callOf(503)), ...times(50, () => callOf(200, 'T0', 'read-task'))];
  expect(judged([...accepted, ...rest])[0]?.detail).toContain('29 tasks accepted (at least 30 wanted)');
});

test('a campaign without any call fails', () => {
  expect(judged([])).toHaveLength(1);
});
