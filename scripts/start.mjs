// From a fresh checkout to a running service. The service runs in this very process: signals and the exit code are its own.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, isBuilt } from './build.mjs';
import { reportEnd, root } from './checkout.mjs';
import { install } from './install.mjs';

try {
  await install({ withDevelopment: !isBuilt() });
  await build();
} catch (error) {
  process.exit(reportEnd(error));
}

const main = join(root, 'dist', 'main.js');
process.argv[1] = main;
process.setSourceMapsEnabled(true);
await import(pathToFileURL(main).href);
