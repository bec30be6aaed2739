// `npm run drill -- failover`: tries what production meets rarely, with real servers, and prints how long it took. The drills are long tests as well.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { Failure, installed, root, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

const FOLDER = 'test/drills';
const SUFFIX = '.long.test.ts';

async function drill() {
  const names = readdirSync(join(root, FOLDER))
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length));
  const [name, ...others] = process.argv.slice(2);
  if (others.length > 0 || !names.includes(name)) throw new Failure(`npm run drill -- ${names.join('|')}`);
  await install();
  await build();
  const { code } = await run(installed('vitest'), ['run', `${FOLDER}/${name}${SUFFIX}`]);
  process.exitCode = code;
}

await runAsProgram(import.meta.url, drill);
