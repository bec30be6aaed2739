// A limit of requests per second holds over all machines: each machine gets a part, by its share of all live processes.

import { setTimeout as sleep } from 'node:timers/promises';
import type { MachineShare } from '../http/limits/rate-limit.js';
import { countApiNodes } from '../store/node.js';
import type { Sql } from '../store/sql.js';

export interface ShareWatchOptions {
  readonly sql: Sql;
  /** Of this machine. */
  readonly processes: number;
  readonly share: MachineShare;
}

const INTERVAL_MS = 5000;

export function startShareWatch({ sql, processes, share }: ShareWatchOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const watch = async (): Promise<void> => {
    // The processes of this machine may not have sent a heartbeat yet.
    share.part = processes / Math.max(processes, await countApiNodes(sql));
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // Without the database no request is accepted, and the part stays as it was.
      await watch().catch(() => undefined);
      await sleep(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await Promise.race([running, sleep(1000, undefined, { ref: false })]);
    },
  };
}
