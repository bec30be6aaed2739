// Marks of processes that ended long ago go; those that a retry may still read stay.

import { expect, onTestFinished, test } from 'vitest';
import { deleteOldCommitMarks, readCommitMark } from '../../../src/store/recovery/commit-mark.js';
import { createTestDatabase } from '../../support/database.js';

const DAY_MS = 86_400_000;
const PROCESS = '5d2a0000-0000-4000-8000-000000000001';

test('marks that are 30 days old are deleted, of their bucket alone', async () => {
  const { sql, drop } = await createTestDatabase();
  onTestFinished(drop);
  await sql`
    insert into commit_mark (bucket, process, slot, number, marked_at)
    values (0, ${PROCESS}, 1, 7, now() - interval '31 days'), (0, ${PROCESS}, 2, 8, now() - interval '29 days'),
      (1, ${PROCESS}, 1, 9, now() - interval '31 days')`;
  expect(await deleteOldCommitMarks(sql, 0, 30 * DAY_MS)).toBe(false);
  const numberIn = (bucket: number, slot: number) => readCommitMark(sql, bucket, { process: PROCESS, slot });
  expect([await numberIn(0, 1), await numberIn(0, 2), await numberIn(1, 1)]).toEqual([undefined, 8, 9]);
});
