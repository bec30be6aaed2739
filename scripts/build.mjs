// Compiles src to dist, with the SQL files next to the code that reads them, and the client package before it; then renders the
// documentation. Does nothing when nothing has changed.
import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, fingerprint, installed, root, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

const sources = ['src', 'packages/client/src', 'packages/client/tsconfig.json', 'packages/client/package.json'];
/** What the documentation is rendered from, beside the sources. */
const pages = ['docs', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'packages/client/README.md'];
const texts = [...pages, 'ops', 'Dockerfile', 'compose.yaml'];
const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/build.mjs'];
const dist = join(root, 'dist');
const stampFile = join(dist, '.built-from');

export function isBuilt() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint([...sources, ...texts, ...settings]);
}

export async function build() {
  if (isBuilt()) return;
  const builtFrom = fingerprint([...sources, ...texts, ...settings]);
  console.log('Building');
  if (existsSync(join(root, 'packages/client/tsconfig.json'))) await compile(['-p', 'packages/client/tsconfig.json']);
  // Built aside and swapped in, so that no file of an earlier build stays behind and nobody sees half of a build.
  const draft = join(root, `dist.building-${process.pid}`);
  try {
    await compile(['-p', 'tsconfig.build.json', '--outDir', draft]);
    cpSync(join(root, 'src'), draft, {
      recursive: true,
      filter: (path) => statSync(path).isDirectory() || path.endsWith('.sql'),
    });
    await renderDocumentation(draft);
    writeFileSync(join(draft, '.built-from'), builtFrom);
    rmSync(dist, { recursive: true, force: true });
    renameSync(draft, dist);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** By a program that is built like the rest and not kept: what it needs is not there where the service runs. */
async function renderDocumentation(draft) {
  const program = join(draft, 'site', 'main.js');
  const { code, output } = await run(process.execPath, [program, join(draft, 'documentation')], { quietly: true });
  if (code !== 0) throw new Failure(`${output}\n\nThe build failed: the documentation could not be rendered`);
  rmSync(join(draft, 'site'), { recursive: true });
}

async function compile(compilerArguments) {
  const { code, output } = await run(installed('tsc'), compilerArguments, { quietly: true });
  if (code !== 0) throw new Failure(`${output}\n\nThe build failed: tsc ${compilerArguments.join(' ')}`);
}

await runAsProgram(import.meta.url, async () => {
  await install();
  await build();
});
