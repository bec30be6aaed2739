// One round of every poll, on a platform that does nothing: what it reads does not grow with customers, tasks that wait for them
// and channels, and it writes nothing.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createQueueWatch } from '../../../src/pipeline/channel/sending/queue-watch.js';
import { readLiveChannels } from '../../../src/store/channel/channel-lease.js';
import { readGoneChannels, readOverdueChannels } from '../../../src/store/chunk/stranded.js';
import { readDue } from '../../../src/store/due.js';
import { readDaysToBegin, readRefreezeWanted } from '../../../src/store/money/refreeze.js';
import { readConfigVersion } from '../../../src/store/snapshot/rows.js';
import { readTasksToPrepare } from '../../../src/store/task/task-prepare.js';
import { addIdleRows, type IdleSizes } from '../../../tools/bench/lab/idle-rows.js';
import { connectExplainer, type Explainer } from '../../../tools/bench/lists/explain.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const SMALL: IdleSizes = { customers: 20, webhooks: 5, tasks: 100 };
const LARGE: IdleSizes = { customers: 1000, webhooks: 5, tasks: 5000 };
const SHARE = { customers: 200, tasks: 500 };
/** Another level of an index, here and there. */
const GROWTH = 4;

interface Platform {
  readonly database: TestDatabase;
  readonly explainer: Explainer;
}

const platforms: Platform[] = [];

async function createPlatform(sizes: IdleSizes): Promise<Platform> {
  const database = await createTestDatabase();
  const explainer = connectExplainer(database.address);
  const platform = { database, explainer };
  platforms.push(platform);
  await addIdleRows(explainer.sql, sizes);
  await explainer.sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    select 'H' || i, 'Off', 'simulator', '{}', 'disabled', '{}', 1 from generate_series(1, 20) as i`;
  await explainer.sql.unsafe('vacuum analyze');
  return platform;
}

let small: Platform;
let large: Platform;

beforeAll(async () => {
  small = await createPlatform(SMALL);
  large = await createPlatform(LARGE);
});
afterAll(async () => {
  for (const { database, explainer } of platforms) {
    await explainer.sql.end();
    await database.drop();
  }
});

/** Every look that a service makes at least once a minute, except those of push. */
function looksAt({ explainer: { sql } }: Platform): Record<string, () => Promise<unknown>> {
  const watch = createQueueWatch({ sql, bucket: 0, channelId: 1n, monotonicNow: () => 0 });
  return {
    'what is due': () => readDue(sql, 0),
    'small tasks': () => readTasksToPrepare(sql, 0, 'small', 0n, SHARE),
    'large tasks': () => readTasksToPrepare(sql, 0, 'large', 0n, SHARE),
    'accounts to freeze again': () => readRefreezeWanted(sql, 0, 0n, 100),
    'days that begin': () => readDaysToBegin(sql, 0),
    'channels that are gone': () => readGoneChannels(sql, 60_000),
    'chunks that are stranded': async () =>
      readOverdueChannels(
        sql,
        0,
        (await readGoneChannels(sql, 0)).map(({ channelId }) => channelId),
        60_000,
      ),
    'channels that are up': () => readLiveChannels(sql),
    'the queue of a channel': () => watch.poll(),
    'the configuration': () => readConfigVersion(sql),
  };
}

async function countPages(platform: Platform): Promise<Map<string, number>> {
  const pages = new Map<string, number>();
  for (const [name, look] of Object.entries(looksAt(platform))) {
    pages.set(name, (await platform.explainer.explain(look)).pages);
  }
  return pages;
}

test('no look reads more on a large platform than on a small one', async () => {
  const before = await countPages(small);
  const after = await countPages(large);
  const grown = [...after].filter(([name, pages]) => pages > (before.get(name) ?? 0) + GROWTH);
  expect(grown.map(([name, pages]) => `${name}: ${before.get(name)} → ${pages}`)).toEqual([]);
});

test('no look writes', async () => {
  const { sql } = large.explainer;
  await sql`set default_transaction_read_only = on`;
  for (const look of Object.values(looksAt(large))) await look();
  await sql`reset default_transaction_read_only`;
});
