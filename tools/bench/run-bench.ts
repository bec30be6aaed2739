// The measurement: the whole service in one run on one machine, because only ratios between figures of one run mean
// anything on a machine that others use too.

import type { Bench, Row, Scenario } from './bench.js';
import { type Lab, startLab } from './lab/lab.js';
import { describeSeconds, estimateSeconds } from './report/estimate.js';
import { describeRow } from './report/format.js';
import { type BenchRun, describeMachine, nameFile, readLastRuns, readLoad, saveRun } from './report/results.js';
import { judgeTargets } from './report/targets.js';
import { SCENARIOS } from './scenarios/all.js';

export interface BenchOptions {
  readonly print: (line: string) => void;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
  readonly scale: number;
  /** The names of what is to be run; undefined for all of them. */
  readonly only: readonly string[] | undefined;
  readonly without: readonly string[];
  /** URLs of databases that are to be compared. */
  readonly databases: readonly string[];
  /** Where runs are kept. */
  readonly folder: string;
  /** Where to write a copy of the results. */
  readonly jsonFile: string | undefined;
  readonly keptFolder: string | undefined;
  readonly version: string;
}

/** Interval of progress messages. */
const TICK_MS = 1000;

export async function runBench(options: BenchOptions): Promise<void> {
  const { print, signal, scale } = options;
  const last = await readLastRuns(options.folder, scale);
  const scenarios = chooseScenarios(options);
  const startedAt = new Date();
  const rows: Row[] = [];
  const remarks: string[] = [];
  const header = {
    at: startedAt.toISOString(),
    version: options.version,
    scale,
    machine: describeMachine(),
    load_before: readLoad(),
  };
  print(`${header.machine}; load average ${header.load_before.toFixed(1)}; scale ${scale}`);
  const expectedS = estimateSeconds(scenarios, scale, last.seconds);
  print(`${scenarios.map(({ name }) => name).join(', ')}: about ${describeSeconds(expectedS)}`);
  const watch = watchProgress(options, scenarios, expectedS);
  const { progress } = watch;
  const scenarioS: Record<string, number> = {};
  let lab: Promise<Lab> | undefined;
  const bench: Bench = {
    scale,
    signal,
    databases: options.databases,
    keptFolder: options.keptFolder,
    progress,
    lab: () => {
      lab ??= startLab({ progress, signal });
      return lab;
    },
    title: (text) => print(`\n${text}`),
    record(row) {
      rows.push(row);
      print(describeRow(row, last.rows.get(row.key)));
    },
    remark(text) {
      remarks.push(text);
      print(`  ${text}`);
    },
  };
  try {
    for (const scenario of scenarios) {
      signal.throwIfAborted();
      const beganMs = performance.now();
      watch.begin(scenario);
      await scenario.run(bench);
      scenarioS[scenario.name] = (performance.now() - beganMs) / 1000;
    }
  } finally {
    watch.stop();
    await lab?.then((running) => running.stop()).catch(() => undefined);
  }
  const judgements = judgeTargets(rows);
  // Small loads fill no batch, and a busy machine spreads its waiting over everything.
  const isRough = scale < 1 || header.load_before > 1;
  const title = isRough ? 'Targets, roughly: this run was small, or the machine was busy' : 'Targets';
  if (judgements.length > 0) print(`\n${title}\n${judgements.join('\n')}`);
  const run: BenchRun = {
    ...header,
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    scenario_s: scenarioS,
    rows,
    remarks,
  };
  const file = nameFile(options.folder, header.at);
  await saveRun(file, run);
  if (options.jsonFile !== undefined) await saveRun(options.jsonFile, run);
  print(`\nKept in ${options.jsonFile ?? file}; the next run at this scale is compared with it.`);
}

/** Databases that are given are for one scenario, which is nothing without them. */
function chooseScenarios({ only, without, databases }: BenchOptions): Scenario[] {
  const wanted = only ?? (databases.length === 0 ? undefined : ['databases']);
  return SCENARIOS.filter(({ name }) => (wanted?.includes(name) ?? name !== 'databases') && !without.includes(name));
}

/** Says throughout where the run is: the scenario, the time, and the last that was heard of it. */
function watchProgress(options: BenchOptions, scenarios: readonly Scenario[], expectedS: number) {
  const startedMs = performance.now();
  let current = '';
  let heard = '';
  const show = (): void => {
    const elapsed = describeSeconds((performance.now() - startedMs) / 1000);
    options.progress(`${current}, ${elapsed} of about ${describeSeconds(expectedS)}${heard}`);
  };
  const timer = setInterval(show, TICK_MS);
  return {
    begin(scenario: Scenario): void {
      current = `${scenario.name} (${scenarios.indexOf(scenario) + 1} of ${scenarios.length})`;
      heard = '';
      show();
    },
    progress(text: string): void {
      heard = ` · ${text}`;
      show();
    },
    stop: () => clearInterval(timer),
  };
}
