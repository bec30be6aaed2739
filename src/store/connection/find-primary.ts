// Finds the primary among several servers, before every new connection, because a failover changes it.

import { setTimeout as sleep } from 'node:timers/promises';
import { postgres } from '../driver/index.js';
import type { DatabaseHost } from './database-url.js';

interface Found extends DatabaseHost {
  readonly timeline: number;
}

const CONNECT_SECONDS = 3;
/** After the first primary has answered: an old one that came back must not win because it is nearer. */
const GRACE_MS = 100;
/** A pool opens several connections at once. */
const KEPT_MS = 500;

/** Undefined if no server is a primary. Of two, the one with the newer history wins. */
export function createPrimaryFinder(
  hosts: readonly DatabaseHost[],
  url: string,
): () => Promise<DatabaseHost | undefined> {
  let finding: Promise<DatabaseHost | undefined> | undefined;
  const find = async (): Promise<DatabaseHost | undefined> => {
    const found: Found[] = [];
    await new Promise<void>((resolve) => {
      const asked = hosts.map(async (host) => {
        const timeline = await readTimeline(url, host).catch(() => undefined);
        if (timeline === undefined) return;
        found.push({ ...host, timeline });
        void sleep(GRACE_MS).then(() => resolve());
      });
      void Promise.all(asked).then(() => resolve());
    });
    return found.sort((one, other) => other.timeline - one.timeline)[0];
  };
  return () => {
    finding ??= find().finally(() => {
      setTimeout(() => {
        finding = undefined;
      }, KEPT_MS).unref();
    });
    return finding;
  };
}

/** Undefined for a standby. */
async function readTimeline(url: string, { host, port }: DatabaseHost): Promise<number | undefined> {
  const sql = postgres(url, {
    host,
    port,
    max: 1,
    prepare: false,
    connect_timeout: CONNECT_SECONDS,
    backoff: false,
    onnotice: () => {},
    connection: { application_name: 'postrider-find-primary', statement_timeout: CONNECT_SECONDS * 1000 },
  });
  try {
    const [row] = await sql<{ timeline: number | null }[]>`
      select case when not pg_is_in_recovery()
        then ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end as timeline`;
    return row?.timeline ?? undefined;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
