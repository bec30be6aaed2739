// The traffic of the channels, minute by minute for a day. The owners publish counts that only grow; one process copies them once a minute,
// and the difference of two copies is the traffic between them.

import type { AnySql } from '../sql.js';

/** Of all channels together, or of one. */
export interface Throughput {
  readonly at: Date;
  readonly accepted: number;
  readonly refused: number;
  readonly throttled: number;
  readonly unknown: number;
  readonly reports: number;
}

/** Does nothing in a minute that is recorded already. By the database's clock, which is the same for all processes. */
export async function recordMinute(sql: AnySql): Promise<void> {
  await sql`
    insert into channel_minute (minute, channel_id, since, accepted, refused, throttled, unknown, reports)
    select date_trunc('minute', now()), channel_id, (figures->>'since')::timestamptz, (counts->>'accepted')::bigint,
      (counts->>'refused')::bigint, (counts->>'throttled')::bigint, (counts->>'unknown')::bigint, (counts->>'reports')::bigint
    from channel_heartbeat
    cross join lateral (select health->'figures' as figures, health->'figures'->'counts' as counts) as said
    where expires_at > now() and counts is not null
    on conflict do nothing`;
  // One minute more than is shown: each minute is the difference to the one before.
  await sql`delete from channel_minute where minute < now() - interval '1442 minutes'`;
}

/**
 * In steps of so many minutes, oldest first. An owner counts from zero, so its first copy is its traffic; without an earlier copy, only if
 * it began within the minute.
 */
export async function readThroughput(
  sql: AnySql,
  minutes: number,
  stepMinutes: number,
  channelId?: bigint,
): Promise<Throughput[]> {
  return await sql<Throughput[]>`
    select date_bin(${stepMinutes} * interval '1 minute', minute - interval '1 minute', 'epoch') as at,
      sum(accepted - case when old_since = since then old_accepted else 0 end)::int as accepted,
      sum(refused - case when old_since = since then old_refused else 0 end)::int as refused,
      sum(throttled - case when old_since = since then old_throttled else 0 end)::int as throttled,
      sum(unknown - case when old_since = since then old_unknown else 0 end)::int as unknown,
      sum(reports - case when old_since = since then old_reports else 0 end)::int as reports
    from (
      select *, lag(minute) over channel as old_minute, lag(since) over channel as old_since,
        lag(accepted) over channel as old_accepted, lag(refused) over channel as old_refused,
        lag(throttled) over channel as old_throttled, lag(unknown) over channel as old_unknown,
        lag(reports) over channel as old_reports
      from channel_minute where minute >= date_trunc('minute', now()) - ${minutes} * interval '1 minute'
        and ${channelId === undefined ? sql`true` : sql`channel_id = ${channelId}`}
      window channel as (partition by channel_id order by minute)
    ) as copy
    where old_minute is not null or since > minute - interval '1 minute'
    group by 1 order by 1`;
}
