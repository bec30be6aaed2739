// Runs are kept as files, so that the next one can be compared with the last.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import type { Row } from '../bench.js';

export interface BenchRun {
  /** When it began. */
  readonly at: string;
  readonly version: string;
  readonly scale: number;
  readonly machine: string;
  /** How many processes wanted a processor on average in the minute before it began. */
  readonly load_before: number;
  readonly seconds: number;
  /** How long each scenario took. */
  readonly scenario_s: Readonly<Record<string, number>>;
  readonly rows: readonly Row[];
  readonly remarks: readonly string[];
}

const BYTES_PER_GB = 1e9;

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim();
  const named = model === undefined || model === 'unknown' || model === '' ? process.arch : model;
  const memory = `${Math.round(totalmem() / BYTES_PER_GB)} GB`;
  return `${availableParallelism()} processors (${named}), ${memory}, Node ${process.versions.node}`;
}

export function readLoad(): number {
  return loadavg()[0] ?? 0;
}

export async function saveRun(file: string, run: BenchRun): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(run, null, 2)}\n`);
}

/** Where a run is kept by default; names sort by time. */
export function nameFile(folder: string, at: string): string {
  return join(folder, `${at.replace(/[:.]/g, '-')}.json`);
}

export interface LastRuns {
  readonly rows: ReadonlyMap<string, Row>;
  /** By the name of the scenario. */
  readonly seconds: ReadonlyMap<string, number>;
}

/** For each row and each scenario, the newest run of the same scale that has it. */
export async function readLastRuns(folder: string, scale: number): Promise<LastRuns> {
  const names = await readdir(folder).catch(() => []);
  const rows = new Map<string, Row>();
  const seconds = new Map<string, number>();
  for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
    const run = await readRun(join(folder, name));
    if (run?.scale !== scale) continue;
    for (const row of run.rows) rows.set(row.key, row);
    for (const [scenario, took] of Object.entries(run.scenario_s ?? {})) seconds.set(scenario, took);
  }
  return { rows, seconds };
}

/** Ignores files that are not results of a run. */
async function readRun(file: string): Promise<BenchRun | undefined> {
  try {
    const run = JSON.parse(await readFile(file, 'utf8')) as BenchRun;
    return Array.isArray(run.rows) ? run : undefined;
  } catch {
    return undefined;
  }
}
