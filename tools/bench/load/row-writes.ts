// The rows of a number that goes well, written by the statements of the service with all their indexes, and nothing else.

import { asCustomerId, asTaskId } from '#src/domain/id.js';
import { moneyFromMillionths } from '#src/domain/money/money.js';
import { runTogether } from '#src/store/run-together.js';
import type { AnySql, Sql } from '#src/store/sql.js';
import { insertReceipts, insertSubmits } from '#src/store/wire/records.js';
import { placeReports } from '#src/store/wire/reports.js';

const BUCKET = 0;
const CUSTOMER_ID = asCustomerId(1n);
const BATCH = 500;
const NUMBERS_PER_TASK = 5000;
const PRICE = moneyFromMillionths(50_000n);

/** The inserts take their bucket from an account. */
export async function prepareRowWrites(sql: Sql): Promise<void> {
  await sql`insert into account (bucket, customer_id) values (${BUCKET}, ${CUSTOMER_ID})`;
}

export interface RowWrites {
  readonly numbers: number;
  /** Ids of different rounds differ. */
  readonly round: number;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export async function writeRows(sql: Sql, { numbers, round, signal, progress }: RowWrites): Promise<void> {
  for (let start = 0; start < numbers; start += BATCH) {
    signal.throwIfAborted();
    const now = new Date();
    const rows = createRows(Math.min(BATCH, numbers - start), start, round, now);
    const first = BigInt(round * 10_000_000 + start);
    const ids = rows.map((_, index) => (BigInt(now.getTime()) << 20n) | ((first + BigInt(index)) & 0xfffffn));
    const submits = rows.map((row) => ({ ...row, status: 'accepted' as const, submittedAt: now.getTime() }));
    const deliveries = rows.map((row) => ({ ...row, status: 'delivered' as const }));
    const receipts = rows.map((row) => ({ ...row, price: PRICE, result: 'delivered' as const, submittedAt: now }));
    const { ofReceipts } = placeReports(deliveries, ids, receipts);
    const write = (tx: AnySql) =>
      runTogether(tx, [
        insertSubmits(tx, BUCKET, submits, ids),
        insertReceipts(tx, BUCKET, receipts, ids, [], ofReceipts),
      ]);
    await sql.begin(write);
    progress(`row writes: ${start + rows.length} of ${numbers} numbers`);
  }
}

function createRows(count: number, start: number, round: number, now: Date) {
  const taskId = asTaskId(BigInt(round * 1_000_000 + Math.floor(start / NUMBERS_PER_TASK)));
  return Array.from({ length: count }, (_, index) => {
    const phone = String(8_613_000_000_000 + Math.floor(Math.random() * 1_000_000_000));
    const seq = start + index + 1;
    return {
      customerId: CUSTOMER_ID,
      taskId,
      seq,
      part: 1,
      parts: 1,
      phone,
      phoneKey: phone,
      firm: 'bench',
      code: 'DELIVRD',
      channelId: 1n,
      upstreamMessageId: `bench-${round}-${seq}`,
      answeredAt: now,
      doneAt: now,
    };
  });
}
