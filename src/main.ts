// The service as a process: environment in, signals and exit code out.

import { start } from './app.js';
import { ConfigError, readConfig } from './service/config.js';
import { makeLog } from './service/log.js';
import { describeStart } from './service/start-lines.js';

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function configure() {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message);
    throw error;
  }
}

const config = configure();
const log = makeLog(config.logLevel);
for (const name of config.ignoredVariables) log.warn(`${name} is set and means nothing here`);

let stoppingSince: number | undefined;
const onFailure = (error: Error): void => {
  if (stoppingSince === undefined) fail(`Postrider stops: ${error.message}`);
};

const starting = start(config, { log, onFailure }).catch((error: unknown) => {
  log.debug({ err: error }, 'start-up failed');
  return fail(`Postrider could not start: ${error instanceof Error ? error.message : String(error)}`);
});

/** One Ctrl-C reaches a process twice where a shell or npm passes it on as well; that is one wish, not impatience. */
const ECHO_MS = 1000;

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < ECHO_MS) return;
      fail('Stopped at once; what was in flight is taken up at the next start.');
    }
    stoppingSince = performance.now();
    log.info(`${signal}: finishing what is in flight`);
    starting
      .then((service) => service.stop())
      .then(
        () => {
          log.info('Stopped');
          process.exit(0);
        },
        (error: unknown) => fail(`Postrider did not stop cleanly: ${String(error)}`),
      );
  });
}

const service = await starting;
process.stdout.write(describeStart(config, service.url, service.demo));
