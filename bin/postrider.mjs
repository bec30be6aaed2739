#!/usr/bin/env node
// The command runs what is built. A fresh checkout has nothing built yet, so it builds first, and says so where it is in no
// program's way.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/cli/main.js', import.meta.url);

if (!existsSync(built)) {
  const script = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));
  const build = spawnSync(process.execPath, [script], { stdio: ['ignore', process.stderr.fd, process.stderr.fd] });
  if (build.status !== 0 || !existsSync(built)) process.exit(build.status || 1);
}

const { main } = await import(built.href);
await main();
