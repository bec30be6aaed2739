// Planning a task of thousands of numbers leaves the event loop to others in between.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import { countParts } from '../../../src/domain/message/parts.js';
import { parseTemplate } from '../../../src/domain/message/template.js';
import { planTasks } from '../../../src/pipeline/prepare/plan-tasks.js';
import { createSnapshotView } from '../../../src/store/snapshot/view.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { taskOf } from '../../support/model/task-of.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const NUMBERS = 5000;
const BODY = 'A long text. '.repeat(40);

/** No channel serves any number, so that each is rejected after its parts were counted. */
function snapshotOf(templateId: bigint) {
  const view = createSnapshotView();
  const template = { templateId, templateNo: 'T1', customerId: asCustomerId(1n), serviceAccountId: 1n, name: '' };
  const terms = { body: BODY, compiled: parseTemplate(BODY), class: 'notice', firms: null, status: 'active' } as const;
  view.apply({
    version: 1n,
    templates: [{ ...template, ...terms, upstream_codes: {} }],
    ...{ firms: [], channels: [], customers: [], credentials: [], operators: [], serviceAccounts: [], grants: [] },
    ...{ prices: [], costs: [], filings: [], blockedWords: [] },
  });
  return view;
}

test('no more than a part of the numbers is planned in one tick of the event loop', async () => {
  const task = taskOf(NUMBERS);
  const snapshot = snapshotOf(task.templateId);
  let planned = 0;
  let inTick = 0;
  let longest = 0;
  const parts = (): number => {
    planned += 1;
    inTick += 1;
    longest = Math.max(longest, inTick);
    return countParts(BODY, 'gsm7');
  };
  const watch = (): void => {
    inTick = 0;
    if (planned < NUMBERS) setImmediate(watch);
  };
  watch();
  const phones = Array.from({ length: NUMBERS }, (_, at) => String(8_613_800_000_000 + at));
  const payload = { phones, variables: {}, body: BODY };
  const numbers = { payload, to: phones, messages: { common: undefined, text: () => BODY, parts } };
  const context = { bucket: task.bucket, snapshot: () => snapshot };
  const [only] = await planTasks(context, database.sql, [{ task, numbers }], () => true, new Date());
  expect(only?.plan?.rejected).toHaveLength(NUMBERS);
  expect(planned).toBe(NUMBERS);
  expect(longest).toBeLessThan(NUMBERS / 2);
});
