// The quarantine of all processes: tasks that could not be prepared, from their rows, and what each process holds in memory, from its
// heartbeat.

import { asCustomerId, type CustomerId } from '../../domain/id.js';
import type { QuarantinedItem } from '../../domain/platform.js';
import { type ListSource, listFromArray } from '../list.js';
import { readNodes } from '../node.js';
import type { Sql } from '../sql.js';

export interface QuarantineRecord {
  readonly kind: QuarantinedItem['kind'] | 'prepare';
  readonly customerId: CustomerId;
  readonly taskId: bigint | null;
  readonly channelId: bigint | null;
  readonly node: string | null;
  readonly parts: number | null;
  readonly reason: string;
  readonly tries: number;
  readonly since: Date | null;
  readonly nextTryAt: Date | null;
}

/** More than this means that the platform is broken; the newest show the cause. */
const MAX_TASKS = 1000;

/** Any text: the list is short, and an unknown key starts it again. */
export function isQuarantineKey(text: string): boolean {
  return text.length <= 200;
}

export async function listQuarantine(sql: Sql): Promise<ListSource<QuarantineRecord>> {
  const [quarantined, unprepared] = await Promise.all([readQuarantined(sql), readUnprepared(sql)]);
  return listFromArray([...quarantined, ...unprepared], ({ kind, node, customerId, taskId, channelId }) =>
    [kind, customerId, taskId, channelId, node].join('.'),
  );
}

async function readQuarantined(sql: Sql): Promise<QuarantineRecord[]> {
  const nodes = await readNodes(sql);
  return nodes.flatMap(({ node, is_alive, figures }) =>
    // A dead process holds nothing any more: another one finds its work in the tables.
    (is_alive ? (figures.set_aside ?? []) : []).map((item) => ({
      kind: item.kind,
      customerId: asCustomerId(BigInt(item.customer_id)),
      taskId: item.task_id === null ? null : BigInt(item.task_id),
      channelId: item.channel_id === null ? null : BigInt(item.channel_id),
      node,
      parts: item.parts,
      reason: item.reason,
      tries: item.tries,
      since: new Date(item.since),
      nextTryAt: item.next_try_at === undefined ? null : new Date(item.next_try_at),
    })),
  );
}

async function readUnprepared(sql: Sql): Promise<QuarantineRecord[]> {
  const rows = await sql<
    { customer_id: bigint; task_id: bigint; reason: string; tries: number; prepare_after: Date | null }[]
  >`
    select customer_id, task_id, prepare_error as reason, prepare_tries as tries, prepare_after from task
    where queued_for is not null and prepare_error is not null
    order by task_id desc limit ${MAX_TASKS}`;
  return rows.map(({ customer_id, task_id, reason, tries, prepare_after }) => ({
    kind: 'prepare',
    customerId: asCustomerId(customer_id),
    taskId: task_id,
    channelId: null,
    node: null,
    parts: null,
    reason,
    tries,
    since: null,
    nextTryAt: prepare_after,
  }));
}
