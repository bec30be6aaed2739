// Chunks that go to another channel. All parts of a message are sent by one carrier.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { newChunkState, PART } from '../../../src/domain/chunk/chunk-state.js';
import { asTaskId } from '../../../src/domain/id.js';
import { insertChunks } from '../../../src/store/chunk/chunk.js';
import { moveChunks } from '../../../src/store/chunk/dispatch-queue.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { chunkOf } from '../../support/model/chunk-of.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`insert into account (bucket, customer_id) values (0, 1)`;
});
afterAll(() => database.drop());

test.each([
  ['that is as it was read moves', 1n, new Uint8Array(2), true],
  ['of which a part was accepted since it was read stays', 2n, Uint8Array.of(PART.accepted, PART.unsent), false],
  ['of which a part is intended stays', 3n, Uint8Array.of(PART.intended, PART.unsent), false],
])('a chunk %s', async (_, task, states, isMoved) => {
  const { sql } = database;
  const numbers = { seq: [1], phone: ['13800138000'], to: ['8613800138000'], text: 'Hello', parts: [2] };
  const chunk = chunkOf({ taskId: asTaskId(task), numbers });
  await insertChunks(sql, 0, [chunk], [chunk.queueNo], new Date());
  const state = newChunkState([2]);
  await sql`update chunk set part_states = ${Buffer.from(states)} where task_id = ${task}`;
  const moved = await moveChunks(sql, 0, chunk.customerId, [{ chunk, state, to: 7n, queueNo: 9n }], new Date());
  expect(moved).toEqual(new Set(isMoved ? [9n] : []));
  const [row] = await sql`select channel_id as channel from chunk where task_id = ${task}`;
  expect(row?.channel).toBe(isMoved ? 7n : chunk.channelId);
});
