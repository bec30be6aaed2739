// Prepares a release: `node scripts/release.mjs 0.3.0`. Sets the version of all packages and SDKs, dates the "Unreleased" section of the
// changelog, commits and tags. Pushing is left to the person who releases.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, root, run, runAsProgram } from './checkout.mjs';

const packages = ['package.json', 'packages/client/package.json', 'packages/console/package.json'];

/** Where the SDKs have the version: in the code, in what describes the package, and in how it is installed. */
const sdkFiles = [
  'sdks/python/pyproject.toml',
  'sdks/python/src/postrider/_core.py',
  'sdks/go/client.go',
  'sdks/go/README.md',
  'sdks/java/pom.xml',
  'sdks/java/src/main/java/dev/postrider/Core.java',
  'sdks/java/README.md',
  'sdks/php/src/Base.php',
  'docs/sdks.md',
  'docs/zh/sdks.md',
];

async function git(...words) {
  const { code, output } = await run('git', words, { quietly: true });
  if (code !== 0) throw new Failure(`git ${words[0]} failed: ${output}`);
  return output;
}

/** Turns the "Unreleased" section into that of the version, and leaves an empty one above it. */
function dateChangelog(text, version, day) {
  const [before, after] = text.split(/^## \[?Unreleased\]?$/m);
  if (after === undefined) throw new Failure('CHANGELOG.md has no "## Unreleased" section.');
  const entries = after.split(/^## /m)[0].trim();
  if (entries === '') throw new Failure('CHANGELOG.md has nothing under "Unreleased": there is nothing to release.');
  return `${before}## Unreleased\n\n## ${version} - ${day}${after}`;
}

function compareVersions(left, right) {
  const [a, b] = [left, right].map((version) => version.split('.').map(Number));
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : a[at] - b[at];
}

/** Written directly: npm would look at every other entry, too. */
function lockVersion(version) {
  const file = join(root, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  lock.version = version;
  for (const path of packages) lock.packages[dirname(path).replace(/^\.$/, '')].version = version;
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
}

function readSdkFiles(current) {
  return sdkFiles.map((path) => {
    const file = join(root, path);
    const text = readFileSync(file, 'utf8');
    if (!text.includes(current)) throw new Failure(`${path} does not have the version ${current}.`);
    return { file, text };
  });
}

async function release() {
  const version = process.argv[2] ?? '';
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Failure('Usage: node scripts/release.mjs 1.2.3');
  const { version: current } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (compareVersions(version, current) <= 0) throw new Failure(`${version} is not newer than ${current}.`);
  if ((await git('status', '--porcelain')) !== '') throw new Failure('Commit or remove your changes first.');
  const changelog = join(root, 'CHANGELOG.md');
  const dated = dateChangelog(readFileSync(changelog, 'utf8'), version, new Date().toISOString().slice(0, 10));
  const sdkTexts = readSdkFiles(current);
  for (const path of packages) {
    const file = join(root, path);
    writeFileSync(file, readFileSync(file, 'utf8').replace(`"version": "${current}"`, `"version": "${version}"`));
  }
  for (const { file, text } of sdkTexts) writeFileSync(file, text.replaceAll(current, version));
  writeFileSync(changelog, dated);
  lockVersion(version);
  await git('commit', '--all', '--message', `Release ${version}`);
  await git('tag', '--annotate', `v${version}`, '--message', `Postrider ${version}`);
  console.log(`Committed and tagged v${version}. Check it with .ci/run, then push: git push --follow-tags`);
}

await runAsProgram(import.meta.url, release);
