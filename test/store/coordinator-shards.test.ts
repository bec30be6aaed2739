import { expect, onTestFinished, test } from 'vitest';
import { createCoordinatorShardSql } from '../../src/store/cluster/shard-sql.js';
import { createTestDatabase } from '../support/database.js';

test('shards that are looked up again are read, although the connection has prepared the statement before', async () => {
  const { sql, drop } = await createTestDatabase({ maxConnections: 1 });
  onTestFinished(drop);
  for (const version of [1, 2]) {
    await sql.unsafe(`create table config_version_${version} as select ${version} as version`);
    const shards = createCoordinatorShardSql(sql, new Map([['config_version', `config_version_${version}`]]));
    expect(await shards`select version from config_version`).toEqual([{ version }]);
  }
});
