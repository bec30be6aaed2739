// Databases of the last release exist: its migrations keep their contents, and what it created is brought up to date.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate, readPending } from '../../src/store/migrate/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { dumpSchema } from '../support/postgres/dump-schema.js';

const migrations = fileURLToPath(new URL('../../src/store/migrations/', import.meta.url));

/** The migrations of release 0.2.0, by the SHA-256 of their contents. */
const RELEASED = [
  'a952ab94d1da11ee329a2caf01840678e43189f413416cde35e10876387707a7', // 0001_schema
  '7d3f453a9e4aba7e562d983c61ea424622452253c423b171416428985fa22555', // 0002_due_work
  '80166f7b52ae05c2b51427ef7999edf66bff9b59a9ea0ca78dfa745224e7470e', // 0003_credential_terms
  '9c428f4b0fa8aad3e094f383d833a762e213257df832e887af3de091f5698ab3', // 0004_channel_kind
  'c48405508234f20c16e796bcb639146ce10e6f27f6945425910d23229e52edf3', // 0005_push_due
  '3046a8072ca8e4531306ef74d888b8efb3d5978b241477becf441ed6cd0a3c60', // 0006_storage_settings
  '565793e8f3e5c3fe4b1615d9a491aa8d6e802dd71fe3dcf4cc3584ac0af96df2', // 0007_waiting_limits
  '9776c5245dde24dfc407c2c34aecf023450ff7c628996f9a380031b6d7294c5c', // 0008_queued_at
  '5135c50d198c80d66bb65f921d1fbc4349a9d9f9e7410ed31579cffa7125cd04', // 0009_audit_slices
  '3080e2abf37ecf59664d8a7114e18473baa376ce5a1d38c68095d0ede676fb4a', // 0010_http_channels
] as const;

/** Release 0.2.0 had 0010 without its last statement. */
const ADDED_LATER = /^alter table upstream_callback set .*\n/m;

async function readReleased(): Promise<{ readonly name: string; readonly text: string }[]> {
  const names = (await readdir(migrations)).sort().slice(0, RELEASED.length);
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(migrations, name), 'utf8');
      return { name, text: name.startsWith('0010_') ? text.replace(ADDED_LATER, '') : text };
    }),
  );
}

let database: TestDatabase;
let fresh: TestDatabase;
let folder: string;
beforeEach(async () => {
  database = await createTestDatabase({ isEmpty: true });
  fresh = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'postrider-released-'));
});
afterEach(async () => {
  await database.drop();
  await fresh.drop();
  await rm(folder, { recursive: true });
});

test('the migrations of release 0.2.0 have the contents that it applied', async () => {
  const checksums = (await readReleased()).map(({ text }) => createHash('sha256').update(text).digest('hex'));
  expect(checksums).toEqual(RELEASED);
});

test('a database of release 0.2.0 becomes one of this release', async () => {
  for (const { name, text } of await readReleased()) await writeFile(join(folder, name), text);
  expect(await migrate(database.sql, { folder })).toHaveLength(RELEASED.length);
  expect((await readPending(database.sql))?.[0]).toBe('0011_hours_end');
  await migrate(database.sql);
  expect(await readPending(database.sql)).toEqual([]);
  expect(await dumpSchema(database.sql)).toBe(await dumpSchema(fresh.sql));
  expect(await readSettings(database)).toEqual(await readSettings(fresh));
});

async function readSettings({ sql }: TestDatabase) {
  return await sql`
    select relname, reloptions from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname !~ '_\d{6}$' order by relname`;
}
