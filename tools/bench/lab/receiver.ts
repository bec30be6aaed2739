// The receiver of webhooks as a program: see receiver-main.ts.

import { fileURLToPath } from 'node:url';
import { readFirstLine, startProgram } from './program.js';

export interface BenchReceiver {
  readonly url: string;
  /** How many receipts it received. */
  countReceived(): Promise<number>;
  stop(): Promise<void>;
}

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const main = fileURLToPath(new URL('./receiver-main.js', import.meta.url));
  const program = startProgram(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await readFirstLine(program.child);
  return {
    url,
    async countReceived() {
      return ((await (await fetch(url)).json()) as { received: number }).received;
    },
    stop: program.stop,
  };
}
