// Seeded faults against real processes, judged by rules over a recorded history. `npm run faults` runs longer campaigns, and
// `npm run faults -- --planted all` proves that the rules catch what they should.

import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { buildCode } from '../support/service-process.js';
import { tell } from '../support/tell.js';
import { explain, runCampaign } from './campaign.js';
import { PLANTED_BUGS } from './planted/planted-bugs.js';
import { changedFiles, plantBug } from './planted/planted-build.js';
import type { Violation } from './rules/rules.js';

/** The short campaign of every test run. */
const SHORT = { seeds: [7, 20], seconds: 25 };
const SETTLING_MS = 240_000;

const { FAULTS_SEED, FAULTS_SEEDS, FAULTS_MINUTES, FAULTS_ONLY, FAULTS_PLANTED } = process.env;
const seconds = FAULTS_MINUTES === undefined ? SHORT.seconds : Number(FAULTS_MINUTES) * 60;
const firstSeed = Number(FAULTS_SEED ?? 1);
const seeds =
  FAULTS_SEED === undefined && FAULTS_SEEDS === undefined
    ? SHORT.seeds
    : Array.from({ length: Number(FAULTS_SEEDS ?? 1) }, (_, index) => firstSeed + index);

beforeAll(buildCode);

describe.skipIf(FAULTS_PLANTED !== undefined)('whatever fails, no rule is broken', () => {
  test.each(seeds)(
    'seed %i',
    async (seed) => {
      const faults = FAULTS_ONLY === undefined ? {} : { faults: FAULTS_ONLY.split(',') };
      const report = await runCampaign({ seed, durationMs: seconds * 1000, ...faults });
      onTestFailed(() => tell(report.logs.slice(-20_000)));
      tell(explain(report));
      expect(report.violations).toEqual([]);
    },
    SETTLING_MS + 3 * seconds * 1000,
  );
});

test.each(PLANTED_BUGS)('the bug $name can still be planted', (bug) => {
  expect(changedFiles(bug).size).toBeGreaterThan(0);
});

const planted = PLANTED_BUGS.filter(
  ({ name }) => FAULTS_PLANTED === 'all' || FAULTS_PLANTED?.split(',').includes(name),
);

describe.skipIf(FAULTS_PLANTED === undefined)('a planted bug is caught', () => {
  const caught: string[] = [];
  afterAll(() => tell(caught.join('\n')));

  test.each(planted)(
    '$name',
    async (bug) => {
      const build = plantBug(bug);
      try {
        const report = await runCampaign({
          seed: firstSeed,
          durationMs: (bug.seconds ?? 25) * 1000,
          root: build.root,
          standstillMs: 60_000,
          ...(bug.faults === undefined ? {} : { faults: bug.faults }),
        });
        const isCause = ({ rule }: Violation) => bug.caughtBy.some((name) => rule.startsWith(name));
        const found = report.violations.find(isCause);
        const others = report.violations.map(({ rule }) => rule).join('; ');
        const verdict = found === undefined ? `NOT CAUGHT (${others})` : `${found.rule}: ${found.detail.slice(0, 160)}`;
        caught.push(`${bug.name}: ${(report.tookMs / 1000).toFixed(1)} s, ${verdict}`);
        tell(caught.at(-1) ?? '');
        expect(report.violations.filter(isCause), report.historyFile).not.toEqual([]);
      } finally {
        build.remove();
      }
    },
    SETTLING_MS,
  );
});
