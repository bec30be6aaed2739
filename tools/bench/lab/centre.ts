// The message centre of a measurement, in a separate process.

import { join } from 'node:path';
import { checkoutFolder } from '#src/service/checkout.js';
import { readFirstLine, startProgram } from './program.js';

export interface BenchCentre {
  readonly port: number;
  /** How many submits it has accepted. */
  countAccepted(): Promise<number>;
  stop(): Promise<void>;
}

export type CentreKind = 'smpp' | 'cmpp' | 'sgip' | 'smgp' | 'http';

/** `postrider smsc`, or the message centre of another kind. */
export async function startBenchCentre(
  kind: CentreKind = 'smpp',
  port = 0,
  more: readonly string[] = [],
): Promise<BenchCentre> {
  const command = kind === 'smpp' ? ['smsc'] : ['message-centre', kind];
  const words = [...command, '--port', String(port), '--no-test-numbers', '--with-parent', ...more];
  const program = startProgram(process.execPath, [join(checkoutFolder, 'bin/postrider.mjs'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ports = JSON.parse(await readFirstLine(program.child)) as Record<CentreKind | 'counts', number>;
  return {
    port: ports[kind],
    async countAccepted() {
      const answer = await fetch(`http://127.0.0.1:${ports.counts}/counts`);
      return ((await answer.json()) as { accepted: number }).accepted;
    },
    stop: program.stop,
  };
}
