// What a takeover finds of parts that were on the wire: that they were meant to go out, and when.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { readInterrupted } from '../../../../src/store/chunk/dispatch-queue.js';
import { type Service, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('an intent is in the database, with its time, while the answer is waited for', async () => {
  const { sql } = service;
  const channelNo = await service.addChannel(['cmcc'], { answer_ms: 3_000 });
  const customer = await service.addCustomer({ channelNos: [channelNo] });
  const { task_no: taskNo, created_at: createdAt } = await customer.send(['13800138000', '13800138001']);
  const [channel] = await sql<{ id: bigint }[]>`select channel_id as id from channel where channel_no = ${channelNo}`;
  const stored = await until('a committed intent', async () => (await readInterrupted(sql, 0, channel?.id ?? 0n))[0]);
  expect([...stored.state.partStates]).toEqual([1, 1]);
  expect(stored.intendedAt?.getTime()).toBeGreaterThanOrEqual(Date.parse(createdAt));
  const { timeline } = await customer.completed(taskNo);
  expect(stored.intendedAt?.getTime()).toBeLessThan(Date.parse(timeline.at(-1)?.at ?? ''));
});
