// The service as a process: environment in, signals and exit code out.

import { pino } from 'pino';
import { start } from './app.js';
import { ConfigError, readConfig } from './config.js';
import { describeStart } from './start-lines.js';

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
const log = pino({ level: config.logLevel, base: null }, pino.destination({ dest: 2, sync: true }));
for (const name of config.ignoredVariables) log.warn(`${name} is set and means nothing here`);

let isStopping = false;
const onFailure = (error: Error): void => {
  if (!isStopping) fail(`Postrider stops: ${error.message}`);
};

const service = await start(config, { log, onFailure }).catch((error: unknown) => {
  log.debug({ err: error }, 'start-up failed');
  return fail(`Postrider could not start: ${error instanceof Error ? error.message : String(error)}`);
});
process.stdout.write(await describeStart(config, service.url));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (isStopping) fail('Stopped at once; what was in flight is taken up at the next start.');
    isStopping = true;
    log.info(`${signal}: finishing what is in flight`);
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(`Postrider did not stop cleanly: ${String(error)}`),
    );
  });
}
