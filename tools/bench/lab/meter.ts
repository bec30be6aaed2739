// What a stretch of work cost: processor time of service and database, bytes of write-ahead log, and transactions.
// All are exact at the moment they are read; the statistics of the database lag behind by seconds.

import type { Figures } from '../figures.js';
import { readProcessorTime } from './processor-time.js';
import type { BenchService } from './service.js';

interface Reading {
  readonly serviceUs: number | undefined;
  readonly databaseUs: number | undefined;
  readonly machinesUs: readonly number[];
  readonly walBytes: number;
  readonly transactions: number;
}

/** Called when the work is done, with how many numbers it was: the cost of each. */
export type StopMeter = (numbers: number) => Promise<Figures>;

export async function startMeter(service: BenchService): Promise<StopMeter> {
  const before = await readMeter(service);
  return async (numbers) => {
    const after = await readMeter(service);
    const each = (name: Exclude<keyof Reading, 'machinesUs'>) => {
      const [from, to] = [before[name], after[name]];
      return from === undefined || to === undefined ? undefined : (to - from) / numbers;
    };
    const machines = after.machinesUs.map((us, at) => (us - (before.machinesUs[at] ?? us)) / numbers);
    const costs = {
      service_us: each('serviceUs'),
      database_us: each('databaseUs'),
      coordinator_us: machines[0],
      busiest_us: machines.length === 0 ? undefined : Math.max(...machines),
      wal_bytes: each('walBytes'),
      transactions: each('transactions'),
    };
    return Object.fromEntries(Object.entries(costs).filter(([, value]) => value !== undefined));
  };
}

async function readMeter({ pid, sql, servers }: BenchService): Promise<Reading> {
  // Transactions that write take a number each.
  const [row] = await sql<{ wal: string; transactions: string }[]>`
    select (pg_current_wal_lsn() - '0/0'::pg_lsn)::text as wal,
      pg_snapshot_xmax(pg_current_snapshot())::text as transactions`;
  const time = await readProcessorTime(pid, servers);
  return {
    serviceUs: time?.service_us,
    databaseUs: time?.database_us,
    machinesUs: time?.machines_us ?? [],
    walBytes: Number(row?.wal),
    transactions: Number(row?.transactions),
  };
}
