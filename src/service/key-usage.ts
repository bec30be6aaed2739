// When keys were last used, to the minute. Kept in memory and written at most once a second and once a minute for each key, so that
// a request costs no write.

import type { Log } from '../domain/log.js';
import { noteKeysUsed } from '../store/operator/credential.js';
import type { Sql } from '../store/sql.js';

const WRITE_INTERVAL_MS = 1_000;
const MINUTE_MS = 60_000;

export interface KeyUsage {
  note(apiKey: string): void;
  /** Writes what is not written yet. */
  stop(): Promise<void>;
}

export function startKeyUsage(sql: Sql, log: Log, now: () => number): KeyUsage {
  let minute = 0;
  /** Those that are written, or about to be, in this minute. */
  const seen = new Set<string>();
  let uses = new Map<string, number>();
  const note = (apiKey: string): void => {
    const usedAtMs = now();
    if (minute !== Math.floor(usedAtMs / MINUTE_MS)) {
      minute = Math.floor(usedAtMs / MINUTE_MS);
      seen.clear();
    }
    if (seen.has(apiKey)) return;
    seen.add(apiKey);
    uses.set(apiKey, usedAtMs);
  };
  const write = async (): Promise<void> => {
    if (uses.size === 0) return;
    const written = uses;
    uses = new Map();
    // The next minute writes it again: nothing depends on a time that is missing.
    await noteKeysUsed(sql, written).catch((err: unknown) => log.warn({ err }, 'last use of keys was not written'));
  };
  const timer = setInterval(() => void write(), WRITE_INTERVAL_MS);
  timer.unref();
  return {
    note,
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
