// What each machine was asked for in the last second, for limits that hold over all of them.

import type { AnySql } from './sql.js';

/** Publishes the demands of this machine and returns those of the others. A machine that is silent for three seconds is left out. */
export async function exchangeDemands(
  sql: AnySql,
  node: string,
  demands: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>[]> {
  await sql`
    insert into request_demand (node, demands, seen_at) values (${node}, ${sql.json(Object.fromEntries(demands))}, now())
    on conflict (node) do update set demands = excluded.demands, seen_at = excluded.seen_at`;
  const rows = await sql<{ demands: Record<string, number> }[]>`
    select demands from request_demand where node <> ${node} and seen_at > now() - interval '3 seconds'`;
  return rows.map((row) => new Map(Object.entries(row.demands)));
}

export async function removeDemands(sql: AnySql, node: string): Promise<void> {
  await sql`delete from request_demand where node = ${node} or seen_at < now() - interval '1 hour'`;
}
