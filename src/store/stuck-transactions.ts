// The server ends idle transactions of a process that stands still, stopped or swapped out, and others get their locks. It does not if the
// process was stopped between the two halves of a statement that its connection met for the first time: that transaction counts as active,
// waits for its client, and no timeout reaches it. So every process checks whether such a transaction blocks others, and ends it.

import type { Log } from '../domain/log.js';
import type { Sql } from './sql.js';

const LOOK_MS = 1000;
/** As long as the server waits for one that is idle. */
const STUCK_MS = 4000;
/** Shorter waits are normal, and looking for their cause costs more than it gives. */
const WAITED_MS = 2000;

/** Until the signal. Through connections that wait for no locks themselves. */
export function watchStuckTransactions(sql: Sql, log: Pick<Log, 'warn'>, signal: AbortSignal): void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const ended = await endStandstills(sql);
      if (ended > 0)
        log.warn({ ended }, 'ended transactions of a process that stands still, which kept others waiting');
    } catch {
      // The database is away, which other loops report.
    } finally {
      isLooking = false;
    }
  };
  const looking = setInterval(() => void look(), LOOK_MS).unref();
  signal.addEventListener('abort', () => clearInterval(looking), { once: true });
}

async function endStandstills(sql: Sql): Promise<number> {
  const rows = await sql`
    select pg_terminate_backend(held.pid)
    from (
      select distinct unnest(pg_blocking_pids(pid)) as pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and state_change < now() - ${WAITED_MS} * interval '1 millisecond'
    ) as blocking
    join pg_stat_activity held on held.pid = blocking.pid
    where held.usename = current_user and held.state = 'active' and held.wait_event = 'ClientRead'
      and held.state_change < now() - ${STUCK_MS} * interval '1 millisecond'`;
  return rows.length;
}
