import { expect, onTestFinished, test } from 'vitest';
import type { Happening } from '../../../src/domain/happening.js';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { makeRecorder } from '../../../src/pipeline/settle/recorder.js';
import { chunkOf } from '../../support/chunk-of.js';
import { createTestDatabase } from '../../support/database.js';

function makeReport(customerId = 1n): Happening {
  const numbers = { seq: [1], phone: ['13800000000'], to: ['8613800000000'], text: 'Hello', parts: [1] };
  const chunk = chunkOf({ customerId: asCustomerId(customerId), taskId: asTaskId(1n), queueNo: 0n, numbers });
  return { chunk, index: 0, part: 1, event: { kind: 'reported', status: 'delivered' }, channelId: 1n };
}

test('once this process has closed its connections, nothing waits for the database any more', async () => {
  const database = await createTestDatabase();
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const { signal } = new AbortController();
  const recorder = makeRecorder({ sql: database.sql, limits, concurrency: 1, signal });
  // A stop that finds the database silent closes them before it asks anybody to be patient no longer.
  await database.drop();
  await expect(recorder.record([makeReport()])).rejects.toMatchObject({ code: 'CONNECTION_ENDED' });
  await recorder.idle();
});

test('what goes beside does not wait for the transaction that is under way, and stopping waits for it', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  await database.sql`insert into account (bucket, customer_id) values (0, 1), (0, 2)`;
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const recorder = makeRecorder({ sql: database.sql, limits, concurrency: 1, signal: new AbortController().signal });
  const order: string[] = [];
  // Somebody else holds the first account.
  await database.sql.begin(async (tx) => {
    await tx`select 1 from account where customer_id = 1 for update`;
    recorder.add([makeReport()], undefined, () => order.push('in line'));
    await new Promise<void>((resolve) => {
      recorder.addBeside([makeReport(2n)], undefined, () => {
        order.push('beside');
        resolve();
      });
    });
  });
  recorder.addBeside([makeReport(2n)], undefined, () => order.push('beside again'));
  await recorder.idle();
  expect([order[0], order.length]).toEqual(['beside', 3]);
});

test('what was set aside is written in a transaction of its own, in its turn', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  await database.sql`insert into account (bucket, customer_id) values (0, 1)`;
  const limits = { receiptTimeoutMs: 60_000, unknownTimeoutMs: 60_000 };
  const { signal } = new AbortController();
  const commits: number[] = [];
  const onCommit = (happenings: number) => void commits.push(happenings);
  const recorder = makeRecorder({ sql: database.sql, limits, concurrency: 1, signal, onCommit });
  const reports = (count: number) => Array.from({ length: count }, () => makeReport());
  recorder.add(reports(1), undefined, () => {});
  recorder.add(reports(2), undefined, () => {});
  recorder.addApart(reports(4), undefined, () => {});
  recorder.add(reports(8), undefined, () => {});
  await recorder.idle();
  expect(commits).toEqual([3, 4, 8]);
});
