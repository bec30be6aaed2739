#!/usr/bin/env node
// The command runs what is built. A fresh checkout has nothing built yet, so it builds first, without a word.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/cli/main.js', import.meta.url);

if (!existsSync(built)) {
  const build = spawnSync(process.execPath, [fileURLToPath(new URL('../scripts/build.mjs', import.meta.url))], {
    encoding: 'utf8',
  });
  if (build.status !== 0 || !existsSync(built)) {
    console.error('postrider is not built yet, and building it failed. In the checkout, run: npm ci && npm run build');
    console.error(`${build.stdout ?? ''}${build.stderr ?? ''}`.trim());
    process.exit(1);
  }
}

const { main } = await import(built.href);
await main();
