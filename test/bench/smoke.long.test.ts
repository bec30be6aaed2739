// The measurement at its smallest: every scenario runs, leaves figures that a reader can use, and leaves nothing else.

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBrowserMissing } from '../../tools/bench/lab/browser.js';
import { findKannel } from '../../tools/bench/lab/kannel.js';
import type { BenchRun } from '../../tools/bench/report/results.js';
import { buildCode, checkout } from '../support/service-process.js';

const MINUTES = 60_000;

let folder: string;

beforeAll(async () => {
  await buildCode();
  folder = mkdtempSync(join(tmpdir(), 'postrider-test-bench-'));
  mkdirSync(join(folder, 'tmp'));
  // As root the database server runs as another user, who must be able to pass through.
  for (const path of [folder, join(folder, 'tmp')]) chmodSync(path, 0o711);
}, 2 * MINUTES);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function bench(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const program = join(checkout, 'bin/postrider.mjs');
  const env = { ...process.env, POSTRIDER_DATA_DIR: join(folder, 'data'), TMPDIR: join(folder, 'tmp') };
  const run = promisify(execFile)(process.execPath, [program, 'bench', '--scale', '0.002', ...words], { env });
  return await run;
}

test(
  'measures everything, judges the targets and removes what it started',
  async () => {
    const file = join(folder, 'run.json');
    const { stdout: text, stderr } = await bench('--json', file);
    const run = JSON.parse(readFileSync(file, 'utf8')) as BenchRun;
    const keys = run.rows.map(({ key }) => key);
    for (const key of [
      'floors.rows',
      'floors.http',
      'accept',
      'push.silent',
      'push.told',
      'rules.none',
      'rules.all',
      'kinds.cmpp',
      'kinds.http',
      'backlog',
      'memory',
      'idle',
      'soak',
      'lists.grown',
    ])
      expect(keys).toContain(key);
    for (const upstream of ['simulator', 'smpp']) {
      for (const load of ['bulk.X.5000.1', 'bulk.X.500.1', 'bulk.X.50.1', 'single.X.1.1', 'single.X.1.10']) {
        expect(keys).toContain(load.replace('X', upstream));
      }
    }
    const hasKannel = (await findKannel()) !== undefined;
    expect(keys.includes('kannel')).toBe(hasKannel);
    if (!hasKannel) expect(run.remarks.join()).toMatch(/not on the PATH/);
    const hasBrowser = findBrowserMissing() === undefined;
    for (const press of ['customer: open a task, the first time', 'operator: find another number, again']) {
      expect(keys.includes(`console-latency.${press}`)).toBe(hasBrowser);
    }
    if (!hasBrowser) expect(run.remarks.join()).toMatch(/no browser|not installed/);
    for (const { key, figures } of run.rows) {
      for (const [name, value] of Object.entries(figures)) expect(value, `${key} ${name}`).toBeGreaterThanOrEqual(0);
    }
    const bulk = run.rows.find(({ key }) => key === 'bulk.smpp.50.1');
    expect(bulk?.figures.wal_bytes).toBeGreaterThan(500);
    expect(bulk?.figures.numbers_per_s).toBeGreaterThan(0);
    expect(text).toMatch(/(met|missed) +accepts alone against the bare server/);
    expect(text).toMatch(/^floors, bulk, .*, soak, lists, console-latency: about \d+ (s|minutes)$/m);
    // A log gets a line every few seconds, so that not every scenario has one.
    const told = [...stderr.matchAll(/^(\w+) \(\d+ of 14\), \d+ (?:s|minutes) of about \d+/gm)].map(([, name]) => name);
    expect(new Set(told).size).toBeGreaterThan(3);
    expect(Object.keys(run.scenario_s)).toHaveLength(14);
    // But the browser that it has unpacked, which the next one finds there.
    expect(readdirSync(join(folder, 'tmp')).filter((name) => !name.startsWith('postrider-browser'))).toEqual([]);
  },
  12 * MINUTES,
);

test(
  'compares a run with the last one at the same scale',
  async () => {
    await bench('--only', 'floors');
    expect((await bench('--only', 'floors')).stdout).toMatch(
      /a bare node:http server.*\(last run [\d,]+ accepted\/s: /,
    );
  },
  5 * MINUTES,
);

test('names the scenarios there are when asked for another', async () => {
  const refused = await bench('--only', 'bulk,speed').catch((error: { code: number; stderr: string }) => error);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/--only takes floors, bulk, .*not "speed"/) });
});
