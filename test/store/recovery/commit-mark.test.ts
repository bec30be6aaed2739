// Marks of processes that ended long ago go; those that a retry may still read stay.

import { expect, onTestFinished, test } from 'vitest';
import { deleteOldCommitMarks } from '../../../src/store/recovery/commit-mark.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase } from '../../support/database.js';
import { startService } from '../../support/service.js';
import { until } from '../../support/until.js';

const DAY_MS = 86_400_000;
const PROCESS = '5d2a0000-0000-4000-8000-000000000001';

async function insertMarks(sql: Sql): Promise<void> {
  await sql`
    insert into commit_mark (bucket, process, slot, number, marked_at)
    values (0, ${PROCESS}, 1, 7, now() - interval '31 days'), (0, ${PROCESS}, 2, 8, now() - interval '29 days'),
      (1, ${PROCESS}, 1, 9, now() - interval '31 days')`;
}

async function readNumbers(sql: Sql): Promise<number[]> {
  const rows = await sql<{ number: bigint }[]>`
    select number from commit_mark where process = ${PROCESS} order by number`;
  return rows.map(({ number }) => Number(number));
}

test('marks that are 30 days old are deleted, of their bucket alone', async () => {
  const { sql, drop } = await createTestDatabase();
  onTestFinished(drop);
  await insertMarks(sql);
  expect(await deleteOldCommitMarks(sql, 0, 30 * DAY_MS)).toBe(false);
  expect(await readNumbers(sql)).toEqual([8, 9]);
});

test('the service deletes them', async () => {
  const service = await startService({ before: ({ sql }) => insertMarks(sql) });
  onTestFinished(() => service.stop());
  await service.addCustomer();
  await until(async () => !(await readNumbers(service.sql)).includes(7));
  expect(await readNumbers(service.sql)).toEqual([8, 9]);
});
