// Runs tests on another Node than the one at hand: `node scripts/test-on-node.mjs [version] [tests…]`, by default a quick
// part on the newest. The binaries come from npm and are kept in the temporary folder. Where the registry cannot be
// reached there is nothing to run on, which is said and is no failure.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { build } from './build.mjs';
import { root, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

/** What has differed between versions of Node so far: sockets, streams, files, processes, and reading what people write. */
const quickPart = [
  'test/domain',
  'test/http/server.test.ts',
  'test/http/wire.test.ts',
  'test/http/signing.test.ts',
  'test/cli',
  'packages/client',
];

const packageName = `node-${process.platform}-${process.arch}`;

async function findVersion(wanted) {
  const { code, output } = await run('npm', ['view', '--json', `${packageName}@${wanted}`, 'version'], {
    quietly: true,
  });
  // Several versions match a range such as 24, in the order of their publication. npm may warn around the JSON.
  const versions = [...output.matchAll(/"(\d+\.\d+\.\d+)"/g)].map(([, version]) => version);
  const byAge = new Intl.Collator('en', { numeric: true });
  return code === 0 ? versions.sort(byAge.compare).at(-1) : undefined;
}

async function fetchNode(version) {
  const folder = join(tmpdir(), `postrider-node-${version}`);
  const program = join(folder, 'node_modules', packageName, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code } = await run('npm', ['install', ...options, `${packageName}@${version}`], { quietly: true });
  return code === 0 && existsSync(program) ? program : undefined;
}

async function testOnNode([wanted = 'latest', ...tests]) {
  await install();
  await build();
  const version = await findVersion(wanted);
  const program = version === undefined ? undefined : await fetchNode(version);
  if (program === undefined) {
    console.log(`skipped: the tests on Node ${wanted}, because ${packageName} cannot be had from the registry`);
    return;
  }
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const PATH = `${dirname(program)}${delimiter}${process.env.PATH ?? ''}`;
  const { code } = await run(
    program,
    [vitest, 'run', ...(tests.length > 0 ? tests : ['--project=!long*', ...quickPart])],
    {
      env: { ...process.env, PATH },
    },
  );
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} on Node ${version}`);
  process.exitCode = code === 0 ? 0 : 1;
}

await runAsProgram(import.meta.url, () => testOnNode(process.argv.slice(2)));
