// The floor of acceptance as a program: see bare-server-main.ts.

import { fileURLToPath } from 'node:url';
import { readFirstLine, startProgram } from './program.js';

export interface BareServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startBareServer(secret: string): Promise<BareServer> {
  const main = fileURLToPath(new URL('./bare-server-main.js', import.meta.url));
  const program = startProgram(process.execPath, [main, secret], { stdio: ['ignore', 'pipe', 'inherit'] });
  return { url: await readFirstLine(program.child), stop: program.stop };
}
