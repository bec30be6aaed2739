// The service as a process: environment and arguments in, signals and exit code out.

import { start } from './app/start.js';
import { type PrimaryService, startProcesses } from './processes/primary.js';
import { checkAddressIsFree } from './service/address-check.js';
import { ConfigError, readConfig } from './service/config.js';
import { setHeapFlags } from './service/heap-flags.js';
import { createLog } from './service/log.js';
import { readStartArguments, startUsage } from './service/start-arguments.js';
import { describeStart } from './service/start-lines.js';
import { explainFailedStart } from './service/system-fault.js';

setHeapFlags();

function fail(message: string, code = 1): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

/** Called as itself, or by `postrider serve`. */
const words = process.argv.slice(process.argv[2] === 'serve' ? 3 : 2);

function configure() {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(startUsage);
    process.exit(0);
  }
  try {
    return readConfig({ ...process.env, ...readStartArguments(words) });
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, 2);
    throw error;
  }
}

// A terminal that was closed takes no more lines. What is in flight is finished all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const config = configure();
const log = createLog(config.logLevel);
for (const name of config.ignoredVariables) log.warn(`${name} is set and means nothing here`);

let asked: { readonly signal: NodeJS.Signals; readonly sinceMs: number } | undefined;
const stopping = new AbortController();
const onFailure = (error: Error): void => {
  if (asked === undefined) fail(`Postrider stops: ${error.message}`);
};

async function startService(): Promise<PrimaryService> {
  await checkAddressIsFree(config);
  const options = { log, onFailure, signal: stopping.signal };
  return config.processes > 1
    ? await startProcesses(config, { ...options, args: words })
    : await start(config, options);
}

/** Ctrl-C also reaches the programs that create a database; their errors are then not the cause. */
function failToStart(error: unknown): never {
  if (asked !== undefined) {
    return fail('Interrupted before it was up. Nothing is left running.', asked.signal === 'SIGINT' ? 130 : 0);
  }
  log.debug({ err: error }, 'start-up failed');
  return fail(`Postrider could not start: ${explainFailedStart(error, config.dataDir)}`);
}

const starting = startService().catch(failToStart);

/** More than anything that stopping waits for; the embedded database may take its time to write what it has. */
const STOP_LIMIT_MS = 60_000;

/** One Ctrl-C reaches a process twice where a shell or npm passes it on as well; that is one wish, not impatience. */
const ECHO_MS = 1000;

function stop(signal: NodeJS.Signals): void {
  if (asked !== undefined) {
    if (performance.now() - asked.sinceMs < ECHO_MS) return;
    fail('Stopped at once; what was in flight is taken up at the next start.');
  }
  asked = { signal, sinceMs: performance.now() };
  log.info(`${signal}: finishing what is in flight`);
  stopping.abort();
  setTimeout(
    () => fail('Postrider did not stop in time; what was in flight is taken up at the next start.'),
    STOP_LIMIT_MS,
  );
  starting
    .then((service) => service.stop())
    .then(
      () => {
        log.info('Stopped');
        process.exit(0);
      },
      (error: unknown) => fail(`Postrider did not stop cleanly: ${String(error)}`),
    );
}

// A terminal that is closed says SIGHUP; the service would die of it and leave its database server behind.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);

const service = await starting;
process.stdout.write(describeStart(config, service));
