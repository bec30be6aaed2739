// A database that is slow but not down: tables locked, every backend halting again and again, an old snapshot that keeps dead
// rows in the way.

import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase } from '../../../src/store/connect.js';
import { OLD_SNAPSHOT } from '../history.js';
import { sendSignal } from './database-faults.js';
import { type FaultKind, theDatabase } from './fault-kind.js';

/** Share mode stops writes and lets reads pass, as an index build without `concurrently` does; exclusive mode stops both. */
const LOCKS = ['share', 'access exclusive'] as const;
const TABLES = ['submit', 'receipt', 'account', 'task', 'chunk', 'ledger_entry', 'webhook_cursor'] as const;

const lockTable: FaultKind = {
  name: 'lock-table',
  weight: 2,
  lasts: [1000, 10_000],
  targets: theDatabase,
  async strike({ world, dice, hold }) {
    const [table, mode] = [dice.pick(TABLES), dice.pick(LOCKS)];
    await world.database.sql.begin(async (tx) => {
      // It queues behind the holder of the table, and everything else queues behind it.
      await tx`set local idle_in_transaction_session_timeout = 0`;
      await tx`set local lock_timeout = '10s'`;
      await tx.unsafe(`lock table ${table} in ${mode} mode`);
      await hold();
    });
  },
};

/** Every statement takes a good deal longer, and none fails: a saturated disk, a synchronous standby far away. */
const slowDatabase: FaultKind = {
  name: 'slow-database',
  weight: 1.5,
  lasts: [2000, 10_000],
  targets: theDatabase,
  async strike({ world, dice, hold }) {
    const [haltMs, runMs] = [dice.between(50, 1500), dice.between(10, 100)];
    let isHeld = true;
    const held = hold().finally(() => {
      isHeld = false;
    });
    while (isHeld) {
      const rows = await world.database.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name like 'postrider%'`;
      try {
        for (const { pid } of rows) sendSignal(pid, 'SIGSTOP');
        await Promise.race([sleep(haltMs), held]);
      } finally {
        for (const { pid } of rows) sendSignal(pid, 'SIGCONT');
      }
      await sleep(runMs);
    }
    await held;
  },
};

/** As `pg_dump` or a long report does. It strikes beside other faults, for it harms nothing but what must be skipped. */
const holdSnapshot: FaultKind = {
  name: 'hold-snapshot',
  weight: 1,
  lasts: [20_000, 120_000],
  targets: () => [OLD_SNAPSHOT],
  async strike({ world, hold }) {
    const options = { maxConnections: 1, statementTimeoutMs: 0, applicationName: 'snapshot' };
    const sql = connectDatabase(world.database.address, options);
    try {
      await sql.begin('isolation level repeatable read', async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`;
        await tx`select count(*) from task`;
        await hold();
      });
    } finally {
      await sql.end({ timeout: 1 });
    }
  },
};

export const STALL_FAULTS = [lockTable, slowDatabase, holdSnapshot];
