// Runs rounds of long work in one process at a time, in small steps with rests between them.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../store/sql.js';
import { holdWork, releaseWork } from '../../store/work-lease.js';

export interface SoleRunner {
  /** Does nothing while another process has the work. `rest` is called between the steps: it throws when the work was lost. */
  run(round: (rest: () => Promise<void>) => Promise<void>): Promise<void>;
  /** Leaves the work to other processes. Called when no round runs. */
  stop(): Promise<void>;
}

const REST_MS = 50;
const RENEW_MS = 20_000;

export function createSoleRunner(sql: Sql, work: string, signal: AbortSignal): SoleRunner {
  const holder = randomUUID();
  let isHeld = false;
  const hold = async (): Promise<boolean> => {
    isHeld = await holdWork(sql, work, holder);
    return isHeld;
  };
  return {
    async run(round) {
      if (!(await hold())) return;
      let heldMs = performance.now();
      const rest = async (): Promise<void> => {
        await sleep(REST_MS, undefined, { signal });
        if (performance.now() - heldMs < RENEW_MS) return;
        if (!(await hold())) throw new Error(`another process continues with ${work}`);
        heldMs = performance.now();
      };
      await round(rest).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
    async stop() {
      if (isHeld) await releaseWork(sql, work, holder);
    },
  };
}
