import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCoverage } from '#tools/simulator/coverage.js';
import { replay, runSeed } from '#tools/simulator/run.js';
import { formatScript, parseScript } from '#tools/simulator/script.js';
import { shrink } from '#tools/simulator/shrink.js';
import { checkout } from '../support/service-process.js';

const FIRST_SEED = 1;
const SEEDS = 100;
const SCRIPTS = join(checkout, 'test/simulator/scripts');
const MODEL = join(checkout, 'tools/simulator/model');

test('fixed seeds break no promise, and try most pairs of event and state', () => {
  const coverage = createCoverage();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const { failure } = runSeed(seed, coverage);
    expect.soft(failure, `seed ${seed}`).toBeUndefined();
  }
  expect(coverage.untried().length).toBeLessThan(60);
});

test('a seed is the same run every time, and so is its script', () => {
  const first = runSeed(7, createCoverage());
  const again = runSeed(7, createCoverage());
  expect(again).toEqual(first);
  const written = parseScript(formatScript(first.script));
  expect(replay(written, createCoverage())).toEqual(first);
});

test.each(readdirSync(SCRIPTS))('what once broke a promise keeps it: %s', (name) => {
  const script = parseScript(readFileSync(join(SCRIPTS, name), 'utf8'));
  expect(replay(script, createCoverage()).failure).toBeUndefined();
});

test('the model imports nothing but its own files', () => {
  for (const name of readdirSync(MODEL)) {
    const imports = [...readFileSync(join(MODEL, name), 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from);
    expect(imports.filter((from) => from?.startsWith('./') !== true)).toEqual([]);
  }
});

test('a script is shortened to the steps that the failure needs', () => {
  const { script } = runSeed(7, createCoverage());
  const fails = (steps: number) => (candidate: typeof script) =>
    candidate.steps.filter((step) => step.do === 'send').length >= steps;
  const shortest = shrink(script, fails(2));
  expect(shortest.steps.map((step) => step.do)).toEqual(['send', 'send']);
  expect(shortest.setup.channels).toHaveLength(1);
});
