// Of a process that stands still, stopped or swapped out, the server ends the transactions that it takes to be idle, and others get
// their locks. It does not where the process was stopped between the two halves of a statement that its connection met for the
// first time: that transaction counts as being at work, waits for its client for as long as that stands still, and no timeout
// reaches it there. So every process looks whether something like it keeps others waiting, and ends it.

import type { Log } from '../domain/log.js';
import type { Sql } from './sql.js';

const LOOK_MS = 1000;
/** As long as the server waits for one that is idle. */
const STUCK_MS = 4000;
/** Who waits for less is as a rule served in a moment, and who keeps it waiting is not worth finding out. */
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
      // The database is away, which others tell.
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
