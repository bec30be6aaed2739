// `npm run simulate`: builds, and looks for an order of events that breaks a promise. The options are those of tools/simulator/main.ts.
import { join } from 'node:path';
import { build } from './build.mjs';
import { root, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

async function simulate() {
  await install();
  await build();
  const { code } = await run(process.execPath, [join(root, 'dist/tools/simulator/main.js'), ...process.argv.slice(2)]);
  process.exitCode = code;
}

await runAsProgram(import.meta.url, simulate);
