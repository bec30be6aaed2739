import { expect, test } from 'vitest';
import { kindOf, nameShards } from '../../../src/store/cluster/name-shards.js';

const SHARDS = new Map([
  ['task', 'task_101'],
  ['chunk', 'chunk_102'],
  ['receipt', 'receipt_103'],
]);

const RENAMED: readonly (readonly [string, string])[] = [
  ['select task.total from task where bucket = $1', 'select task.total from task_101 as task where bucket = $1'],
  ['select t.total from task t where t.bucket = $1', 'select t.total from task_101 t where t.bucket = $1'],
  ['select t.total from task as t', 'select t.total from task_101 as t'],
  ['select 1 as one from task', 'select 1 as one from task_101 as task'],
  [
    'select * from chunk c join task t using (bucket, task_id) left join receipt on receipt.task_id = t.task_id',
    'select * from chunk_102 c join task_101 t using (bucket, task_id) left join receipt_103 as receipt on receipt.task_id = t.task_id',
  ],
  ['select * from unnest($1) as k, task t, chunk', 'select * from unnest($1) as k, task_101 t, chunk_102 as chunk'],
  [
    'insert into task (bucket, chunk) select b.bucket, $1 from (select bucket from task) as b',
    'insert into task_101 as task (bucket, chunk) select b.bucket, $1 from (select bucket from task_101 as task) as b',
  ],
  [
    'insert into task (total) values ($1) on conflict (total) do update set total = excluded.total where task.total < 1',
    'insert into task_101 as task (total) values ($1) on conflict (total) do update set total = excluded.total where task.total < 1',
  ],
  [
    'update task set total = 1, task = 2 from chunk c where c.task_id = task.task_id returning task.total',
    'update task_101 as task set total = 1, task = 2 from chunk_102 c where c.task_id = task.task_id returning task.total',
  ],
  ['delete from chunk using task t where true', 'delete from chunk_102 as chunk using task_101 t where true'],
  ['select 1 from task for update of task', 'select 1 from task_101 as task for update of task'],
  ['select "receipt_id" from "receipt" order by 1', 'select "receipt_id" from receipt_103 as receipt order by 1'],
  [
    'select count(*), (select max(a) from task), chunk from chunk',
    'select count(*), (select max(a) from task_101 as task), chunk from chunk_102 as chunk',
  ],
  [
    'select part from ( select bucket, total from task union all select bucket, parts from receipt ) as report where part is not null',
    'select part from ( select bucket, total from task_101 as task union all select bucket, parts from receipt_103 as receipt ) as report where part is not null',
  ],
  // Columns, strings and comments.
  [
    "select 'from task', x is distinct from task.total -- from chunk\nfrom task",
    "select 'from task', x is distinct from task.total -- from chunk\nfrom task_101 as task",
  ],
  // What a `with` names is no table.
  [
    'with chunk as (select 1 from task), p1 as materialized (delete from receipt) select from chunk, p1',
    'with chunk as (select 1 from task_101 as task), p1 as materialized (delete from receipt_103 as receipt) select from chunk, p1',
  ],
];

test.each(RENAMED)('%s', (text, renamed) => {
  expect(nameShards(text, SHARDS)).toBe(renamed);
});

test.each([
  'select 1',
  'commit',
  'select x from unnest($1) as x',
  // One of its tables has no shard: the cluster knows where it is.
  'select 1 from task join customer using (customer_id)',
  'select 1 from task, account',
  'select 1 from channel_fence for share',
])('left to the cluster: %s', (text) => {
  expect(nameShards(text, SHARDS)).toBeUndefined();
});

test('a statement that writes a table without shards is known', () => {
  const texts = [
    'delete from unmatched_report where report_id = any($1::bigint[])',
    'with p0 as (update task set total = 1), p1 as (delete from unmatched_report) select',
    'insert into audit (actor) select actor from task',
    'update customer set name = $1',
    'update task set total = 1 from customer c where c.customer_id = task.customer_id',
    'update task set channel = 1 where customer = $1',
    'delete from task using customer where true',
    'select 1 from customer for update',
  ];
  expect(texts.map((text) => kindOf(text).writesWithoutShards)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('a statement that only reads is known', () => {
  const texts = [
    'select "update" from task where state = \'delete\' order by 1',
    'with recursive walk (task_id) as (select task_id from task union all select 1) select * from walk',
    'select 1 from task for update skip locked',
    'select 1 from task for share',
    'with gone as (delete from task returning 1) select 1 from gone',
    'insert into task (total) select 1 from task',
  ];
  expect(texts.map((text) => kindOf(text).isRead)).toEqual([true, true, false, false, false, false]);
});
