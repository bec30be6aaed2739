// Waits until everything that can come to rest has: nothing to prepare, to send, to learn or to report.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../src/store/sql.js';
import type { History } from './history.js';
import { probeNode } from './load/load.js';
import { SESSIONS } from './world/carriers.js';
import type { World } from './world.js';

/** Nothing was sent or learned for so long: longer than any deadline of the service here. */
const STUCK_MS = 75_000;
/** Whatever is going on then does not end. */
const REST_MS = 150_000;
const LOOK_MS = 400;

/** What is still not at rest when the patience is at an end; empty when everything is. */
export async function awaitRest(world: World, stuckMs = STUCK_MS): Promise<string[]> {
  const end = performance.now() + REST_MS;
  let last = { records: 0, at: performance.now() };
  for (;;) {
    const unrest = await findUnrest(world).catch((error: Error) => [`the checker could not look: ${error.message}`]);
    // What was held up is sent at the pace of the carriers: a long queue is not stuck.
    const records = await countRecords(world).catch(() => last.records);
    if (records !== last.records) last = { records, at: performance.now() };
    const now = performance.now();
    if (unrest.length === 0 || now > last.at + stuckMs || now > end) return unrest;
    await sleep(LOOK_MS);
  }
}

async function countRecords({ database }: World): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select ((select count(*) from submit) + (select count(*) from receipt))::int as count`;
  return row?.count ?? 0;
}

async function findUnrest(world: World): Promise<string[]> {
  const rows = await readUnrest(world.database.sql);
  const unrest = rows.filter(({ count }) => count > 0).map(({ what, count }) => `${count} ${what}`);
  for (const centre of world.centres) {
    const pending = await centre.pending();
    if (pending > 0) unrest.push(`${pending} receipts of ${centre.name} not acknowledged`);
    // More than one process would speak for its channel, or none.
    const open = centre.proxy.open();
    if (centre.carrier.staysConnected && open !== SESSIONS)
      unrest.push(`${open} connections to ${centre.name}, not ${SESSIONS}`);
  }
  unrest.push(...(await findUntold(world)));
  return unrest;
}

/** Customers to whom something is still to be pushed. */
async function findUntold({ database, customers, receiver }: World): Promise<string[]> {
  const rows = await database.sql<{ customerNo: string; receipts: number; ends: number }[]>`
    select customer_no as "customerNo",
      (select count(*)::int from receipt r where r.customer_id = c.customer_id) as receipts,
      (select count(*)::int from task t where t.customer_id = c.customer_id and completed_at is not null) as ends
    from customer c`;
  const due = new Map(rows.map((row) => [row.customerNo, row]));
  return customers.flatMap(({ customerNo, webhooks }) =>
    webhooks.flatMap(({ path, events }) => {
      const pushed = { receipts: new Set<string>(), ends: new Set<string>() };
      for (const { type, data } of receiver.arrivals.filter((arrival) => arrival.isStored && arrival.path === path)) {
        if (type === 'receipts')
          for (const item of (data as EventBatch).items) pushed.receipts.add(`${item.task_no}/${item.seq}`);
        if (type === 'task.finished') pushed.ends.add((data as { task_no: string }).task_no);
      }
      const receipts = (due.get(customerNo)?.receipts ?? 0) - pushed.receipts.size;
      const ends = events.includes('task.finished') ? (due.get(customerNo)?.ends ?? 0) - pushed.ends.size : 0;
      return receipts <= 0 && ends <= 0 ? [] : [`${receipts} receipts and ${ends} ends not pushed to ${path}`];
    }),
  );
}

interface EventBatch {
  readonly items: readonly { readonly task_no: string; readonly seq: number }[];
}

async function readUnrest(sql: Sql): Promise<{ what: string; count: number }[]> {
  return await sql<{ what: string; count: number }[]>`
    select 'tasks to prepare' as what, count(*)::int as count from task where queued_for = 'prepare'
    union all select 'tasks in stage ' || stage, count(*)::int from task
      where stage in ('submitting', 'waiting_receipt', 'submit_unknown') group by stage
    union all select 'tasks that wait for their time', count(*)::int from task
      where submit_at is not null or unsent_until is not null
    union all select 'messages to webhooks under way', count(*)::int from webhook_cursor where message_end is not null
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
