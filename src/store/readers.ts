// Connections that do nothing but read history for people who wait for it.
//
// History is cut into months, and a connection that meets a table for the first time reads what the catalogue says of every
// month of it before it can plan: 15 to 54 ms for a table of 17 months, 1 to 3 ms from then on. A pool that serves everybody hands
// its connections out in turn and closes those that rest, so that hardly one of them would know the tables. These are few,
// are never closed for being idle, and have met the tables before the first question comes.

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

/** A statement is planned anew for its first five uses; from then on its plan is kept. */
const LOOKS = 6;

/** Looks up a number that does not exist, several times at once, so that each connection runs some of the lookups. */
export async function warmReaders(readers: Sql): Promise<void> {
  const look = async () => {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await readNumberHistory(readers, NO_CUSTOMER, '0', 1);
      await warmNumberCustomers(readers);
    }
  };
  await Promise.all(Array.from({ length: MAX_READERS }, look));
}
