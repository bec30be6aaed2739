// When keys were last used. Kept in memory and written once a minute, so that a request costs no write.

import type { Log } from '../domain/log.js';
import type { Sql } from '../store/connect.js';
import { noteKeysUsed } from '../store/operator/credential.js';

const WRITE_INTERVAL_MS = 60_000;

export interface KeyUsage {
  note(apiKey: string): void;
  /** Writes what is not written yet. */
  stop(): Promise<void>;
}

export function startKeyUsage(sql: Sql, log: Log, now: () => number): KeyUsage {
  let uses = new Map<string, number>();
  const write = async (): Promise<void> => {
    if (uses.size === 0) return;
    const written = uses;
    uses = new Map();
    // The next use writes it again: nothing depends on a time that is missing.
    await noteKeysUsed(sql, written).catch((err: unknown) => log.warn({ err }, 'last use of keys was not written'));
  };
  const timer = setInterval(() => void write(), WRITE_INTERVAL_MS);
  timer.unref();
  return {
    note: (apiKey) => void uses.set(apiKey, now()),
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
