// `npm run simulate`: looks for an order of events that breaks a promise.

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createCoverage } from './coverage.js';
import { PROMISES } from './model/promise.js';
import { type Failure, type Run, replay, runSeed } from './run.js';
import { formatScript, parseScript, type Script } from './script.js';
import { shrink } from './shrink.js';

const USAGE = `npm run simulate -- [--seed N] [--runs N] [--minutes N] [--until-failure] [--as-found] [--replay FILE]
  --seed N         the first seed (by the clock, printed)
  --runs N         how many seeds, one after the other (20000)
  --minutes N      for so long, instead
  --until-failure  stop at the first failure; otherwise the first of each broken promise is shown
  --as-found       do not shorten and write the script of a failure
  --replay FILE    carry out the script of a failure, instead
  --out FOLDER     where scripts of failures are written (.)`;

const DEFAULT_RUNS = 20_000;

function main(): number {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      runs: { type: 'string' },
      minutes: { type: 'string' },
      'until-failure': { type: 'boolean' },
      'as-found': { type: 'boolean' },
      replay: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return say(USAGE);
  if (values.replay !== undefined) return playAgain(values.replay);
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  const runs =
    values.minutes === undefined
      ? Number(values.runs ?? DEFAULT_RUNS)
      : Number(values.runs ?? Number.POSITIVE_INFINITY);
  const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
  if (![seed, runs, minutes].every((value) => value >= 0)) throw new Error(USAGE);
  return explore({
    seed,
    runs,
    minutes,
    isFirstEnough: values['until-failure'] === true,
    isShortened: values['as-found'] !== true,
    folder: values.out ?? '.',
  });
}

interface Exploration {
  readonly seed: number;
  readonly runs: number;
  readonly minutes: number;
  readonly isFirstEnough: boolean;
  readonly isShortened: boolean;
  readonly folder: string;
}

function explore({ seed, runs, minutes, isFirstEnough, isShortened, folder }: Exploration): number {
  const coverage = createCoverage();
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const endMs = startMs + minutes * 60_000;
  const sums = { runs: 0, steps: 0, events: 0, commits: 0 };
  const failed = new Set<string>();
  say(`seeds from ${seed}`);
  for (let at = 0; at < runs && performance.now() < endMs; at++) {
    const run = runSeed(seed + at, coverage);
    sums.runs += 1;
    sums.steps += run.steps;
    sums.events += run.events;
    sums.commits += run.commits;
    if (run.failure === undefined || failed.has(run.failure.promise)) continue;
    failed.add(run.failure.promise);
    showFailure(seed + at, run, run.failure, folder, isShortened);
    if (isFirstEnough) break;
  }
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(startCpu);
  // Of processor time: other work on the machine does not change it.
  const cpuSeconds = (user + system) / 1_000_000;
  const rate = (count: number) => `${count} (${Math.round(count / cpuSeconds)}/s)`;
  say(`\n${coverage.format()}\n`);
  say(
    `${rate(sums.runs)} runs, ${rate(sums.steps)} steps, ${rate(sums.commits)} commits, ${rate(sums.events)} events, per second of processor time; ${cpuSeconds.toFixed(1)} s of it in ${seconds.toFixed(1)} s`,
  );
  say(failed.size === 0 ? 'no promise was broken' : `broken: ${[...failed].join(', ')}`);
  return failed.size === 0 ? 0 : 1;
}

function showFailure(seed: number, run: Run, failure: Failure, folder: string, isShortened: boolean): void {
  say(`\nseed ${seed} after ${run.script.steps.length} steps: ${failure.message}`);
  if (!isShortened) return;
  const breaksTheSame = (candidate: Script) => replay(candidate, createCoverage()).failure?.promise === failure.promise;
  const script = shrink(run.script, breaksTheSame);
  const shrunk = replay(script, createCoverage()).failure ?? failure;
  const file = `${folder}/simulation-${seed}.json`;
  const { promise } = shrunk;
  writeFileSync(file, formatScript(script, { seed, breaks: promise, says: shrunk.message.split('\n')[0] ?? '' }));
  say(
    `the shortest script that breaks "${PROMISES[promise as keyof typeof PROMISES] ?? promise}" has ${script.steps.length} steps:`,
  );
  printScript(script);
  say(`${shrunk.message}\nwritten to ${file}: npm run simulate -- --replay ${file}`);
}

function playAgain(file: string): number {
  const script = parseScript(readFileSync(file, 'utf8'));
  printScript(script);
  const { failure } = replay(script, createCoverage());
  say(failure === undefined ? 'no promise was broken' : failure.message);
  return failure === undefined ? 0 : 1;
}

function printScript({ setup, steps }: Script): void {
  say(`  ${JSON.stringify(setup)}`);
  for (const [at, step] of steps.entries()) say(`  ${String(at + 1).padStart(3)} ${JSON.stringify(step)}`);
}

function say(text: string): 0 {
  console.log(text);
  return 0;
}

process.exitCode = main();
