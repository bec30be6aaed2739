// Waits until everything that can come to rest has: nothing to prepare, to send, to learn or to report.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../src/store/connect.js';
import type { History } from './history.js';
import { probeNode } from './load/load.js';
import { SESSIONS, type World } from './world/world.js';

const REST_MS = 75_000;
const LOOK_MS = 400;

/** What is still not at rest when the patience is at an end; empty when everything is. */
export async function awaitRest(world: World, restMs = REST_MS): Promise<string[]> {
  const deadline = performance.now() + restMs;
  for (;;) {
    const unrest = await findUnrest(world).catch((error: Error) => [`the checker could not look: ${error.message}`]);
    if (unrest.length === 0 || performance.now() > deadline) return unrest;
    await sleep(LOOK_MS);
  }
}

async function findUnrest(world: World): Promise<string[]> {
  const rows = await readUnrest(world.database.sql);
  const unrest = rows.filter(({ count }) => count > 0).map(({ what, count }) => `${count} ${what}`);
  for (const centre of world.centres) {
    const pending = await centre.pending();
    if (pending > 0) unrest.push(`${pending} receipts of ${centre.name} not acknowledged`);
    // More than one process would speak for its channel, or none.
    const open = centre.proxy.open();
    if (open !== SESSIONS) unrest.push(`${open} connections to ${centre.name}, not ${SESSIONS}`);
  }
  return unrest;
}

async function readUnrest(sql: Sql): Promise<{ what: string; count: number }[]> {
  return await sql<{ what: string; count: number }[]>`
    select 'tasks to prepare' as what, count(*)::int as count from task where queued_for = 'prepare'
    union all select 'tasks in stage ' || stage, count(*)::int from task
      where stage in ('submitting', 'waiting_receipt', 'submit_unknown') group by stage
    union all select 'chunks up for dispatch', count(*)::int from chunk where queue_no is not null
    union all select 'unknown parts', count(*)::int from unknown_part
    union all select 'customers whose tasks are to be frozen', count(*)::int from account where wants_refreeze`;
}

/** The nodes that do not say they are ready although nothing is wrong any more. */
export async function findUnready(world: World, history: History, patienceMs = 20_000): Promise<string[]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const statuses = await Promise.all(world.nodes.map((node) => probeNode(history, node)));
    const unready = world.nodes.flatMap((node, at) => (statuses[at] === 200 ? [] : `${node.name}: ${statuses[at]}`));
    if (unready.length === 0 || performance.now() > deadline) return unready;
    await sleep(LOOK_MS);
  }
}
