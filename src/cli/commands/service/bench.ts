import { isAbsolute, join } from 'node:path';
import type { Command, Invocation } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { createProgressLine } from '../../output/progress-line.js';

/** Messages that are worth a line. */
const QUIET_MS = 1000;

function readScale(invocation: Invocation): number {
  const text = invocation.text('scale') ?? '1';
  const scale = Number(text);
  if (text.trim() === '' || !(scale > 0 && scale <= 100)) {
    throw new UsageError(`--scale takes a number above 0 and up to 100, not "${text}".`);
  }
  return scale;
}

function readScenarios(
  invocation: Invocation,
  option: string,
  names: readonly string[],
): readonly string[] | undefined {
  const given = invocation.words(option);
  const unknown = given?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new UsageError(`--${option} takes ${names.join(', ')}, not "${unknown}".`);
  return given;
}

/** Results go to standard output; progress to standard error, at most once a second. */
function createOutput({ terminal }: Invocation) {
  const line = createProgressLine(terminal.err, () => performance.now());
  let changedMs = performance.now();
  return {
    print(text: string): void {
      changedMs = performance.now();
      if (terminal.err.isTty) void terminal.err.write('\r\u001b[2K');
      void terminal.out.write(`${text}\n`);
    },
    progress(text: string): void {
      if (performance.now() - changedMs < QUIET_MS) return;
      changedMs = performance.now();
      void line.show(text.split(' · '));
    },
  };
}

async function runBenchCommand(invocation: Invocation): Promise<ExitCode> {
  const { runBench } = await import('#tools/bench/run-bench.js');
  const { SCENARIO_NAMES } = await import('#tools/bench/scenarios/all.js');
  const { readConfig } = await import('../../../service/config.js');
  const { version } = await import('../../../service/version.js');
  const { terminal } = invocation;
  const pathOf = (option: string) => {
    const path = invocation.text(option);
    return path === undefined || isAbsolute(path) ? path : join(terminal.folder, path);
  };
  await runBench({
    ...createOutput(invocation),
    signal: terminal.signal,
    scale: readScale(invocation),
    only: readScenarios(invocation, 'only', SCENARIO_NAMES),
    without: readScenarios(invocation, 'without', SCENARIO_NAMES) ?? [],
    databases: invocation.words('database') ?? [],
    folder: join(readConfig(terminal.env).dataDir, 'bench'),
    jsonFile: pathOf('json'),
    keptFolder: pathOf('keep'),
    version,
  });
  return exitCodes.ok;
}

export const benchCommand: Command = {
  path: ['bench'],
  summary: 'measure this machine: the service against its row writes, bare HTTP, and Kannel where it is installed',
  description: [
    'Starts services on new databases, and removes them again. Scenarios: floors, bulk, single, accept, push, rules, kinds,',
    'kannel, backlog and memory, together about a quarter of an hour; soak, ten minutes more; lists and console-latency, about half an hour each. How',
    'long it will take is said first. Compare the ratios of one run, never figures of two. Each run is kept in the data',
    'folder, and the next one shows what has changed. What is measured, and how to read it, is in docs/performance.md.',
  ].join('\n'),
  options: {
    only: { type: 'string', multiple: true, value: 'NAMES', summary: 'these scenarios, with commas between' },
    without: { type: 'string', multiple: true, value: 'NAMES', summary: 'all but these' },
    scale: {
      type: 'string',
      value: 'FACTOR',
      summary: 'larger or smaller loads (1); 10 adds tasks of 500 from 1,000 customers',
    },
    database: {
      type: 'string',
      multiple: true,
      value: 'URL',
      summary: 'instead, the same loads on databases of your own, empty ones, against the first',
    },
    keep: {
      type: 'string',
      value: 'FOLDER',
      summary: 'create the history of console-latency there, or use the existing one',
    },
    json: { type: 'string', value: 'FILE', summary: 'write the results there as well' },
  },
  examples: [
    { command: 'postrider bench --json run.json', shows: 'everything: all the targets in one run' },
    { command: 'postrider bench --without soak,lists,console-latency', shows: 'everything but what takes long' },
    { command: 'postrider bench --only floors,bulk --scale 0.2', shows: 'a quick look at bulk' },
    {
      command: 'postrider bench --database postgres://one/empty --database postgres://coordinator/empty',
      shows: 'a cluster against one PostgreSQL, both on this machine',
    },
  ],
  run: runBenchCommand,
};
