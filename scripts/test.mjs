// Installs, builds and runs the tests; arguments go to vitest. The last line is the count: `N passed, N failed`, whatever
// happens before it. A build that fails counts as one failure, and the tests run all the same.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { Failure, Interruption, installed, reportEnd, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

function countResults(report, exitCode) {
  const passed = report?.numPassedTests ?? 0;
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  // A file that could not even be loaded has no tests of its own, and an error outside any test belongs to none.
  const brokenFiles = (report?.testResults ?? []).filter(
    (file) => file.status === 'failed' && file.assertionResults.every((result) => result.status !== 'failed'),
  );
  const counted = (report?.numFailedTests ?? 0) + brokenFiles.length;
  const failed = counted === 0 && (exitCode !== 0 || passed === 0) ? 1 : counted;
  return { passed, failed, skipped };
}

/** The names of skipped tests say what they need; a skip that nobody sees would pass for a test. */
function listSkipped(report) {
  return (report?.testResults ?? [])
    .flatMap((file) => file.assertionResults)
    .filter((result) => result.status === 'pending' || result.status === 'skipped' || result.status === 'todo')
    .map((result) => `skipped: ${result.fullName}`);
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
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
  'test/pipeline/settle/money-model.test.ts',
  'test/pipeline/settle/recorder.test.ts',
  'test/pipeline/channel/reports/find-parts.test.ts',
  'test/pipeline/push/push.test.ts',
  'test/http/operator/operations.test.ts',
  'test/http/operator/numbers.test.ts',
  'test/http/batches.test.ts',
  'test/http/moves.test.ts',
  'test/http/credentials.test.ts',
  'test/rules/prices.test.ts',
  'test/store/money',
  'test/crash/kept-report.long.test.ts',
];

function chooseTests() {
  const wanted = process.argv.slice(2);
  if (wanted.length === 1 && wanted[0] === '--cluster') {
    if (!process.env.POSTRIDER_TEST_CITUS) {
      throw new Failure("POSTRIDER_TEST_CITUS is not set: the URL of a Citus cluster's coordinator.");
    }
    return clusterTests;
  }
  if (wanted.length === 1 && wanted[0] === '--long') return [LONG_TESTS];
  if (wanted.length > 0) return wanted;
  console.log(`Left to \`npm run test:long\`, which CI runs too: *${LONG_TESTS}`);
  return ['--exclude', `**/*${LONG_TESTS}`];
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
  const folder = mkdtempSync(join(tmpdir(), 'postrider-report-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await run(installed('vitest'), ['run', ...reporters, ...chooseTests()]).catch((error) => ({
    code: reportEnd(error),
  }));
  const report = readReport(file);
  const { passed, failed: failedTests, skipped } = countResults(report, code);
  const failed = failedTests + (fault === undefined ? 0 : 1);
  rmSync(folder, { recursive: true });
  for (const line of listSkipped(report)) console.log(line);
  console.log(`\n${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await runAsProgram(import.meta.url, test);
