// The Python SDK by the tools of its language: types, format, and the package as a stranger gets it.

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findMissing, version } from '../toolchain.js';
import { missingPython, python, pythonFolder } from './python.js';

/** Only against a tool that hangs: mypy reads the whole standard library the first time. */
const TIMEOUT_MS = 600_000;
const run = promisify(execFile);

const noMypy = missingPython ?? findMissing({ mypy: ['mypy', '--version'] });
test.skipIf(noMypy !== undefined)(
  `mypy --strict finds nothing${noMypy ? ` (no ${noMypy} here)` : ''}`,
  async () => {
    const { stdout } = await run('mypy', ['--strict'], { cwd: pythonFolder });
    expect(stdout).toContain('Success');
  },
  TIMEOUT_MS,
);

const noBlack = findMissing({ black: ['black', '--version'] });
test.skipIf(noBlack !== undefined)(`black would change nothing${noBlack ? ` (no ${noBlack} here)` : ''}`, async () => {
  const { stderr } = await run('black', ['--check', '.'], { cwd: pythonFolder });
  expect(stderr).toContain('would be left unchanged');
});

const venv = ['-c', 'import build, venv, ensurepip, setuptools, wheel'] as const;
const noBuild = missingPython ?? findMissing({ 'build, venv, setuptools and wheel': [python, ...venv] });
const packageTest = test.skipIf(noBuild !== undefined);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-python-package-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

packageTest(
  `an empty environment installs the wheel, with its types${noBuild ? ` (no ${noBuild} here)` : ''}`,
  async () => {
    // Built aside: setuptools writes beside what it builds.
    const source = join(folder, 'source');
    await cp(pythonFolder, source, { recursive: true, filter: (path) => !path.includes('__pycache__') });
    await run(python, ['-m', 'build', '--no-isolation', '--outdir', folder, source], { cwd: folder });
    const built = (await readdir(folder)).filter((name) => /\.(whl|tar\.gz)$/.test(name)).sort();
    expect(built).toEqual([`postrider-${version}-py3-none-any.whl`, `postrider-${version}.tar.gz`]);
    // What it depends on is there already: no registry is asked.
    const home = join(folder, 'venv');
    await run(python, ['-m', 'venv', '--system-site-packages', home], { cwd: folder });
    const own = join(home, 'bin/python');
    const wheel = join(folder, `postrider-${version}-py3-none-any.whl`);
    await run(own, ['-m', 'pip', 'install', '--no-index', '--no-deps', wheel], { cwd: folder });
    const program = `import postrider, pathlib
print(postrider.__version__, postrider.__file__, pathlib.Path(postrider.__file__).with_name("py.typed").exists())
try:
    postrider.Client("http://127.0.0.1:1", "key", "sk_secret", retry=postrider.RetryPolicy(attempts=1)).account()
except postrider.ConnectionFailedError as error:
    print(error.reason)
`;
    await writeFile(join(folder, 'program.py'), program);
    const { stdout } = await run(own, ['program.py'], { cwd: folder });
    expect(stdout).toContain(`${version} ${home}/lib/`);
    expect(stdout).toContain('True\nunreachable');
  },
);
