// The session log of a channel: its latest session events, in a fixed number of slots.

import type { ChannelEvent } from '../../domain/entities/channel-test.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql } from '../sql.js';
import type { Lease } from './channel-lease.js';

const EVENTS_KEPT = 200;

const EVENTS = defineRows('n', { at: 'timestamptz', event: 'text', detail: 'text', position: 'int' });

/** Writes nothing under a lost lease: the next owner has its own events. */
export async function writeChannelEvents(
  sql: AnySql,
  { channelId, token }: Lease,
  events: readonly Omit<ChannelEvent, 'event_no' | 'owner'>[],
): Promise<void> {
  await sql`
    insert into channel_event (channel_id, slot, event_no, at, owner, event, detail)
    select ${channelId}, (last.no + n.position) % ${EVENTS_KEPT}, last.no + n.position, n.at, f.owner, n.event, n.detail
    from channel_fence f
    cross join (select coalesce(max(event_no), 0) as no from channel_event where channel_id = ${channelId}) as last
    cross join ${EVENTS.unnest(sql, events, { position: events.map((_, index) => index + 1) })}
    where f.channel_id = ${channelId} and f.token = ${token}
    on conflict (channel_id, slot) do update set event_no = excluded.event_no, at = excluded.at, owner = excluded.owner,
      event = excluded.event, detail = excluded.detail`;
}

/** Newest first. */
export async function readChannelEvents(sql: AnySql, channelNo: string): Promise<ChannelEvent[]> {
  return await sql<ChannelEvent[]>`
    select e.event_no, e.at, e.owner, e.event, e.detail
    from channel c join channel_event e on e.channel_id = c.channel_id
    where c.channel_no = ${channelNo} order by e.event_no desc`;
}
