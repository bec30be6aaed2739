// Compiles src to dist and tools to dist/tools, with the SQL files and the database driver next to the code that uses them, and the client package before it; renders the
// documentation, and bundles the console beside it. Nothing is done whose sources have not changed.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, fingerprint, installed, root, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

const sources = [
  'src',
  'tools',
  'packages/client/src',
  'packages/client/tsconfig.json',
  'packages/client/package.json',
];
/** What the documentation is rendered from, beside the sources. */
const pages = ['docs', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'packages/client/README.md'];
const texts = [...pages, 'ops', 'Dockerfile', 'compose.yaml'];
const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/build.mjs'];
const dist = join(root, 'dist');
const consoleFolder = join(root, 'packages', 'console');
const consoleDist = join(consoleFolder, 'dist');
const consoleSources = ['src', 'index.html', 'vite.config.ts', 'tsconfig.json', 'package.json'].map((name) =>
  join('packages', 'console', name),
);

/** What a build is made of: it is done anew when any of it has changed. */
const parts = {
  service: { folder: dist, from: [...sources, ...texts, ...settings] },
  console: {
    folder: consoleDist,
    from: [...consoleSources, 'packages/client/src', 'package-lock.json', 'scripts/build.mjs'],
  },
};

function isPartBuilt({ folder, from }) {
  const stampFile = join(folder, '.built-from');
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint(from);
}

export function isBuilt() {
  return Object.values(parts).every(isPartBuilt);
}

export async function build() {
  if (isBuilt()) return;
  console.log('Building');
  await Promise.all([
    isPartBuilt(parts.service) ? undefined : buildService(),
    isPartBuilt(parts.console) ? undefined : buildConsole(),
  ]);
}

async function buildService() {
  const builtFrom = fingerprint(parts.service.from);
  if (existsSync(join(root, 'packages/client/tsconfig.json'))) await compile(['-p', 'packages/client/tsconfig.json']);
  await buildAside(dist, builtFrom, async (draft) => {
    await compileProgram(draft);
    cpSync(join(root, 'src'), draft, {
      recursive: true,
      filter: (path) => statSync(path).isDirectory() || /\.(sql|js)$/.test(path),
    });
    await renderDocumentation(draft);
  });
}

async function buildConsole() {
  const builtFrom = fingerprint(parts.console.from);
  await buildAside(consoleDist, builtFrom, async (draft) => {
    const viteArguments = ['build', consoleFolder, '--outDir', draft, '--emptyOutDir', '--logLevel', 'error'];
    // Tests build it, too, and say that they are tests: the libraries would then be bundled with all that helps their developers,
    // half as large again and half as fast.
    const env = { ...process.env, NODE_ENV: 'production' };
    const { code, output } = await run(installed('vite'), viteArguments, { quietly: true, env });
    if (code !== 0) throw new Failure(`${output}\n\nThe build of the console failed: vite ${viteArguments.join(' ')}`);
  });
}

/** Built aside and swapped in, so that no file of an earlier build stays behind and no reader sees half of a build. */
async function buildAside(folder, builtFrom, fill) {
  const draft = `${folder}.building-${process.pid}`;
  try {
    await fill(draft);
    writeFileSync(join(draft, '.built-from'), builtFrom);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** By a program that is built like the rest and not kept: what it needs is not there where the service runs. */
async function renderDocumentation(draft) {
  const program = join(draft, 'tools', 'site', 'main.js');
  const { code, output } = await run(process.execPath, [program, join(draft, 'documentation')], { quietly: true });
  if (code !== 0) throw new Failure(`${output}\n\nThe build failed: the documentation could not be rendered`);
  rmSync(join(draft, 'tools', 'site'), { recursive: true });
}

/** The folders of the checkout as the code names them, where the build has them. */
const imports = { '#src/*': './*', '#tools/*': './tools/*' };

async function compileProgram(draft) {
  const compiled = `${draft}-compiled`;
  try {
    await compile(['-p', 'tsconfig.build.json', '--outDir', compiled]);
    liftSourceMaps(join(compiled, 'src'));
    renameSync(join(compiled, 'src'), draft);
    renameSync(join(compiled, 'tools'), join(draft, 'tools'));
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
  writeFileSync(join(draft, 'package.json'), JSON.stringify({ type: 'module', imports }));
}

/** The compiled files of `src` lie one folder higher than the compiler put them. */
function liftSourceMaps(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.js.map')) continue;
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"sources":["../', '"sources":["'));
  }
}

async function compile(compilerArguments) {
  const { code, output } = await run(installed('tsc'), compilerArguments, { quietly: true });
  if (code !== 0) throw new Failure(`${output}\n\nThe build failed: tsc ${compilerArguments.join(' ')}`);
}

await runAsProgram(import.meta.url, async () => {
  await install();
  await build();
});
