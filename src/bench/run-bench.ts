// The measurement: the whole service in one run on one machine, because only ratios between figures of one run mean
// anything on a machine that others use too.

import type { Bench, Row } from './bench.js';
import { type Lab, startLab } from './lab/lab.js';
import { describeRow } from './report/format.js';
import { type BenchRun, describeMachine, nameFile, readLastRows, readLoad, saveRun } from './report/results.js';
import { judgeTargets } from './report/targets.js';
import { SCENARIOS } from './scenarios/all.js';

export interface BenchOptions {
  readonly print: (line: string) => void;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
  readonly scale: number;
  /** The names of what is to be run; undefined for the usual ones. */
  readonly only: readonly string[] | undefined;
  /** What is run beside the usual ones. */
  readonly also: readonly string[];
  /** Where runs are kept. */
  readonly folder: string;
  /** A copy of the results for somebody else. */
  readonly jsonFile: string | undefined;
  readonly version: string;
}

export async function runBench(options: BenchOptions): Promise<void> {
  const { print, progress, signal, scale } = options;
  const last = await readLastRows(options.folder, scale);
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
  let lab: Promise<Lab> | undefined;
  const bench: Bench = {
    scale,
    signal,
    progress,
    lab: () => {
      lab ??= startLab({ progress, signal });
      return lab;
    },
    title: (text) => print(`\n${text}`),
    record(row) {
      rows.push(row);
      print(describeRow(row, last.get(row.key)));
    },
    remark(text) {
      remarks.push(text);
      print(`  ${text}`);
    },
  };
  try {
    for (const scenario of chooseScenarios(options)) {
      signal.throwIfAborted();
      await scenario.run(bench);
    }
  } finally {
    await lab?.then((running) => running.stop()).catch(() => undefined);
  }
  const verdicts = judgeTargets(rows);
  // Small loads fill no batch, and a busy machine spreads its waiting over everything.
  const isRough = scale < 1 || header.load_before > 1;
  const title = isRough ? 'Targets, roughly: this run was small, or the machine was busy' : 'Targets';
  if (verdicts.length > 0) print(`\n${title}\n${verdicts.join('\n')}`);
  const run: BenchRun = { ...header, seconds: (Date.now() - startedAt.getTime()) / 1000, rows, remarks };
  const file = nameFile(options.folder, header.at);
  await saveRun(file, run);
  if (options.jsonFile !== undefined) await saveRun(options.jsonFile, run);
  print(`\nKept in ${options.jsonFile ?? file}; the next run at this scale is compared with it.`);
}

function chooseScenarios({ only, also }: BenchOptions) {
  return SCENARIOS.filter(({ name, isDefault }) => only?.includes(name) ?? (isDefault || also.includes(name)));
}
