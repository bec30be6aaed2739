// The live processes, by their heartbeats.

import { toPlain } from '../domain/plain.js';
import type { NodeFigures } from '../domain/platform.js';
import type { AnySql, JSONValue } from './sql.js';

export interface NodeRow {
  readonly node: string;
  readonly roles: readonly string[];
  readonly version: string;
  readonly started_at: Date;
  readonly seen_at: Date;
  readonly figures: NodeFigures;
}

/** By the database's clock, which is the same for all of them. */
export async function writeNode(
  sql: AnySql,
  { node, roles, version, started_at, figures }: Omit<NodeRow, 'seen_at'>,
): Promise<void> {
  await sql`
    insert into node (node, roles, version, started_at, seen_at, figures)
    values (${node}, ${[...roles]}, ${version}, ${started_at}, now(), ${sql.json(toPlain(figures) as JSONValue)})
    on conflict (node) do update set seen_at = excluded.seen_at, figures = excluded.figures`;
}

/** Called when a process stops. */
export async function removeNode(sql: AnySql, node: string): Promise<void> {
  await sql`delete from node where node = ${node}`;
}

/** Processes that ended without notice are shown for a day. */
export async function forgetNodes(sql: AnySql): Promise<void> {
  await sql`delete from node where seen_at < now() - interval '1 day'`;
}

/** How many processes with the role `api` are alive. */
export async function countApiNodes(sql: AnySql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from node
    where 'api' = any(roles) and seen_at > now() - interval '15 seconds'`;
  return row?.count ?? 0;
}

export type SeenNode = NodeRow & { readonly is_alive: boolean };

/** Oldest first. A process that has not been seen for a few rounds counts as gone. */
export async function readNodes(sql: AnySql): Promise<readonly SeenNode[]> {
  return await sql<SeenNode[]>`
    select node, roles, version, started_at, seen_at, figures, seen_at > now() - interval '15 seconds' as is_alive
    from node order by started_at, node limit 1000`;
}
