import { afterAll, beforeAll, expect, test } from 'vitest';
import { DISTRIBUTED, ON_COORDINATOR, REFERENCE, WITHOUT_CUSTOMER } from '../../../src/store/cluster/tables.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('every table has its place on a cluster, and only one', async () => {
  const rows = await database.sql<{ name: string }[]>`
    select relname as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and not exists (select 1 from pg_depend where objid = c.oid and deptype = 'e')`;
  const placed = [...DISTRIBUTED, ...REFERENCE, ...ON_COORDINATOR];
  expect(placed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test('what is spread has the bucket first in its key, so that no two machines can hold the same row', async () => {
  const rows = await database.sql<{ name: string }[]>`
    select r.relname as name from pg_constraint k
    join pg_class r on r.oid = k.conrelid
    join pg_attribute a on a.attrelid = r.oid and a.attnum = k.conkey[1]
    where k.contype = 'p' and a.attname = 'bucket' and not r.relispartition and r.relname <> 'bucket'`;
  expect(rows.map(({ name }) => name).toSorted()).toEqual(DISTRIBUTED.toSorted());
});

test('what is spread names its customer, by whom it finds its bucket, or is listed as belonging to none', async () => {
  const rows = await database.sql<{ name: string }[]>`
    select relname as name from pg_class c
    where relname in ${database.sql([...DISTRIBUTED])} and relnamespace = 'public'::regnamespace
      and not exists (select 1 from pg_attribute where attrelid = c.oid and attname = 'customer_id')`;
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...WITHOUT_CUSTOMER].toSorted());
});
