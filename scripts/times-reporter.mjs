// Says at the end of a run where the time went: the slowest files, and the processor time by what the files need. The figures come
// from `test/support/measure-file.ts`. With POSTRIDER_TEST_TIMES=all every file is listed.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const SLOWEST = 10;

export default class TimesReporter {
  onInit(vitest) {
    this.vitest = vitest;
  }

  onTestRunEnd(modules) {
    const files = modules.map(describeFile).sort((one, other) => other.wallMs - one.wallMs);
    if (files.length < 2) return;
    const listed = process.env.POSTRIDER_TEST_TIMES === 'all' ? files : files.slice(0, SLOWEST);
    console.log(
      `\n${listed.length === files.length ? 'Files by time' : `The ${SLOWEST} slowest files`}: seconds, of which of a processor`,
    );
    for (const { name, kind, wallMs, processorMs } of listed) {
      console.log(`${seconds(wallMs)} ${seconds(processorMs)}  ${name} (${kind})`);
    }
    console.log('\nProcessor time, in seconds');
    for (const [name, { count, ms }] of sumUp(files)) console.log(`${seconds(ms)}  ${name}: ${count} files`);
    const { user, system } = process.cpuUsage();
    console.log(`${seconds((user + system) / 1000)}  vitest itself`);
    const databaseMs = readDatabaseMs(this.vitest);
    if (databaseMs !== undefined) console.log(`${seconds(databaseMs)}  PostgreSQL of all tests`);
  }
}

const seconds = (ms) => (ms / 1000).toFixed(1).padStart(7);

function describeFile(module) {
  const { kind = 'pure', processorMs = 0, childrenMs = 0 } = module.meta();
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  return {
    name: relative(process.cwd(), module.moduleId),
    kind,
    wallMs: environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration,
    processorMs: processorMs + childrenMs,
  };
}

function sumUp(files) {
  const kinds = new Map();
  for (const { kind, processorMs } of files) {
    const { count, ms } = kinds.get(kind) ?? { count: 0, ms: 0 };
    kinds.set(kind, { count: count + 1, ms: ms + processorMs });
  }
  return [...kinds].sort(([, one], [, other]) => other.ms - one.ms);
}

/** Of the throw-away server and its backends, those that have ended included. Known on Linux only. */
function readDatabaseMs(vitest) {
  const { host } = vitest.getRootProject().getProvidedContext().templateAddress ?? {};
  try {
    const [pid] = readFileSync(join(dirname(host), 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    const server = readStat(pid);
    const backends = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(tryReadStat)
      .filter((stat) => stat?.parent === pid);
    return server.ownMs + server.endedMs + backends.reduce((sum, { ownMs }) => sum + ownMs, 0);
  } catch {
    return undefined;
  }
}

/** The kernel counts in hundredths of a second. */
function readStat(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const sum = (...places) => places.reduce((total, place) => total + Number(fields[place]) * 10, 0);
  return { parent: fields[1], ownMs: sum(11, 12), endedMs: sum(13, 14) };
}

function tryReadStat(pid) {
  try {
    return readStat(pid);
  } catch {
    return undefined;
  }
}
