// A database server that loses its backends, itself, or its disk.

import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseServer } from '../world/database-server.js';
import { type FaultKind, theDatabase } from './fault-kind.js';

const terminateBackends: FaultKind = {
  name: 'terminate-backends',
  weight: 2,
  lasts: [0, 0],
  targets: theDatabase,
  async strike({ world, dice }) {
    const share = dice.pick([0.2, 0.5, 1]);
    await world.database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'postrider' and random() < ${share}`;
  },
};

/** As a server does that has `idle_in_transaction_session_timeout`, or a failover: the function of the transaction runs on. */
const endIdleTransactions: FaultKind = {
  name: 'end-idle-transactions',
  weight: 1,
  lasts: [500, 3000],
  targets: theDatabase,
  async strike({ world, hold }) {
    let isHeld = true;
    const held = hold().finally(() => {
      isHeld = false;
    });
    while (isHeld) {
      await world.database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'postrider%' and state = 'idle in transaction'`;
      await sleep(20);
    }
    await held;
  },
};

/** The server ends all other sessions with it, and recovers. */
const killBackend: FaultKind = {
  name: 'kill-backend',
  weight: 1,
  lasts: [0, 0],
  targets: theDatabase,
  async strike({ world }) {
    const pid = await findBackend(world.database);
    if (pid !== undefined) sendSignal(pid, 'SIGKILL');
  },
};

/** Whatever it has locked stays locked meanwhile. */
const pauseBackend: FaultKind = {
  name: 'pause-backend',
  weight: 1.5,
  lasts: [500, 5000],
  targets: theDatabase,
  async strike({ world, hold }) {
    const pid = await findBackend(world.database);
    if (pid === undefined) return;
    sendSignal(pid, 'SIGSTOP');
    await hold();
    sendSignal(pid, 'SIGCONT');
  },
};

const stopServer: FaultKind = {
  name: 'stop-database',
  weight: 1.5,
  lasts: [500, 8000],
  targets: theDatabase,
  async strike({ world, hold }) {
    await world.database.stopAtOnce();
    await hold();
    await world.database.start();
  },
};

const fillDisk: FaultKind = {
  name: 'fill-disk',
  weight: 1,
  lasts: [1500, 5000],
  targets: ({ database }) => (database.whyNoFullDisk === undefined ? ['database'] : []),
  async strike({ world, hold }) {
    try {
      world.database.fillDisk();
      await hold();
    } finally {
      world.database.freeDisk();
    }
    // A server that could not write its log has ended itself.
    await world.database.start();
  },
};

export const DATABASE_FAULTS = [
  terminateBackends,
  endIdleTransactions,
  killBackend,
  pauseBackend,
  stopServer,
  fillDisk,
];

/** Rather one that is at work. */
async function findBackend({ sql }: DatabaseServer): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'postrider'
    order by (state <> 'idle') desc, random() limit 1`;
  return row?.pid;
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
