// The histories of the database: which one this server is on, which one the service knows, and what leads from the one to the other.

import { currentTimeline, lsnNumber } from '../connection/commit-position.js';
import { recordAudit } from '../operator/change.js';
import type { AnySql, Sql } from '../sql.js';

/** PostgreSQL counts a timeline for every promotion and every restore to an earlier point. */
export interface History {
  readonly systemIdentifier: string;
  readonly timeline: number;
}

/** The server as it is now. */
export interface ServerState extends History {
  /** The end of its log. */
  readonly position: bigint;
  /** Where it left the timeline before; null for a server that has not been a standby since it started. */
  readonly replayedTo: bigint | null;
  readonly startedAt: Date;
  readonly now: Date;
}

/** `waiting`: open channels stay open and send nothing, no other is opened. `held`: all are closed until an operator releases them. */
export type ChannelGate = 'open' | 'waiting' | 'held';

export const HOLD_REASONS = ['lost_commits', 'unproven', 'other_system', 'restored'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** What the service knows of it. */
export interface RecoveryState {
  /** Null before the first start. */
  readonly systemIdentifier: string | null;
  readonly timeline: number | null;
  readonly state: 'open' | 'held';
  readonly reason: HoldReason | null;
  readonly detail: string | null;
  readonly heldAt: Date | null;
}

export async function readServer(sql: AnySql): Promise<ServerState> {
  const [row] = await sql<ServerState[]>`
    select s.system_identifier::text as "systemIdentifier", ${currentTimeline(sql)} as timeline,
      ${lsnNumber(sql, sql`pg_current_wal_insert_lsn()`)} as position,
      ${lsnNumber(sql, sql`pg_last_wal_replay_lsn()`)} as "replayedTo",
      pg_postmaster_start_time() as "startedAt", clock_timestamp() as now
    from pg_control_system() s`;
  if (row === undefined) throw new Error('the server says nothing about its control file');
  return row;
}

export async function readRecovery(sql: AnySql): Promise<RecoveryState> {
  const [row] = await sql<RecoveryState[]>`
    select system_identifier as "systemIdentifier", timeline, state, reason, detail, held_at as "heldAt" from recovery`;
  if (row === undefined) throw new Error('recovery has no row: the database was not migrated by this service');
  return row;
}

/** The first process on this database takes its history as it is. */
export async function adoptHistory(sql: AnySql, { systemIdentifier, timeline }: History): Promise<void> {
  await sql`
    update recovery set system_identifier = ${systemIdentifier}, timeline = ${timeline} where system_identifier is null`;
}

/** No channel opens before an operator releases them. False where they are held already. */
export async function holdChannels(
  sql: Sql,
  actor: string,
  { reason, detail }: { readonly reason: HoldReason; readonly detail: string },
): Promise<boolean> {
  return await sql.begin(async (tx) => {
    const rows = await tx`
      update recovery set state = 'held', reason = ${reason}, detail = ${detail}, held_at = now(), noticed_at = null
      where state = 'open' returning 1`;
    if (rows.length === 0) return false;
    await recordAudit(tx, actor, { action: 'channels.hold', subject: 'channels', change: { reason, detail } });
    return true;
  });
}

/** Channels may send on the history that this server has now. False where they are not held. */
export async function openChannels(tx: AnySql, { systemIdentifier, timeline }: History): Promise<boolean> {
  const rows = await tx`
    update recovery set state = 'open', reason = null, detail = null, held_at = null, noticed_at = null,
      system_identifier = ${systemIdentifier}, timeline = ${timeline}
    where state = 'held' returning 1`;
  return rows.length > 0;
}

/** How long processes that were there before a failover have to look for their commits. */
const VOTE_SECONDS = 15;
/** A process that was silent for this long before the failover was noticed is not waited for. */
const ALIVE_SECONDS = 60;

/** This process has found all of its commits on this timeline. Counts once its heartbeat is there. */
export async function confirmTimeline(sql: AnySql, node: string, timeline: number): Promise<void> {
  await sql`
    update node set confirmed_timeline = ${timeline}
    where node = ${node} and confirmed_timeline is distinct from ${timeline}`;
}

export type Promotion = 'waiting' | 'confirmed' | 'unconfirmed';

/**
 * Goes over to this timeline when every process that was there before it has confirmed it. After the time to vote, those that are silent
 * count as gone, and one vote is enough; `unconfirmed` says that there is none.
 */
export async function followPromotion(sql: AnySql, timeline: number): Promise<Promotion> {
  await sql`
    update recovery set noticed_at = now() where noticed_at is null and state = 'open' and timeline <> ${timeline}`;
  const [row] = await sql<{ votes: number; missing: number; late: boolean | null }[]>`
    select count(*) filter (where n.confirmed_timeline = ${timeline})::int as votes,
      count(*) filter (where n.confirmed_timeline is distinct from ${timeline} and n.started_at < r.noticed_at
        and n.seen_at > r.noticed_at - ${ALIVE_SECONDS} * interval '1 second')::int as missing,
      r.noticed_at < now() - ${VOTE_SECONDS} * interval '1 second' as late
    from recovery r left join node n on true
    group by r.noticed_at`;
  const { votes = 0, missing = 0, late = false } = row ?? {};
  if (late !== true && (votes === 0 || missing > 0)) return 'waiting';
  if (votes === 0) return 'unconfirmed';
  await sql`
    update recovery set timeline = ${timeline}, noticed_at = null where state = 'open' and noticed_at is not null`;
  return 'confirmed';
}
