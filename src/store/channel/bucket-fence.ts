// On a cluster each bucket has its own fences, on the machine of its rows, and its transactions lock those. The fence on the coordinator
// does not suffice: Citus commits a transaction on the other machines first, so a takeover could read a bucket before the last transaction
// of the previous owner has ended there.

import { numericArray } from '../array-literal.js';
import { isDistributed } from '../cluster/distribution.js';
import { databaseClock } from '../database-clock.js';
import { noteMachineError } from '../retry.js';
import type { AnySql, Sql } from '../sql.js';
import { type Lease, LeaseLostError, readHeldFences } from './channel-lease.js';

/** The owner of the lease has not taken this bucket over yet. Retried like a machine that is away. */
class NotTakenOverError extends Error {
  override readonly name = 'NotTakenOverError';
  readonly code = '57P03';

  constructor(bucket: number) {
    super(`bucket ${bucket} has not been taken over yet`);
    noteMachineError(this);
  }
}

/**
 * Locks the fences of these leases until the commit of a transaction of this bucket, and reads the clock. Throws when one of them has
 * been lost. On one PostgreSQL these are the fences of the channels.
 */
export async function readBucketFences(tx: AnySql, bucket: number, leases: readonly Lease[]): Promise<Date> {
  if (!isDistributed(tx)) return await readHeldFences(tx, leases);
  if (leases.length === 0) return await readClock(tx);
  const channelIds = leases.map((lease) => lease.channelId);
  const fences = await tx<(Lease & { now: Date })[]>`
    select channel_id as "channelId", token, date_trunc('milliseconds', clock_timestamp()) as now from bucket_fence
    where bucket = ${bucket} and channel_id = any(${numericArray(channelIds)}::bigint[])
    for share`;
  const tokens = new Map(fences.map(({ channelId, token }) => [channelId, token]));
  const lost = leases.filter(({ channelId, token }) => (tokens.get(channelId) ?? 0n) > token);
  if (lost.length > 0) throw new LeaseLostError(lost.map(({ channelId }) => channelId));
  const [first] = fences;
  const isHeld = leases.every(({ channelId, token }) => tokens.get(channelId) === token);
  if (first === undefined || !isHeld) throw new NotTakenOverError(bucket);
  return databaseClock.read(first.now);
}

async function readClock(tx: AnySql): Promise<Date> {
  const [row] = await tx<{ now: Date }[]>`select date_trunc('milliseconds', clock_timestamp()) as now`;
  if (row === undefined) throw new Error('the database returned no time');
  return databaseClock.read(row.now);
}

/**
 * Called before the owner of a channel reads what the previous owner left in a bucket. Waits for transactions under an older token, and
 * has later ones refused. Never lowers the fence. On one PostgreSQL `acquireLease` does this.
 */
export async function takeOverBucket(sql: Sql, bucket: number, { channelId, token }: Lease): Promise<void> {
  if (!isDistributed(sql)) return;
  // No lock timeout: the heartbeat renews the lease meanwhile, and a takeover that gives up releases it and begins again.
  await sql`
    insert into bucket_fence (bucket, channel_id, token) values (${bucket}, ${channelId}, ${token})
    on conflict (bucket, channel_id) do update set token = excluded.token where bucket_fence.token < excluded.token`;
}
