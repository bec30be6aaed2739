// Installs the toolchains that the tests of the SDKs use, where this is a Debian that can reach its packages. Without them
// those tests are skipped; so this never fails, and says in one line what is missing.
import { execFileSync } from 'node:child_process';

const packages = {
  java: ['default-jdk-headless'],
  python: [
    'python3',
    'python3-httpx',
    'python3-venv',
    'python3-pip',
    'python3-build',
    'python3-setuptools',
    'python3-wheel',
    'mypy',
    'black',
  ],
  go: ['golang-go'],
  php: [
    'php-cli',
    'php-curl',
    'php-mbstring',
    'php-psr-http-message',
    'php-psr-http-client',
    'php-codesniffer',
    'composer',
  ],
};

function isInstalled(name) {
  try {
    const status = execFileSync('dpkg-query', ['-W', '-f', '$' + '{Status}', name], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return status.endsWith(' installed');
  } catch {
    return false;
  }
}

function runApt(words) {
  execFileSync('apt-get', ['-q', '-y', '-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=15', ...words], {
    stdio: 'pipe',
    timeout: 600_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

const missing = Object.values(packages)
  .flat()
  .filter((name) => !isInstalled(name));
if (missing.length > 0) {
  try {
    runApt(['update']);
    runApt(['install', '--no-install-recommends', ...missing]);
    console.log(`Installed for the tests of the SDKs: ${missing.join(' ')}`);
  } catch (error) {
    console.log(`Not installed for the tests of the SDKs: ${missing.join(' ')} (${error.message.split('\n')[0]})`);
  }
}
