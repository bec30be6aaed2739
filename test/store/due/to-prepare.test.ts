// A look for tasks to prepare costs what is due: tasks that wait for their customer, for a retry or of the other size cost nothing.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { readDue } from '../../../src/store/due.js';
import { readToPrepare } from '../../../src/store/operator/platform.js';
import { readTasksToPrepare, retryPrepare } from '../../../src/store/task/task-prepare.js';
import { connectExplainer, type Explainer } from '../../../tools/bench/lists/explain.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const WAITING = 5000;
const SHARE = { customers: 200, tasks: 500 };
/** A look at an empty or nearly empty index reads its few pages. */
const FEW_PAGES = 20;

let database: TestDatabase;
let explainer: Explainer;

beforeAll(async () => {
  database = await createTestDatabase();
  explainer = connectExplainer(database.address);
});
afterAll(async () => {
  await explainer.sql.end();
  await database.drop();
});

let nextTask = 1;

async function addTasks(count: number, more: { total?: number; queuedFor?: string; after?: string }): Promise<void> {
  const { total = 1, queuedFor = 'prepare', after = 'null' } = more;
  await explainer.sql.unsafe(`
    insert into task (bucket, customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
      auto_prepare, auto_freeze, auto_submit, stage, queued_for, prepare_after, total, timeline, updated_at)
    select 0, i % 50 + 1, i, 'c:' || i, '', 1, 1, true, true, true, true, 'queued', '${queuedFor}', ${after}, ${total}, '[]', now()
    from generate_series(${nextTask}, ${nextTask + count - 1}) as i`);
  nextTask += count;
  await explainer.sql.unsafe('vacuum analyze task');
}

async function countPages(): Promise<Record<string, number>> {
  const { sql, explain } = explainer;
  const pagesOf = async (run: () => Promise<unknown>) => (await explain(run)).pages;
  return {
    due: await pagesOf(() => readDue(sql, 0)),
    small: await pagesOf(() => readTasksToPrepare(sql, 0, 'small', 0n, SHARE)),
    large: await pagesOf(() => readTasksToPrepare(sql, 0, 'large', 0n, SHARE)),
    platform: await pagesOf(() => readToPrepare(sql, 0)),
  };
}

const costlyOf = (pages: Record<string, number>) => Object.entries(pages).filter(([, count]) => count > FEW_PAGES);

it('costs no more beside tasks that wait for their customer or for a retry', async () => {
  await addTasks(WAITING, { queuedFor: 'manual' });
  expect(costlyOf(await countPages())).toEqual([]);
  await addTasks(WAITING, { after: `now() + interval '1 hour'` });
  const { platform, ...looks } = await countPages();
  expect(costlyOf(looks)).toEqual([]);
  expect(await readDue(explainer.sql, 0)).toMatchObject({ prepare: false, prepareLarge: false, prepareRetry: false });
});

it('costs no more beside the backlog of the other size', async () => {
  await addTasks(WAITING, { total: 501 });
  const { small = 0, due = 0 } = await countPages();
  expect({ small, due }).toEqual({ small: expect.toSatisfy(isFew), due: expect.toSatisfy(isFew) });
  expect(await readDue(explainer.sql, 0)).toMatchObject({ prepare: false, prepareLarge: true });
});

const isFew = (pages: number) => pages <= FEW_PAGES;

it('finds a task of either size, and one whose backoff has passed', async () => {
  const { sql } = explainer;
  await sql`delete from task`;
  await addTasks(1, {});
  await addTasks(1, { total: 501 });
  await addTasks(1, { after: 'now()' });
  const read = async (size: 'small' | 'large') => (await readTasksToPrepare(sql, 0, size, 0n, SHARE)).length;
  expect([await read('small'), await read('large')]).toEqual([1, 1]);
  expect(await readDue(sql, 0)).toMatchObject({ prepare: true, prepareLarge: true, prepareRetry: true });
  await retryPrepare(sql, 0);
  expect([await read('small'), await read('large')]).toEqual([2, 1]);
  expect(await readDue(sql, 0)).toMatchObject({ prepareRetry: false });
});
