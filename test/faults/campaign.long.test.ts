// Seeded faults against real processes, judged by rules over a recorded history. `npm run faults` runs longer campaigns, and
// `npm run faults -- --planted all` proves that the rules catch what they should.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { buildCode, checkout } from '../support/service-process.js';
import type { CentreKind } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { explain, runCampaign } from './campaign.js';
import { runNeighbour } from './neighbour/neighbour.js';
import { changedSources, runWithFault } from './planted/changed-tree.js';
import type { PlantedBug } from './planted/planted-bug.js';
import { PLANTED_BUGS } from './planted/planted-bugs.js';
import { type BuildCopy, changedFiles, copyBuild } from './planted/planted-build.js';
import { RETURNED_EDGE_FAULTS } from './planted/returned-edge-faults.js';
import { RETURNED_FAULTS } from './planted/returned-faults.js';
import type { Violation } from './rules/rules.js';
import { runScenario } from './scenarios/scenario.js';
import { SCENARIOS } from './scenarios/scenarios.js';

/** The short campaign of every test run. */
const SHORT = { seeds: [7, 20], seconds: 25 };
const SETTLING_MS = 240_000;

const { FAULTS_SEED, FAULTS_SEEDS, FAULTS_MINUTES, FAULTS_ONLY, FAULTS_KINDS, FAULTS_PLANTED, FAULTS_NEIGHBOUR } =
  process.env;
const seconds = FAULTS_MINUTES === undefined ? SHORT.seconds : Number(FAULTS_MINUTES) * 60;
const firstSeed = Number(FAULTS_SEED ?? 1);
const seeds =
  FAULTS_SEED === undefined && FAULTS_SEEDS === undefined
    ? SHORT.seeds
    : Array.from({ length: Number(FAULTS_SEEDS ?? 1) }, (_, index) => firstSeed + index);

const ALL_RETURNED = [...RETURNED_FAULTS, ...RETURNED_EDGE_FAULTS];

beforeAll(buildCode);

describe.skipIf(FAULTS_PLANTED !== undefined || FAULTS_NEIGHBOUR !== undefined)(
  'whatever fails, no rule is broken',
  () => {
    test.each(seeds)(
      'seed %i',
      async (seed) => {
        const faults = FAULTS_ONLY === undefined ? {} : { faults: FAULTS_ONLY.split(',') };
        const kinds = FAULTS_KINDS === undefined ? {} : { kinds: FAULTS_KINDS.split(',') as CentreKind[] };
        const report = await runCampaign({ seed, durationMs: seconds * 1000, ...faults, ...kinds });
        onTestFailed(() => tell(report.logs.slice(-20_000)));
        tell(explain(report));
        expect(report.violations).toEqual([]);
      },
      SETTLING_MS + 3 * seconds * 1000,
    );
  },
);

describe.skipIf(FAULTS_NEIGHBOUR === undefined)('a bad neighbour', () => {
  test(
    'costs others neither answers nor time',
    async () => {
      const report = await runNeighbour({ seconds });
      onTestFailed(() => tell(report.log.slice(-20_000)));
      tell(report.figures);
      expect(report.violations).toEqual([]);
    },
    SETTLING_MS + 3 * seconds * 1000,
  );
});

describe.skipIf(FAULTS_PLANTED !== undefined || FAULTS_NEIGHBOUR !== undefined || FAULTS_SEED !== undefined)(
  'a scenario with a fixed course breaks no rule',
  () => {
    test.each(Object.entries(SCENARIOS))(
      '%s',
      async (_, scenario) => {
        const report = await runScenario(scenario);
        onTestFailed(() => tell(report.log.slice(-20_000)));
        expect(report.violations).toEqual([]);
      },
      SETTLING_MS,
    );
  },
);

test.each(PLANTED_BUGS)('the bug $name can still be planted', (bug) => {
  expect(changedFiles(bug).size).toBeGreaterThan(0);
});

test.each(ALL_RETURNED)('the fault $name can still be brought back, and its test is there', (fault) => {
  expect(changedSources(fault).size).toBeGreaterThan(0);
  expect(existsSync(join(checkout, fault.test))).toBe(true);
});

interface PlantedReport {
  readonly violations: readonly Violation[];
  readonly tookMs: number;
  /** Where to look for the cause. */
  readonly where: string;
}

async function runPlanted(
  { scenario, faults, kinds = ['smpp', 'smpp'], seconds: given = 25 }: PlantedBug,
  root: string,
): Promise<PlantedReport> {
  if (scenario === 'neighbour') {
    const report = await runNeighbour({ seconds: given, root });
    return { ...report, where: report.figures };
  }
  if (scenario !== undefined) {
    const report = await runScenario(SCENARIOS[scenario], root);
    return { ...report, where: report.log.slice(-5000) };
  }
  const limits = { durationMs: given * 1000, stuckMs: 60_000, ...(faults === undefined ? {} : { faults }) };
  const report = await runCampaign({ seed: firstSeed, root, kinds, ...limits });
  return { ...report, where: report.historyFile };
}

const isChosen = ({ name }: { readonly name: string }) =>
  FAULTS_PLANTED === 'all' || FAULTS_PLANTED?.split(',').includes(name);
const planted = PLANTED_BUGS.filter(isChosen);
const returned = ALL_RETURNED.filter(isChosen);
const isKnown = (name: string) => [...PLANTED_BUGS, ...ALL_RETURNED].some((bug) => bug.name === name);

test.skipIf(FAULTS_PLANTED === undefined)('every name of a bug is known', () => {
  expect(FAULTS_PLANTED === 'all' ? [] : FAULTS_PLANTED?.split(',').filter((name) => !isKnown(name))).toEqual([]);
});

// Without a test, a suite fails.
describe.skipIf(planted.length === 0)('a planted bug is caught', () => {
  const caught: string[] = [];
  let build: BuildCopy;
  beforeAll(() => {
    build = copyBuild();
  });
  afterAll(() => {
    build.remove();
    tell(caught.join('\n'));
  });

  test.each(planted)(
    '$name',
    async (bug) => {
      build.plant(bug);
      const report = await runPlanted(bug, build.root);
      const isCause = ({ rule }: Violation) => bug.caughtBy.some((name) => rule.startsWith(name));
      const found = report.violations.find(isCause);
      const others = report.violations.map(({ rule, detail }) => `${rule}: ${detail.slice(0, 160)}`).join('; ');
      const result = found === undefined ? `NOT CAUGHT (${others})` : `${found.rule}: ${found.detail.slice(0, 160)}`;
      caught.push(`${bug.name}: ${(report.tookMs / 1000).toFixed(1)} s, ${result}`);
      tell(caught.at(-1) ?? '');
      expect(report.violations.filter(isCause), report.where).not.toEqual([]);
    },
    SETTLING_MS,
  );
});

describe.skipIf(returned.length === 0)('a fault that comes back is caught by its test', () => {
  test.each(returned)(
    '$name by $test',
    async (fault) => {
      const { result, output } = await runWithFault(fault);
      if (result !== 'failed') tell(output.slice(-5000));
      expect(result).toBe('failed');
    },
    SETTLING_MS,
  );
});
