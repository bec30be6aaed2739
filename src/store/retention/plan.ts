// What retention has done, would do, and when.

import type { Sql } from '../sql.js';
import { readPartitions } from './end-history.js';
import { dueAt, findOpenHistory, monthOf, nameMonth, type OpenHistory, readDatabaseTime } from './months.js';

export interface PlannedMonth {
  /** `2025-01`. */
  readonly month: string;
  readonly state: 'kept' | 'due' | 'open' | 'ended';
  /** When its history ends, or when it ended; null: never. */
  readonly ends_at: Date | null;
  /** Records in its partitions, as the database estimates them; of an ended month, the rows that went. */
  readonly records: number;
  readonly bytes: number;
  /** What keeps a month that is due: tasks under way, and customers whose statistics are not summed. */
  readonly open_tasks: number;
  readonly unsummed_customers: number;
}

export interface RetentionRun {
  /** `2025-01`: everything up to the end of this month. */
  readonly month: string;
  readonly state: 'running' | 'done';
  readonly ended_at: string | null;
  /** Rows, by table. */
  readonly deleted: Readonly<Record<string, number>>;
}

/** The last run that deleted anything, or is about to; null where there was none. */
export async function readLastRun(sql: Sql): Promise<RetentionRun | null> {
  const [row] = await sql<{ month: Date; ended_at: Date | null; deleted: Record<string, number> }[]>`
    select month::timestamptz as month, ended_at, deleted from retention_month order by month desc limit 1`;
  if (row === undefined) return null;
  const { month, ended_at, deleted } = row;
  return {
    month: nameMonth(monthOf(month)),
    state: ended_at === null ? 'running' : 'done',
    ended_at: ended_at?.toISOString() ?? null,
    deleted,
  };
}

/** Oldest first. `retentionMs` null: everything is kept. */
export async function planRetention(sql: Sql, retentionMs: number | null): Promise<PlannedMonth[]> {
  const now = await readDatabaseTime(sql);
  const ended = await sql<{ month: Date; ended_at: Date; deleted: Record<string, number> }[]>`
    select month::timestamptz as month, ended_at, deleted from retention_month where ended_at is not null order by month`;
  const past = ended.map(
    ({ month, ended_at, deleted }): PlannedMonth => ({
      month: nameMonth(monthOf(month)),
      state: 'ended',
      ends_at: ended_at,
      records: Object.values(deleted).reduce((sum, rows) => sum + rows, 0),
      bytes: 0,
      open_tasks: 0,
      unsummed_customers: 0,
    }),
  );
  const sizes = new Map<string, { records: number; bytes: number }>();
  for (const { month, rows, bytes } of await readPartitions(sql, now)) {
    const size = sizes.get(month) ?? { records: 0, bytes: 0 };
    sizes.set(month, { records: size.records + rows, bytes: size.bytes + Number(bytes) });
  }
  const planned: PlannedMonth[] = [];
  for (const [name, size] of sizes) {
    const month = monthOf(new Date(`${name.replace('_', '-')}-01T00:00:00Z`));
    const ends_at = retentionMs === null ? null : dueAt(month, retentionMs);
    const isDue = ends_at !== null && ends_at <= now;
    const open = isDue ? await findOpenEverywhere(sql, month) : { tasks: 0, unsummed: 0 };
    const isOpen = open.tasks > 0 || open.unsummed > 0;
    planned.push({
      month: nameMonth(month),
      state: isDue ? (isOpen ? 'open' : 'due') : 'kept',
      ends_at,
      ...size,
      open_tasks: open.tasks,
      unsummed_customers: open.unsummed,
    });
  }
  return [...past, ...planned];
}

async function findOpenEverywhere(sql: Sql, month: ReturnType<typeof monthOf>): Promise<OpenHistory> {
  let sum: OpenHistory = { tasks: 0, unsummed: 0 };
  for (const { bucket } of await sql<{ bucket: number }[]>`select bucket from bucket order by bucket`) {
    const open = await findOpenHistory(sql, bucket, month);
    sum = { tasks: sum.tasks + open.tasks, unsummed: sum.unsummed + open.unsummed };
  }
  return sum;
}
