// Whether the database, and the processes that run on it, fit this release.

import { isAtMostOneReleaseApart } from '../../domain/release.js';
import { readNodes, type SeenNode } from '../node.js';
import type { Sql } from '../sql.js';
import { readPending } from './migrate.js';
import { MigrationError } from './migration.js';

export interface UpgradeFinding {
  readonly check: 'migrations' | 'processes' | 'transactions' | 'channels';
  /** False: do not start this release before it is put right. */
  readonly fits: boolean;
  readonly detail: string;
}

/** Older transactions delay a migration, which waits for them and lets traffic pass meanwhile. */
const LONG_TRANSACTION_SECONDS = 60;

export async function checkUpgrade(sql: Sql, version: string): Promise<UpgradeFinding[]> {
  const migrations = await checkMigrations(sql);
  if (!migrations.isOurs) return [migrations.finding];
  return [
    migrations.finding,
    checkProcesses(await readNodes(sql), version),
    await checkTransactions(sql),
    await checkChannels(sql),
  ];
}

/** `isOurs`: the tables that the other checks read are there. */
async function checkMigrations(sql: Sql): Promise<{ readonly finding: UpgradeFinding; readonly isOurs: boolean }> {
  const check = 'migrations' as const;
  try {
    const pending = await readPending(sql);
    if (pending === undefined) {
      return {
        isOurs: false,
        finding: { check, fits: true, detail: 'The database is empty: the first start creates the tables.' },
      };
    }
    const detail =
      pending.length === 0
        ? 'The database has all migrations of this release.'
        : `${pending.length} to apply: ${pending.join(', ')}. The running release goes on with them.`;
    return { isOurs: true, finding: { check, fits: true, detail } };
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return { isOurs: false, finding: { check, fits: false, detail: error.message } };
  }
}

function checkProcesses(nodes: readonly SeenNode[], version: string): UpgradeFinding {
  const alive = nodes.filter(({ is_alive }) => is_alive);
  const apart = alive.filter((node) => !isAtMostOneReleaseApart(node.version, version));
  const name = ({ node, version: own }: SeenNode) => `${node} (${own})`;
  if (apart.length > 0) {
    const detail = `More than one release from ${version}: ${apart.map(name).join(', ')}. Upgrade one release at a time.`;
    return { check: 'processes', fits: false, detail };
  }
  const others = alive.filter((node) => node.version !== version);
  const detail =
    others.length === 0
      ? `${alive.length} running, all of ${version}.`
      : `${alive.length} running, to be replaced by ${version}: ${others.map(name).join(', ')}. ` +
        'Until they have stopped, use no setting that they do not know.';
  return { check: 'processes', fits: true, detail };
}

async function checkTransactions(sql: Sql): Promise<UpgradeFinding> {
  const rows = await sql<{ pid: number; seconds: number; name: string }[]>`
    select pid, extract(epoch from now() - xact_start)::int as seconds, coalesce(application_name, '') as name
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and xact_start < now() - ${LONG_TRANSACTION_SECONDS} * interval '1 second'
    order by xact_start limit 5`;
  const detail =
    rows.length === 0
      ? 'No transaction is long.'
      : `These delay a migration: ${rows.map(({ pid, seconds, name }) => `${name} (pid ${pid}, ${seconds} s)`).join(', ')}.`;
  return { check: 'transactions', fits: true, detail };
}

async function checkChannels(sql: Sql): Promise<UpgradeFinding> {
  const [row] = await sql<{ state: string; reason: string | null }[]>`select state, reason from recovery`;
  const isOpen = row?.state === 'open';
  const detail = isOpen ? 'Channels are not held.' : `Channels are held (${row?.reason}): release them first.`;
  return { check: 'channels', fits: isOpen, detail };
}
