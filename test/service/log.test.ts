// What the log shows at a terminal: lines for people, and a warning that repeats only once in a while.

import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../src/service/log.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-15T09:00:00') });
});
afterEach(() => {
  vi.useRealTimers();
});

function createTerminalLog() {
  const lines: string[] = [];
  const output = Object.assign(new PassThrough(), { isTTY: true });
  output.setEncoding('utf8').on('data', (line: string) => lines.push(line));
  return { lines, log: createLog('info', output as unknown as NodeJS.WriteStream) };
}

test('a line at a terminal is for people', () => {
  const { lines, log } = createTerminalLog();
  log.info({ port: 8080 }, 'listening');
  log.error({ err: new Error('disk full') }, 'writing failed');
  expect(lines).toEqual(['09:00:00 listening {"port":8080}\n', '09:00:00 error: writing failed (disk full)\n']);
});

test('a channel that stays down does not fill a terminal, and says later how often it warned', () => {
  const { lines, log } = createTerminalLog();
  const warn = (channel: string, retry_ms: number) => log.warn({ channel, retry_ms }, 'SMPP session is down');
  for (let at = 0; at < 30; at += 1) {
    warn('one', 1_000 + at);
    vi.setSystemTime(Date.now() + 10_000);
  }
  warn('two', 1_000);
  expect(lines).toHaveLength(2);
  vi.setSystemTime(Date.now() + 600_000);
  warn('one', 9_000);
  warn('one', 9_001);
  expect(lines.at(-1)).toMatch(/SMPP session is down .*"channel":"one".* \(29 more since it was last shown\)\n$/);
  expect(lines).toHaveLength(3);
});

test('what is no warning is shown every time', () => {
  const { lines, log } = createTerminalLog();
  for (const _ of [1, 2]) log.info('SMPP session is up again');
  expect(lines).toHaveLength(2);
});
