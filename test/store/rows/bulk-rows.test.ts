import { afterAll, beforeAll, expect, test } from 'vitest';
import { isPlannedByCluster } from '../../../src/store/cluster/distribution.js';
import { defineRows } from '../../../src/store/rows/bulk-rows.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const PARTS = defineRows('p', {
  customerId: 'bigint',
  submitId: 'bigint',
  seq: 'int',
  part: 'smallint',
  phone: 'text',
  state: { isPaid: 'boolean', payload: 'bytea' },
  timeline: 'jsonb',
  dueOn: 'date',
  doneAt: 'timestamptz',
});

const rows = [
  {
    customerId: 2n ** 62n,
    seq: 7,
    part: 1,
    phone: 'a "quoted" \\ one',
    state: { isPaid: true, payload: Uint8Array.of(0, 255) },
    timeline: [{ stage: 'queued' }],
    dueOn: '2026-11-15',
    doneAt: new Date('2026-11-15T08:00:00.123Z'),
  },
  { customerId: 3n, seq: 8, part: 2, phone: null, state: null, timeline: null, dueOn: null, doneAt: null },
];

test('every value arrives in the column of its name', async () => {
  const { sql } = database;
  const found = await sql`select * from ${PARTS.unnest(sql, rows, { submitId: [11n, 12n] })} order by seq`;
  expect(found).toEqual([
    {
      customer_id: 2n ** 62n,
      submit_id: 11n,
      seq: 7,
      part: 1,
      phone: 'a "quoted" \\ one',
      is_paid: true,
      payload: '00ff',
      timeline: '[{"stage":"queued"}]',
      due_on: new Date('2026-11-15T00:00:00Z'),
      done_at: new Date('2026-11-15T08:00:00.123Z'),
    },
    {
      customer_id: 3n,
      submit_id: 12n,
      seq: 8,
      part: 2,
      phone: null,
      is_paid: null,
      payload: null,
      timeline: null,
      due_on: null,
      done_at: null,
    },
  ]);
});

test('an insert stores every type as the type of its column', async () => {
  const STORED = defineRows('n', {
    taskId: 'bigint',
    firms: 'text[]',
    tried: 'bigint[]',
    timeline: 'jsonb',
    numbers: 'json',
    fingerprint: 'bytea',
    partStates: 'zeros',
  });
  const full = {
    taskId: 1n,
    firms: ['a, "b"', ''],
    tried: [5n, 6n],
    timeline: [{ at: 1 }],
    numbers: { seq: [1] },
    fingerprint: Buffer.from('00ff', 'hex'),
    partStates: 3,
  };
  const bare = {
    taskId: 2n,
    firms: null,
    tried: null,
    timeline: null,
    numbers: null,
    fingerprint: null,
    partStates: 0,
  };
  const found = await database.sql.begin(async (tx) => {
    await tx`create temporary table stored (task_id bigint, firms text[], tried bigint[], timeline jsonb, numbers text,
      fingerprint bytea, part_states bytea) on commit drop`;
    await tx`
      insert into stored (${STORED.names(tx)}) select ${STORED.values(tx)} from ${STORED.unnest(tx, [full, bare])}`;
    return await tx`
      select task_id, firms, tried::text as tried, timeline, numbers, fingerprint, part_states from stored order by task_id`;
  });
  expect(found).toEqual([
    {
      task_id: 1n,
      firms: ['a, "b"', ''],
      tried: '{5,6}',
      timeline: [{ at: 1 }],
      numbers: '{"seq":[1]}',
      fingerprint: Buffer.from('00ff', 'hex'),
      part_states: Buffer.alloc(3),
    },
    {
      task_id: 2n,
      firms: null,
      tried: null,
      timeline: null,
      numbers: null,
      fingerprint: null,
      part_states: Buffer.alloc(0),
    },
  ]);
});

test('each column is an array with its cast, and the text is the same for any number of rows', async () => {
  const { sql } = database;
  const KEYS = defineRows('k', { customerId: 'bigint', seq: 'int' });
  const text = async (keys: { customerId: bigint; seq: number }[]) => {
    const statement = sql`select ${KEYS.names(sql)} from ${KEYS.unnest(sql, keys)}`;
    return (await statement).statement.string;
  };
  const listed = '(select unnest($1::bigint[]) as customer_id, unnest($2::int[]) as seq) as k';
  const forCluster = 'unnest($1::bigint[], $2::int[]) as k (customer_id, seq)';
  expect(await text([])).toBe(`select customer_id, seq from ${isPlannedByCluster(sql) ? forCluster : listed}`);
  expect(await text([{ customerId: 1n, seq: 1 }])).toBe(await text([]));
});

test('a column without a value, of another type or under another name does not compile', () => {
  const { sql } = database;
  const KEYS = defineRows('k', { customerId: 'bigint', seq: 'int', phone: 'text' });
  // Never called: the compiler checks them, and complains about an expectation that is not met.
  const attempts = [
    // @ts-expect-error: no phone
    () => KEYS.unnest(sql, [{ customerId: 1n, seq: 1 }]),
    // @ts-expect-error: two values swapped
    () => KEYS.unnest(sql, [{ customerId: 1n, seq: 'a', phone: 1 }]),
    // @ts-expect-error: an array of another type
    () => KEYS.unnest(sql, [{ customerId: 1n, phone: '' }], { seq: [1n] }),
    // @ts-expect-error: an array under a name that is no column
    () => KEYS.unnest(sql, [{ customerId: 1n, phone: '' }], { seqs: [1] }),
    // @ts-expect-error: a type that no column has
    () => defineRows('k', { customerId: 'numeric' }),
    () => KEYS.unnest(sql, [{ customerId: 1n, phone: '' }], { seq: [1] }),
  ];
  expect(attempts).toHaveLength(6);
});
