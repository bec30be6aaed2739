// Statements on the shards of a bucket, against one PostgreSQL that has what they ask of a cluster: where each shard is, and its lock.

import { expect, onTestFinished, test } from 'vitest';
import { createShardSql } from '../../../src/store/cluster/shard-sql.js';
import { createTestDatabase } from '../../support/database.js';

const SHARD = 102_008n;

async function createBucket() {
  const { sql, drop } = await createTestDatabase({ isEmpty: true, maxConnections: 2 });
  onTestFinished(drop);
  await sql.unsafe(`
    create table pg_dist_local_group (groupid int);
    create table pg_dist_placement (shardid bigint, groupid int);
    create function assign_distributed_transaction_id(int, bigint, timestamptz) returns void language sql as '';
    create function lock_shard_metadata(int, bigint[]) returns void language plpgsql as $$
      begin
        if pg_current_xact_id_if_assigned() is not null then raise exception 'written before the shards were locked'; end if;
      end $$;
    insert into pg_dist_local_group values (1);
    insert into pg_dist_placement values (${SHARD}, 1);
    create table account_${SHARD} (customer_id bigint, balance int)`);
  let moves = 0;
  const names = new Map([['account', `account_${SHARD}`]]);
  const bucket = createShardSql(sql, { bucket: 3, shardId: SHARD, names }, () => {
    moves += 1;
  });
  return { sql, bucket, countMoves: () => moves };
}

test('statements alone and in transactions name the shards', async () => {
  const { sql, bucket } = await createBucket();
  await bucket`insert into account values (${1n}, ${5})`;
  await bucket.begin(async (tx) => {
    await tx`insert into account values (${2n}, ${7})`;
    expect(await tx`select balance from account where customer_id = ${2n}`).toEqual([{ balance: 7 }]);
  });
  expect(await bucket`select balance from account order by balance`).toEqual([{ balance: 5 }, { balance: 7 }]);
  expect(await sql.unsafe(`select count(*)::int as rows from account_${SHARD}`)).toEqual([{ rows: 2 }]);
  await expect(bucket`insert into account values (${1n}, ${'five'})`).rejects.toThrow('invalid input syntax');
});

test('nothing is read or written where the bucket has moved away', async () => {
  const { sql, bucket, countMoves } = await createBucket();
  await bucket`insert into account values (1, 5)`;
  await sql`delete from pg_dist_placement`;
  const moved = { name: 'BucketMovedError', message: 'bucket 3 has moved to another machine' };
  await expect(bucket`select balance from account`).rejects.toMatchObject(moved);
  await expect(bucket`update account set balance = 6`).rejects.toMatchObject(moved);
  await expect(bucket.begin((tx) => tx`update account set balance = 7`)).rejects.toMatchObject(moved);
  expect(countMoves()).toBe(3);
  expect(await sql.unsafe(`select balance from account_${SHARD}`)).toEqual([{ balance: 5 }]);
});
