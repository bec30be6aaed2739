// What push rests on: for one customer, the order of record ids is the order of commits. A reader that remembers the last id
// it saw, and looks again at any moment, misses nothing.

import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asCustomerId, asTaskId, type CustomerId } from '../../../src/domain/id.js';
import { type Account, nextRecordId } from '../../../src/domain/money/ledger.js';
import { ZERO } from '../../../src/domain/money/money.js';
import type { Receipt } from '../../../src/domain/record/records.js';
import { lockAccounts, writeAccounts } from '../../../src/store/money/account.js';
import { ensurePartitions } from '../../../src/store/partitions.js';
import { runTogether } from '../../../src/store/run-together.js';
import { insertReceipts } from '../../../src/store/wire/records.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
const customers = [asCustomerId(901n), asCustomerId(902n)] as const;

beforeAll(async () => {
  database = await createTestDatabase({ maxConnections: 10 });
  await ensurePartitions(database.sql, new Date());
  for (const customerId of customers) {
    await database.sql`
      insert into customer (customer_id, customer_no, name, status, currency, billing_mode, credit_limit, charge_on,
        refund_on_failure, unit_price, policy_prepare, policy_freeze, policy_submit, requests_per_second, version)
      overriding system value
      values (${customerId}, ${`C${customerId}`}, 'Order', 'active', 'CNY', 'prepaid', 0, 'submit', false, 0, 'by_request',
        'by_request', 'by_request', 1, 1)`;
    await database.sql`insert into account (customer_id) values (${customerId}) on conflict do nothing`;
  }
});
afterAll(() => database.drop());

interface Writer {
  readonly of: readonly number[];
  readonly records: number;
  readonly beforeMs: number;
  readonly insideMs: number;
  readonly rollsBack: boolean;
}

const writer = fc.record({
  of: fc.constantFrom([0], [1], [0, 1]),
  records: fc.integer({ min: 1, max: 5 }),
  beforeMs: fc.integer({ min: 0, max: 8 }),
  insideMs: fc.integer({ min: 0, max: 8 }),
  rollsBack: fc.boolean(),
});

class RolledBack extends Error {}

/** A transaction as the pipeline makes them: locks, numbers, inserts, and takes its time anywhere. */
async function write({ of, records, beforeMs, insideMs, rollsBack }: Writer): Promise<void> {
  const ids = of.map((index) => customers[index] ?? customers[0]);
  await sleep(beforeMs);
  await database.sql
    .begin(async (tx) => {
      const { accounts, now } = await lockAccounts(tx, 0, ids);
      await sleep(insideMs);
      const rows = ids.flatMap((customerId) => Array.from({ length: records }, () => receiptOf(customerId)));
      const numbers = rows.map(({ customerId }) => nextRecordId(accounts.get(customerId) as Account, now));
      await runTogether(tx, [insertReceipts(tx, 0, rows, numbers), ...writeAccounts(tx, 0, accounts.values())]);
      await sleep(insideMs);
      if (rollsBack) throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
}

function receiptOf(customerId: CustomerId): Receipt {
  const outcome = { firm: null, result: 'rejected', code: null, submittedAt: null, doneAt: null } as const;
  return { customerId, taskId: asTaskId(1n), seq: 1, parts: 0, phoneKey: '1', price: ZERO, phone: '1', ...outcome };
}

async function readAfter(customerId: CustomerId, position: bigint): Promise<bigint[]> {
  const rows = await database.sql<{ id: bigint }[]>`
    select receipt_id as id from receipt where bucket = 0 and customer_id = ${customerId} and receipt_id > ${position}
    order by receipt_id`;
  return rows.map(({ id }) => id);
}

it('a reader with a position sees every record once, whatever commits while it reads', async () => {
  const positions = new Map(customers.map((customerId): [CustomerId, bigint] => [customerId, 0n]));
  const seen = new Map(customers.map((customerId): [CustomerId, bigint[]] => [customerId, []]));
  const look = async (): Promise<void> => {
    for (const customerId of customers) {
      const found = await readAfter(customerId, positions.get(customerId) ?? 0n);
      seen.get(customerId)?.push(...found);
      positions.set(customerId, found.at(-1) ?? positions.get(customerId) ?? 0n);
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 4, maxLength: 16 }), async (writers) => {
      let isWriting = true;
      const writing = Promise.all(writers.map(write)).finally(() => {
        isWriting = false;
      });
      while (isWriting) await look();
      await writing;
      await look();
      for (const customerId of customers) expect(seen.get(customerId)).toEqual(await readAfter(customerId, 0n));
    }),
    { numRuns: 25 },
  );
});

it('ids rise also when the clock is set back', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 42 }), { minLength: 2, maxLength: 50 }), (times) => {
      const account = { recordId: 0n } as Account;
      const ids = times.map((ms) => nextRecordId(account, new Date(ms)));
      for (const [at, id] of ids.entries()) if (at > 0) expect(id).toBeGreaterThan(ids[at - 1] ?? 0n);
    }),
  );
});
