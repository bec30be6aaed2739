import { expect, test } from 'vitest';
import { createTask } from '../../../packages/client/test/stub-server.js';
import { measureWidth } from '../../../src/cli/display-width.js';
import { createPace, formatSpan } from '../../../src/cli/output/pace.js';
import { createProgressLine, fitPieces } from '../../../src/cli/output/progress-line.js';
import { formatProgress } from '../../../src/cli/send/progress.js';
import { createCapture } from '../capture.js';

const none = { unsent: 0, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };
const half = createTask({ stage: 'submitting', counts: { ...none, total: 5000, unsent: 2500, delivered: 2500 } });

test('a long send shows its share, its rate and the time that is left, before anything else', () => {
  expect(formatProgress([half], { isWhole: true, perSecond: 250 })).toEqual([
    '50%',
    '250/s',
    '10s left',
    'submitting',
    '5,000 numbers: 2,500 unsent, 2,500 delivered',
    'charged 0.00 CNY',
  ]);
});

test('numbers whose acceptance is not known are called unconfirmed', () => {
  const lost = createTask({ stage: 'submit_unknown', counts: { ...none, total: 2, unknown: 1, delivered: 1 } });
  expect(formatProgress([lost], { isWhole: true, perSecond: null })).toContain('2 numbers: 1 unconfirmed, 1 delivered');
});

test('while the input is still read there is no share of it to tell', () => {
  expect(formatProgress([half], { isWhole: false, perSecond: 4.25 }).slice(0, 2)).toEqual(['4.3/s', 'submitting']);
  expect(formatProgress([half], { isWhole: true, perSecond: null }).slice(0, 2)).toEqual(['50%', 'submitting']);
});

test('once all is handed over, the time that the receipts take is not known', () => {
  const awaited = createTask({ counts: { ...none, total: 5000, awaiting: 2500, delivered: 2500 } });
  expect(formatProgress([awaited], { isWhole: true, perSecond: 250 }).slice(0, 3)).toEqual(['50%', '250/s', 'queued']);
});

test.each([20, 40, 60, 80, 200])('the line fits a terminal of %i columns, in whole pieces', async (columns) => {
  const output = { ...createCapture(true), columns };
  const pieces = formatProgress([half], { isWhole: true, perSecond: 250 });
  await createProgressLine(output, () => 0).show(pieces);
  const line = output.text.replace('\r\u001b[2K', '');
  expect(measureWidth(line)).toBeLessThan(columns);
  expect(pieces.join(' · ').startsWith(line)).toBe(true);
  expect(line).toMatch(/^50%/);
});

test('a piece that alone is too wide is cut', () => {
  expect(fitPieces(['abcdefgh'], 5)).toBe('abcd…');
});

test('the rate is that of the last seconds, and unknown at first and while nothing happens', () => {
  let nowMs = 0;
  const pace = createPace(() => nowMs);
  pace.note(0);
  nowMs = 500;
  pace.note(100);
  expect(pace.perSecond).toBeNull();
  nowMs = 2_000;
  pace.note(400);
  expect(pace.perSecond).toBe(200);
  for (nowMs = 3_000; nowMs <= 30_000; nowMs += 1_000) pace.note(400 + (nowMs - 2_000) / 100);
  expect(pace.perSecond).toBe(10);
  for (; nowMs <= 60_000; nowMs += 1_000) pace.note(680);
  expect(pace.perSecond).toBeNull();
});

test.each([
  [200, '1s'],
  [8_000, '8s'],
  [200_000, '3m 20s'],
  [7_500_000, '2h 5m'],
  [86_400_000, '1d'],
])('%i ms are %s', (spanMs, text) => {
  expect(formatSpan(spanMs)).toBe(text);
});
