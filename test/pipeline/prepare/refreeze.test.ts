// When a request to try waiting tasks again is done.

import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createRefreezeRound } from '../../../src/pipeline/prepare/refreeze.js';
import { createQuarantine } from '../../../src/pipeline/quarantine/quarantine.js';
import type { Wake } from '../../../src/pipeline/wake.js';
import type { Snapshot } from '../../../src/store/snapshot/snapshot.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase } from '../../support/database.js';

/** A task takes 95, another one finds too little, and then there is more. */
const CHANGES: readonly [name: string, change: (sql: Sql) => Promise<unknown>][] = [
  [
    'a top-up',
    async (sql) => {
      await sql`
        insert into ledger_entry (customer_id, seq, type, amount, task_id, numbers, available_delta, frozen_delta, available_after, frozen_after, created_at)
        values (1, 1, 'freeze', 95, 1, 1, -95, 95, 5, 95, now()), (1, 2, 'topup', 30, null, null, 30, 0, 35, 95, now())`;
      await sql`update account set available = 35, frozen = 95, entry_seq = 2`;
    },
  ],
  [
    'more credit',
    async (sql) => {
      await sql`
        insert into ledger_entry (customer_id, seq, type, amount, task_id, numbers, available_delta, frozen_delta, available_after, frozen_after, created_at)
        values (1, 1, 'freeze', 95, 1, 1, -95, 95, 5, 95, now())`;
      await sql`update account set available = 5, frozen = 95, entry_seq = 1, credit_limit = 30`;
    },
  ],
];

test.each(CHANGES)(
  '%s while the round ends is not missed, although the balance was higher before',
  async (_, change) => {
    const { sql, drop } = await createTestDatabase();
    onTestFinished(drop);
    await sql`insert into account (bucket, customer_id, available, wants_refreeze) values (0, 1, 100, true)`;
    let begins = 0;
    const changing = new Proxy(sql, {
      get: (target, name) =>
        name !== 'begin'
          ? Reflect.get(target, name)
          : async (run: Parameters<Sql['begin']>[0]) => {
              begins += 1;
              if (begins === 1) await change(sql);
              return await target.begin(run as never);
            },
    }) as Sql;
    const round = createRefreezeRound({
      sql: changing,
      snapshot: () => ({ customer: () => ({}) }) as unknown as Snapshot,
      wake: { notify() {} } as Partial<Wake> as Wake,
      quarantine: createQuarantine({
        now: Date.now,
        log: pino({ level: 'silent' }),
      }),
    });
    const isWanted = async () => (await sql`select wants_refreeze as wanted from account`)[0]?.wanted;
    await round(0);
    expect([begins, await isWanted()]).toEqual([1, true]);
    await round(0);
    expect(await isWanted()).toBe(false);
  },
);
