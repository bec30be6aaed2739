// Which erasures a worker comes to.

import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createEraseRound } from '../../../src/pipeline/maintenance/erase.js';
import { createErasure } from '../../../src/store/erasure/erasure.js';
import { createSealer } from '../../../src/store/secrets/seal.js';
import { createTestDatabase } from '../../support/database.js';

/** As many as a round reads. */
const WAITING = 100;
const rest = async () => {};
const [OPEN, FREE] = ['8613800138000', '8613800138001'];

test('erasures that wait for their messages do not hold up those behind them', async () => {
  const { sql, drop } = await createTestDatabase();
  onTestFinished(drop);
  const sealer = createSealer(randomBytes(32));
  const request = (at: number, digits: string) =>
    createErasure({ sql, actor: 'tester' }, { sealer, randomBytes }, { erasureId: BigInt(at), digits, remark: null });
  for (let at = 1; at <= WAITING; at++) await request(at, OPEN);
  await request(WAITING + 1, FREE);
  await sql`update erasure set created_at = now() - interval '1 minute'`;
  await sql`
    insert into unknown_part (bucket, customer_id, task_id, chunk_no, seq, part, channel_id, phone_key, since, deadline)
    values (0, 1, 1, 1, 1, 1, 1, ${OPEN}, now(), 'infinity')`;
  const { signal } = new AbortController();
  const round = createEraseRound({ sql, sealer, buckets: () => [0], signal });
  await round(rest);
  await round(rest);
  const done = await sql<{ id: bigint }[]>`select erasure_id as id from erasure where status = 'done'`;
  expect(done.map(({ id }) => id)).toEqual([BigInt(WAITING + 1)]);
  // From the start again: one that waited is done when nothing of its number is open.
  await sql`delete from unknown_part`;
  await round(rest);
  expect(await sql`select 1 from erasure where done_at is null`).toHaveLength(0);
});

test('nor does one that fails', async () => {
  const { sql, drop } = await createTestDatabase();
  onTestFinished(drop);
  const sealer = createSealer(randomBytes(32));
  for (const [erasureId, digits] of [[1n, OPEN] as const, [2n, FREE] as const]) {
    await createErasure({ sql, actor: 'tester' }, { sealer, randomBytes }, { erasureId, digits, remark: null });
  }
  await sql`update erasure set created_at = now() - interval '1 minute'`;
  // It is sealed for another erasure.
  await sql`update erasure set phone_sealed = (select phone_sealed from erasure where erasure_id = 2) where erasure_id = 1`;
  const { signal } = new AbortController();
  const round = createEraseRound({ sql, sealer, buckets: () => [0], signal });
  await expect(round(rest)).rejects.toThrow();
  const done = await sql<{ id: bigint }[]>`select erasure_id as id from erasure where status = 'done'`;
  expect(done.map(({ id }) => id)).toEqual([2n]);
});
