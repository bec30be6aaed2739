// Which key the secrets of a database are sealed under. Without this check, a second process with another key would
// start on a database in which nothing is sealed yet, and refuse the customers that the first one lets in.

import type { Sql } from '../sql.js';
import { KEY_CHECK_CONTEXT, type Sealer } from './seal.js';

const CONTENT = 'postrider';

/** The first process on a database writes the check value down; every other must be able to open it. */
export async function checkSecretKey(sql: Sql, sealer: Sealer): Promise<void> {
  await sql`
    update config_version set secret_key_check = ${sealer.seal(CONTENT, KEY_CHECK_CONTEXT)} where secret_key_check is null`;
  const [row] = await sql<{ secret_key_check: Uint8Array }[]>`select secret_key_check from config_version`;
  if (row === undefined) throw new Error('config_version has no row: the database was not migrated by this service');
  try {
    sealer.open(row.secret_key_check, KEY_CHECK_CONTEXT);
  } catch (error) {
    throw new Error(
      'this database was made with another secret key. Every process on it needs the same POSTRIDER_SECRET_KEY; where none ' +
        'was set, it is the content of secret-key in the data folder of the process that made the database.',
      { cause: error },
    );
  }
}
