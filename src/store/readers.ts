// A pool that only reads history for people who wait for it.
//
// History is partitioned by month, and a connection that meets a table for the first time reads the catalogue of every month before it can
// plan: 15 to 54 ms for a table of 17 months, 1 to 3 ms from then on. The shared pool rotates over its connections and closes idle ones, so
// that most of them would not know the tables. These connections are few, are never closed when idle, and have planned such reads before
// the first request comes.

import { asCustomerId } from '../domain/id.js';
import { connectDatabase, type DatabaseAddress } from './connect.js';
import { warmNumberCustomers } from './number/number-customers.js';
import { readNumberHistory } from './number/number-history.js';
import type { Sql } from './sql.js';

const MAX_READERS = 4;

export function connectReaders(address: DatabaseAddress): Sql {
  return connectDatabase(address, {
    maxConnections: MAX_READERS,
    applicationName: 'postrider-reader',
    isKeptOpen: true,
  });
}

const NO_CUSTOMER = { bucket: 0, customerId: asCustomerId(0n) };

/** Each lookup goes to a connection that is free: a second round reaches those that had none of them. */
const LOOKS = 2;

/** Looks up a number that does not exist, several times at once, so that each connection has read the catalogue. */
export async function warmReaders(readers: Sql): Promise<void> {
  const look = async () => {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await readNumberHistory(readers, NO_CUSTOMER, '0', 1);
      await warmNumberCustomers(readers);
    }
  };
  await Promise.all(Array.from({ length: MAX_READERS }, look));
}
