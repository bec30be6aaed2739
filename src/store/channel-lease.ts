// Who speaks for a channel. The token rises with every change of owner; a write made for a channel names the token it was
// made under, and is refused once another process has taken the channel over.

import type { AnySql } from './connect.js';

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

/** Takes a channel that nobody owns, or whose owner stopped renewing. Undefined when it is in other hands. */
export async function acquireLease(
  sql: AnySql,
  channelId: bigint,
  owner: string,
  leaseMs: number,
): Promise<Lease | undefined> {
  const [row] = await sql<{ token: bigint }[]>`
    insert into channel_lease as l (channel_id, owner, token, expires_at)
    values (${channelId}, ${owner}, 1, now() + ${leaseMs} * interval '1 millisecond')
    on conflict (channel_id) do update set owner = excluded.owner, token = l.token + 1, expires_at = excluded.expires_at,
      health = '{}'
    where l.expires_at <= now()
    returning token`;
  return row === undefined ? undefined : { channelId, token: row.token };
}

/** Keeps the lease and publishes the channel's health with it. False when it has been lost. */
export async function renewLease(sql: AnySql, lease: Lease, leaseMs: number, health: object): Promise<boolean> {
  const rows = await sql`
    update channel_lease set expires_at = now() + ${leaseMs} * interval '1 millisecond', health = ${sql.json({ ...health })}
    where channel_id = ${lease.channelId} and token = ${lease.token} returning 1`;
  return rows.length > 0;
}

export async function releaseLease(sql: AnySql, lease: Lease): Promise<void> {
  await sql`update channel_lease set expires_at = now(), health = '{}'
    where channel_id = ${lease.channelId} and token = ${lease.token}`;
}

/** The channels that are carrying messages now: owned, and not reported down by their owner. */
export async function readLiveChannels(sql: AnySql): Promise<Set<bigint>> {
  const rows = await sql<{ channelId: bigint }[]>`
    select channel_id as "channelId" from channel_lease
    where expires_at > now() and coalesce(health->>'state', 'down') <> 'down'`;
  return new Set(rows.map((row) => row.channelId));
}
