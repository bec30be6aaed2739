// Two nodes that accept the same requests at the same time.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import type { NewTask } from '../../../src/domain/task/task.js';
import { connectDatabase } from '../../../src/store/connect.js';
import type { Sql } from '../../../src/store/sql.js';
import { acceptTasks } from '../../../src/store/task/task-accept.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { taskOf } from '../../support/model/task-of.js';

const ROUNDS = 20;
const TASKS = 400;
let database: TestDatabase;
let nodes: readonly Sql[];

beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`insert into account (bucket, customer_id) values (0, 1), (0, 2)`;
  nodes = [1, 2].map(() => connectDatabase(database.address, { maxConnections: 1 }));
});
afterAll(async () => {
  await Promise.all(nodes.map((sql) => sql.end({ timeout: 1 })));
  await database.drop();
});

/** The same requests at either node, under other ids. */
function createTasks(round: number, node: number): NewTask[] {
  return Array.from({ length: TASKS }, (_, at) => ({
    ...taskOf(1, {
      customerId: asCustomerId(BigInt(1 + (at % 2))),
      taskId: asTaskId(BigInt((round * 2 + node) * TASKS + at + 1)),
      requestKey: `c:${round}-${at}`,
    }),
    payload: '{}',
    content: '{}',
  }));
}

test('insert them in one order, so that neither waits for the other for ever', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const inserted = await Promise.all(
      nodes.map((sql, node) => {
        const tasks = createTasks(round, node);
        return acceptTasks(sql, 0, node === 0 ? tasks : tasks.reverse());
      }),
    );
    expect(inserted.reduce((sum, keys) => sum + keys.size, 0)).toBe(TASKS);
  }
});
