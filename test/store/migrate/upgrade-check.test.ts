import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAtMostOneReleaseApart } from '../../../src/domain/release.js';
import { checkUpgrade } from '../../../src/store/migrate/upgrade-check.js';
import { holdChannels } from '../../../src/store/recovery/timeline.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function addNode(node: string, version: string, seenAgo = '1 second'): Promise<void> {
  await database.sql`
    insert into node (node, roles, version, started_at, seen_at, figures)
    values (${node}, '{api}', ${version}, now(), now() - ${seenAgo}::interval, '{}')`;
}

const check = async (name: string) =>
  (await checkUpgrade(database.sql, '0.3.0')).find((finding) => finding.check === name);

test('a database of this release with processes of this one and the last fits', async () => {
  await addNode('one', '0.3.0');
  await addNode('two', '0.2.1');
  await addNode('gone', '0.1.0', '1 minute');
  const findings = await checkUpgrade(database.sql, '0.3.0');
  expect(findings.map(({ check: name, fits }) => [name, fits])).toEqual([
    ['migrations', true],
    ['processes', true],
    ['transactions', true],
    ['channels', true],
  ]);
  expect(await check('processes')).toMatchObject({
    detail:
      '2 running, to be replaced by 0.3.0: two (0.2.1). Until they have stopped, use no setting that they do not know.',
  });
});

test('migrations that are to be applied are named, and fit', async () => {
  await database.sql`delete from migration`;
  const finding = await check('migrations');
  expect(finding?.fits).toBe(true);
  expect(finding?.detail).toMatch(/^\d+ to apply: 0001_schema/);
});

test('a newer database does not fit', async () => {
  await database.sql`insert into migration (number, name, checksum) select max(number) + 1, 'from_the_future', '' from migration`;
  expect(await check('migrations')).toMatchObject({
    fits: false,
    detail: expect.stringContaining('newer than this release'),
  });
});

test('a database from before 0.3.0 does not fit, and nothing else of it is read', async () => {
  await database.sql`update migration set checksum = 'of another schema' where number = 1`;
  expect(await checkUpgrade(database.sql, '0.3.0')).toEqual([
    { check: 'migrations', fits: false, detail: expect.stringContaining('before 0.3.0 are not taken over') },
  ]);
});

test('a process that is two releases away does not fit', async () => {
  await addNode('old', '0.1.0');
  expect(await check('processes')).toMatchObject({ fits: false, detail: expect.stringContaining('old (0.1.0)') });
});

test('channels that are held do not fit', async () => {
  await holdChannels(database.sql, 'test', { reason: 'unproven', detail: '' });
  expect(await check('channels')).toMatchObject({ fits: false });
});

test('an empty database fits, and nothing of it is read', async () => {
  const empty = await createTestDatabase({ isEmpty: true });
  expect(await checkUpgrade(empty.sql, '0.3.0').finally(() => empty.drop())).toEqual([
    { check: 'migrations', fits: true, detail: 'The database is empty: the first start creates the tables.' },
  ]);
});

test.each([
  ['0.2.0', '0.3.1', true],
  ['0.1.0', '0.3.0', false],
  ['0.9.0', '1.0.0', true],
  ['1.0.0', '1.7.0', true],
  ['1.7.0', '2.0.0', true],
  ['1.7.0', '3.0.0', false],
  ['0.3.0-rc.1', '0.2.0', true],
  ['unknown', '0.2.0', false],
])('%s and %s run side by side: %s', (one, other, isSo) => {
  expect(isAtMostOneReleaseApart(one, other)).toBe(isSo);
});
