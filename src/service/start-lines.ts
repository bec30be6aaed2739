// What a person sees when the service is up.

import { join, relative, resolve } from 'node:path';
import type { Config } from './config.js';
import type { DemoCredentials } from './demo.js';
import { DEMO_FILE } from './demo.js';

export function describeStart(config: Config, url: string, demo: DemoCredentials | undefined): string {
  const inDataDir = (name: string) => shorten(join(resolve(config.dataDir), name));
  const token = config.operatorToken === undefined ? inDataDir('operator-token') : 'as POSTRIDER_OPERATOR_TOKEN says';
  const lines = [`Postrider is ready on ${url}`, '', `  API reference     ${url}/docs`, `  Operator token    ${token}`];
  if (demo !== undefined) {
    lines.push(
      `  Demo credentials  ${inDataDir(DEMO_FILE)}`,
      '',
      'Send a message to a simulated handset and watch it arrive, in another terminal:',
      '',
      '  npx postrider send 13800139001 --var p1=Ann',
    );
  }
  return `\n${lines.join('\n')}\n\n`;
}

/** Below the working folder a path is shown from there: that is where the commands are typed. */
function shorten(path: string): string {
  const fromHere = relative('', path);
  return fromHere.startsWith('..') ? path : fromHere;
}
