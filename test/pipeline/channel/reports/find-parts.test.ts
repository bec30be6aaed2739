// Two tries of one number, on two channels: what a channel reports is about its own try, never about the other's.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../../src/domain/id.js';
import type { Candidate } from '../../../../src/domain/message/part-matching.js';
import { formatReference } from '../../../../src/domain/record/part-reference.js';
import type { PartPosition } from '../../../../src/pipeline/channel/parts/part-state.js';
import { findCandidates } from '../../../../src/pipeline/channel/reports/find-parts.js';
import { createSnapshotView } from '../../../../src/store/snapshot/view.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';

const [FIRST, SECOND] = [1n, 2n];
const KEY = { customerId: asCustomerId(1n), taskId: asTaskId(7n), seq: 1, part: 1 };
const PHONE = '8613800138000';
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // The number has left the first chunk, in which another one still waits, and is accepted in the second.
  await insertChunk(1, FIRST, null, [1, 2], '0902', '0500');
  await insertChunk(9, SECOND, `{${FIRST}}`, [1], '02', '00');
  await insertSubmit(1n << 20n, FIRST, 'rejected', 'first-1');
  await insertSubmit(2n << 20n, SECOND, 'accepted', 'second-1');
});
afterAll(() => database.drop());

async function insertChunk(
  chunkNo: number,
  channelId: bigint,
  tried: string | null,
  seq: number[],
  states: string,
  results: string,
): Promise<void> {
  const numbers = { seq, phone: seq.map(() => '1'), to: seq.map(() => PHONE), text: 'x', parts: seq.map(() => 1) };
  await database.sql`
    insert into chunk (bucket, customer_id, task_id, chunk_no, channel_id, service_account_id, firm, unit_price, numbers,
      part_states, results, tried)
    values (0, 1, 7, ${chunkNo}, ${channelId}, 1, 'cmcc', 0, ${JSON.stringify(numbers)}, decode(${states}, 'hex'),
      decode(${results}, 'hex'), ${tried})`;
}

async function insertSubmit(submitId: bigint, channelId: bigint, status: string, messageId: string): Promise<void> {
  await database.sql`
    insert into submit (bucket, customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status,
      upstream_message_id)
    values (0, 1, ${submitId}, 7, 1, 1, 1, ${channelId}, ${PHONE}, '1', 'cmcc', ${status}, ${messageId})`;
}

async function find(channelId: bigint, question: { messageId: string; reference?: string }) {
  const deps = {
    sql: database.sql,
    snapshot: createSnapshotView,
    channelId,
    messageIdFormat: 'auto',
    now: Date.now,
  } as const;
  const found = await findCandidates(deps, [question]);
  return (found.get(question) ?? []).map(({ how, found: { chunk } }: Candidate<PartPosition>) => [how, chunk.chunkNo]);
}

// The placeholder of a number that is nowhere has number 0: the report is kept as a record and settles nothing.
test.each([
  ['the first', FIRST, 0],
  ['the second', SECOND, 9],
])('by our own reference, %s channel speaks of its own try', async (_, channelId, chunkNo) => {
  const reference = formatReference(KEY);
  expect(await find(channelId, { messageId: '', reference })).toEqual([['reference', chunkNo]]);
});

test('by the message id as well, and an id of the other channel says nothing', async () => {
  expect(await find(FIRST, { messageId: 'first-1' })).toEqual([['exact', 0]]);
  expect(await find(SECOND, { messageId: 'second-1' })).toEqual([['exact', 9]]);
  expect(await find(FIRST, { messageId: 'second-1' })).toEqual([]);
});

test('when the first chunk is gone, a report of its channel does not get to the second', async () => {
  await database.sql`delete from chunk where chunk_no = 1`;
  expect(await find(FIRST, { messageId: 'first-1' })).toEqual([['exact', 0]]);
});

test('when the second chunk is gone, a report of its channel does not get to the first, which the number has left', async () => {
  await insertChunk(1, FIRST, null, [1, 2], '0902', '0500');
  await database.sql`delete from chunk where chunk_no = 9`;
  expect(await find(SECOND, { messageId: 'second-1' })).toEqual([['exact', 0]]);
});
