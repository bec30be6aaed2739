// Installs, builds and runs the tests; arguments go to vitest, but for `--times`, which lists what each file took. The last line
// is the count: `N passed, N failed`, whatever happens before it. A build that fails counts as one failure, and the tests run all the same.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { Failure, Interruption, installed, reportEnd, root, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

/** A line for each test that was skipped, but one for all that need the same that is not on this machine. */
export function describeSkipped(names) {
  const lines = new Map();
  for (const name of names) {
    const missing = /\b(no [^()]+? (?:here|on this machine))\)/.exec(name)?.[1];
    const key = missing ?? name;
    lines.set(key, [...(lines.get(key) ?? []), name]);
  }
  return [...lines].map(([key, of]) => (of.length === 1 ? of[0] : `${key} (${of.length} tests)`));
}

/** Of a run that ended before it could say anything, only that it failed. */
function readResult(file, exitCode) {
  const result = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, skipped: [], failed: ['the tests ended without a result'] };
  if (result.failed.length === 0 && exitCode !== 0) result.failed.push(`vitest ended with the exit code ${exitCode}`);
  if (result.failed.length === 0 && result.passed === 0) result.failed.push('no test ran');
  return result;
}

/** How the files of tests are named that take minutes. They run with `--long`, and not without arguments. */
const LONG_TESTS = '.long.test.ts';

/**
 * On a Citus cluster, with `--cluster`: what only a cluster can show, and of the rest what says most about one in a few
 * minutes. Any other test takes POSTRIDER_TEST_CITUS, too.
 */
const clusterTests = [
  'test/pipeline/cluster.test.ts',
  'test/store/cluster',
  'test/pipeline/channel/ownership/owner.test.ts',
  'test/pipeline/settle/money-model.test.ts',
  'test/pipeline/settle/recorder.test.ts',
  'test/pipeline/channel/reports/find-parts.test.ts',
  'test/pipeline/push/push.test.ts',
  'test/http/operator/operations.test.ts',
  'test/http/operator/numbers.test.ts',
  'test/http/customer/batches.test.ts',
  'test/http/customer/moves.test.ts',
  'test/http/customer/credentials.test.ts',
  'test/rules/prices.test.ts',
  'test/store/money',
  'test/crash/kept-report.long.test.ts',
];

const isLong = process.argv.includes('--long');

/** Those that `npm test` tries with a fifth of their runs only. The long run has them again, in full. */
function findScaledTests() {
  return readdirSync(join(root, 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes('/property-runs.js'));
}

export function chooseTests() {
  const wanted = process.argv.slice(2).filter((argument) => argument !== '--times');
  if (wanted.length === 1 && wanted[0] === '--cluster') {
    if (!process.env.POSTRIDER_TEST_CITUS) {
      throw new Failure("POSTRIDER_TEST_CITUS is not set: the URL of a Citus cluster's coordinator.");
    }
    return clusterTests;
  }
  if (isLong) return [LONG_TESTS, ...findScaledTests()];
  if (wanted.length > 0) return wanted;
  console.log(`Left to \`npm run test:long\`, which CI runs too: *${LONG_TESTS}`);
  return ['--project=!long*'];
}

/** Runs vitest once. What fails has failed: nothing runs a second time. */
async function runTests(vitestArguments) {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-result-'));
  const file = join(folder, 'result.json');
  const reporters = ['default', './scripts/times-reporter.mjs', './scripts/result-reporter.mjs'].map(
    (reporter) => `--reporter=${reporter}`,
  );
  const env = {
    ...process.env,
    POSTRIDER_TEST_RESULT: file,
    ...(process.argv.includes('--times') && { POSTRIDER_TEST_TIMES: 'all' }),
    ...(isLong && { POSTRIDER_TEST_LENGTH: 'full' }),
  };
  const { code } = await run(installed('vitest'), ['run', ...reporters, ...vitestArguments], { env }).catch(
    (error) => ({
      code: reportEnd(error),
    }),
  );
  const result = readResult(file, code);
  rmSync(folder, { recursive: true });
  return result;
}

async function test() {
  const fault = await install()
    .then(build)
    .then(
      () => undefined,
      (error) => {
        if (error instanceof Interruption) throw error;
        return error.message;
      },
    );
  if (fault !== undefined) console.error(`${fault}\n`);
  const { passed, skipped, failed } = await runTests(chooseTests());
  if (fault !== undefined) failed.unshift('the build');
  // A skip must not pass for a test: the names of skipped tests say what they need.
  for (const line of describeSkipped(skipped)) console.log(`skipped: ${line}`);
  for (const name of failed) console.log(`failed: ${name}`);
  console.log(
    `\n${passed} passed, ${failed.length} failed${skipped.length === 0 ? '' : `, ${skipped.length} skipped`}`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}

await runAsProgram(import.meta.url, test);
