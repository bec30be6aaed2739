// Everything that can be found without running the code: types, style and import directions, what is not used. All of it
// runs, whatever fails.
import { readdirSync } from 'node:fs';
import { build } from './build.mjs';
import { installed, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

/** A second check takes a seventh of the processor time of the first. */
function checkTypes(project, cache) {
  return ['-p', project, '--incremental', '--tsBuildInfoFile', `node_modules/.cache/${cache}.tsbuildinfo`];
}

const checks = [
  { name: 'types', program: 'tsc', programArguments: checkTypes('tsconfig.json', 'types') },
  {
    name: 'types of the console',
    program: 'tsc',
    programArguments: checkTypes('packages/console/tsconfig.json', 'types-of-the-console'),
  },
  { name: 'style and imports', program: 'biome', programArguments: ['ci', '--error-on-warnings', '.'] },
  { name: 'unused', program: 'knip', programArguments: [] },
];

/** Others land migrations too: the next free number is known only now. */
function findMisnumbered() {
  const names = readdirSync(new URL('../src/store/migrations/', import.meta.url)).sort();
  const at = names.findIndex((name, index) => Number(name.slice(0, 4)) !== index + 1);
  if (at === -1) return '';
  const number = String(at + 1).padStart(4, '0');
  return `src/store/migrations/${names[at]} must be number ${number}: migrations are numbered without gaps. git mv it, then npm run schema.`;
}

async function check() {
  await install();
  const results = [];
  const fault = await build().then(
    () => '',
    (error) => error.message,
  );
  results.push({ name: 'build', code: fault === '' ? 0 : 1, output: fault });
  const misnumbered = findMisnumbered();
  results.push({ name: 'migrations', code: misnumbered === '' ? 0 : 1, output: misnumbered });
  for (const { name, program, programArguments } of checks) {
    results.push({ name, ...(await run(installed(program), programArguments, { quietly: true })) });
  }
  for (const { name, code, output } of results) if (code !== 0) console.log(`--- ${name}\n${output}\n`);
  for (const { name, code } of results) console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;
}

await runAsProgram(import.meta.url, check);
