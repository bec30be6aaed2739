import type { Owner } from '../../domain/entities/customer.js';
import type { Grant } from '../../domain/entities/terms-of-use.js';
import type { CustomerId } from '../../domain/id.js';
import type { Sql } from '../sql.js';
import { type ActorContext, changeConfiguration, recordAudit } from './change.js';
import { readChannelId } from './channel.js';

export type GrantOutcome =
  | { readonly kind: 'ok'; readonly grant: Grant }
  | { readonly kind: 'exists' }
  | { readonly kind: 'no_channel' };

export function createGrant(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  channelNo: string,
): Promise<GrantOutcome> {
  return changeConfiguration<GrantOutcome>(actorContext, async ({ tx, version }) => {
    const channelId = await readChannelId(tx, channelNo);
    if (channelId === undefined) return { kind: 'no_channel' };
    const [row] = await tx<{ created_at: Date }[]>`
      insert into channel_grant (customer_id, channel_id, version) values (${customerId}, ${channelId}, ${version})
      on conflict (customer_id, channel_id) do update set revoked_at = null, version = excluded.version,
        created_at = excluded.created_at
      where channel_grant.revoked_at is not null
      returning created_at`;
    if (row === undefined) return { kind: 'exists' };
    await recordAudit(tx, actorContext.actor, {
      action: 'grant.create',
      subject: customer_no,
      change: { channel_no: channelNo },
    });
    return { kind: 'ok', grant: { channel_no: channelNo, created_at: row.created_at } };
  });
}

/** Undefined when the customer has no such grant. */
export function revokeGrant(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  channelNo: string,
): Promise<Grant | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const channelId = await readChannelId(tx, channelNo);
    if (channelId === undefined) return undefined;
    const [row] = await tx<{ created_at: Date }[]>`
      update channel_grant set revoked_at = now(), version = ${version}
      where customer_id = ${customerId} and channel_id = ${channelId} and revoked_at is null
      returning created_at`;
    if (row === undefined) return undefined;
    await recordAudit(tx, actorContext.actor, {
      action: 'grant.revoke',
      subject: customer_no,
      change: { channel_no: channelNo },
    });
    return { channel_no: channelNo, created_at: row.created_at };
  });
}

/** Newest first. */
export async function readGrants(sql: Sql, customerId: CustomerId): Promise<readonly Grant[]> {
  return sql<Grant[]>`
    select channel_no, channel_grant.created_at from channel_grant
    join channel on channel.channel_id = channel_grant.channel_id
    where customer_id = ${customerId} and revoked_at is null order by channel_grant.created_at desc, channel.channel_id desc`;
}
