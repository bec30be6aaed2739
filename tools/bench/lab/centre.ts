// The message centre of a measurement: `postrider smsc` in a separate process.

import { join } from 'node:path';
import { checkoutFolder } from '#src/service/checkout.js';
import { readFirstLine, startProgram } from './program.js';

export interface BenchCentre {
  readonly port: number;
  /** How many submits it has accepted. */
  countAccepted(): Promise<number>;
  stop(): Promise<void>;
}

export async function startBenchCentre(): Promise<BenchCentre> {
  const words = ['smsc', '--port', '0', '--no-test-numbers', '--with-parent'];
  const program = startProgram(process.execPath, [join(checkoutFolder, 'bin/postrider.mjs'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ports = JSON.parse(await readFirstLine(program.child)) as { smpp: number; counts: number };
  return {
    port: ports.smpp,
    async countAccepted() {
      const answer = await fetch(`http://127.0.0.1:${ports.counts}/counts`);
      return ((await answer.json()) as { accepted: number }).accepted;
    },
    stop: program.stop,
  };
}
