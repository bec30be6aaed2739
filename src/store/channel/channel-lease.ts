// The lease of a channel. The fencing token increases with every change of owner; writes for a channel name their token, and are refused
// after another process took over. The fence, which those writes lock, is written only at a takeover; the heartbeat is in a separate row
// that only its owner locks. In one row, the writes would starve the renewal, and a healthy owner would lose the lease.
// On a cluster, transactions of a bucket lock the fences of that bucket instead (`bucket-fence.ts`).

import { currentTimeline } from '../connection/commit-position.js';
import { databaseClock } from '../database-clock.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql, Sql, Statement } from '../sql.js';

export interface Lease {
  readonly channelId: bigint;
  readonly token: bigint;
}

export class LeaseLostError extends Error {
  constructor(channelIds: readonly bigint[]) {
    super(`another process owns channel ${channelIds.join(' or ')} now`);
    this.name = 'LeaseLostError';
  }
}

/** An operator has to release the channels: the database may have lost commits. What is queued waits. */
export class ChannelsHeldError extends LeaseLostError {
  constructor(channelIds: readonly bigint[]) {
    super(channelIds);
    this.name = 'ChannelsHeldError';
    this.message = 'channels are held: the database may have lost commits';
  }
}

/** After a failover, until every process has looked for its commits: retried like a server that is starting. */
export class TimelineUnconfirmedError extends Error {
  override readonly name = 'TimelineUnconfirmedError';
  override readonly message = 'the timeline of the database is not confirmed yet';
  readonly code = '57P03';
}

/** A takeover that waits longer has met a stuck transaction; the next one retries. */
const TAKEOVER_LOCK_TIMEOUT_MS = 3000;
/** The same for the heartbeat, which only its owner and a takeover lock: it must not hold a connection for long. */
const HEARTBEAT_LOCK_TIMEOUT_MS = 1500;

export interface LeaseClaim {
  readonly channelId: bigint;
  readonly owner: string;
  readonly leaseMs: number;
  /** How long the channel must have been without an owner; zero for a process that takes it at once. */
  readonly patienceMs: number;
}

/** Acquires a channel without an owner, or whose owner stopped renewing. Undefined if another process has it. */
export async function acquireLease(
  sql: Sql,
  { channelId, owner, leaseMs, patienceMs }: LeaseClaim,
): Promise<Lease | undefined> {
  return await sql.begin(async (tx) => {
    await tx.unsafe(`set local lock_timeout = ${TAKEOVER_LOCK_TIMEOUT_MS}`);
    await tx`
      insert into channel_heartbeat (channel_id, token, expires_at) values (${channelId}, 0, now())
      on conflict (channel_id) do nothing`;
    const [beat] = await tx<{ token: bigint }[]>`
      update channel_heartbeat
      set token = token + 1, expires_at = now() + ${leaseMs} * interval '1 millisecond', health = '{}', up_since = null
      where channel_id = ${channelId} and expires_at <= now() - ${patienceMs} * interval '1 millisecond'
      returning token`;
    if (beat === undefined) return undefined;
    // Waits for the transactions that write under the old token; those that come later are refused.
    await tx`
      insert into channel_fence (channel_id, owner, token) values (${channelId}, ${owner}, ${beat.token})
      on conflict (channel_id) do update set owner = excluded.owner, token = excluded.token`;
    return { channelId, token: beat.token };
  });
}

export interface LeaseTimes {
  readonly leaseMs: number;
  /** How long a channel must be up without interruption to count as live: one that goes up and down does not. */
  readonly steadyMs: number;
}

/** Keeps the lease and publishes the channel's health with it. False when it has been lost. */
export async function renewLease(
  sql: Sql,
  lease: Lease,
  { leaseMs, steadyMs }: LeaseTimes,
  health: object,
): Promise<boolean> {
  const isUp = 'state' in health && health.state !== 'down';
  const rows = await changeHeartbeat(
    sql,
    (tx) => tx`
      update channel_heartbeat
      set expires_at = now() + ${leaseMs} * interval '1 millisecond', health = ${tx.json({ ...health })},
        ${isUp ? sinceUp(tx, steadyMs) : tx`up_since = null`}
      where channel_id = ${lease.channelId} and token = ${lease.token} returning 1`,
  );
  return rows.length > 0;
}

/** A cluster takes no clock within `coalesce` or `case` of an update. */
function sinceUp(tx: AnySql, steadyMs: number): Statement {
  return tx`up_since = least(up_since, now()),
    live_at = (array[live_at, now()])[1 + (up_since <= now() - ${steadyMs} * interval '1 millisecond' is true)::int]`;
}

export async function releaseLease(sql: Sql, lease: Lease): Promise<void> {
  await changeHeartbeat(
    sql,
    (tx) => tx`update channel_heartbeat set expires_at = now(), health = '{}'
      where channel_id = ${lease.channelId} and token = ${lease.token}`,
  );
}

/** Both statements take one round trip. */
async function changeHeartbeat(sql: Sql, change: (tx: AnySql) => Statement): Promise<readonly object[]> {
  return await sql.begin(async (tx) => {
    const [, rows] = await Promise.all([
      tx.unsafe(`set local lock_timeout = ${HEARTBEAT_LOCK_TIMEOUT_MS}`),
      change(tx),
    ]);
    return rows;
  });
}

/** The ids, as text, of channels that are carrying messages now: owned, and not reported down by their owner. */
export function selectLiveChannels(sql: AnySql): Statement {
  return sql`
    select channel_id::text as id from channel_heartbeat
    where expires_at > now() and coalesce(health->>'state', 'down') <> 'down'`;
}

export async function readLiveChannels(sql: AnySql): Promise<Set<bigint>> {
  const rows = await sql<{ id: string }[]>`${selectLiveChannels(sql)}`;
  return new Set(rows.map(({ id }) => BigInt(id)));
}

const HELD_LEASES = defineRows('k', { channelId: 'bigint', token: 'bigint' });

/**
 * Locks the fences of these leases until the commit, and reads the clock. Throws if a lease is lost, if an operator must release the
 * channels, or if the timeline is not confirmed: after a failover nothing is sent before all processes have looked for their commits.
 */
export async function readHeldFences(tx: AnySql, leases: readonly Lease[]): Promise<Date> {
  const history = leases.length === 0 ? tx`'open'` : tx`(select ${historyState(tx)} from recovery)`;
  const [row] = await tx<{ now: Date; held: number; history: 'open' | 'held' | 'unconfirmed' }[]>`
    select date_trunc('milliseconds', clock_timestamp()) as now, ${history} as history, (
      select count(*)::int from (
        select 1
        from ${HELD_LEASES.unnest(tx, leases)}
        join channel_fence f on f.channel_id = k.channel_id and f.token = k.token
        for share of f
      ) as fences
    ) as held`;
  const channelIds = leases.map((lease) => lease.channelId);
  if (row?.history === 'held') throw new ChannelsHeldError(channelIds);
  if (row?.history === 'unconfirmed') throw new TimelineUnconfirmedError();
  if (row === undefined || row.held < leases.length) throw new LeaseLostError(channelIds);
  return databaseClock.read(row.now);
}

function historyState(tx: AnySql) {
  return tx`case when state = 'open' and timeline <> ${currentTimeline(tx)} then 'unconfirmed' else state end`;
}
