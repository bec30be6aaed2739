import { selectLiveChannels } from '../channel/channel-lease.js';
import type { AnySql } from '../sql.js';

/** What planning reads of the configuration in the database, beside the snapshot of this process. */
export interface PlanningState {
  /** If it is newer than that of the snapshot, the snapshot is outdated. */
  readonly version: bigint;
  /** The time at which the transaction began, for what a date decides. */
  readonly now: Date;
  /** The channels that are carrying messages. */
  readonly live: ReadonlySet<bigint>;
}

/** In one statement: on a cluster each one to the coordinator costs it more than what it reads. */
export async function readPlanningState(sql: AnySql): Promise<PlanningState> {
  const [row] = await sql<{ version: bigint; now: Date; live: string[] }[]>`
    select version, now() as now, array(${selectLiveChannels(sql)}) as live from config_version`;
  if (row === undefined) throw new Error('config_version has no row: the database was not migrated by this service');
  return { version: row.version, now: row.now, live: new Set(row.live.map(BigInt)) };
}
