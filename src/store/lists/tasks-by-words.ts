// Tasks by words that stand anywhere in what people know of them. No index has these: a page walks so many tasks, newest first, and
// ends there, full or not, with the key to continue after.

import type { Task } from '../../domain/task/task.js';
import type { Tenant } from '../../domain/tenant.js';
import { numericArray } from '../array-literal.js';
import { type Condition, ownRows, walkOf } from '../condition.js';
import type { ListScan, ListSource } from '../list.js';
import type { AnySql } from '../sql.js';
import { taskColumns, toTask } from '../task/task.js';
import { patternOf, searchable, type WantedText } from './wanted-text.js';

/** Each is read whole, so that a page costs a few milliseconds. */
export const MAX_SEARCHED_TASKS = 2_000;
/** A longer content, as it is stored, belongs to a list of numbers with their own values: reading those would take seconds. */
const MAX_SEARCHED_BYTES = 2_000;

export interface WantedWords {
  /** In any case. */
  readonly words: WantedText;
  /** The templates that have them in their name or their text. */
  readonly templateIds: readonly bigint[];
  /** Also in the values that were sent; of templates other than these. */
  readonly values: { readonly butOf: readonly bigint[] } | undefined;
}

/** Selects the ids of the tasks that the other filters leave, without those that were seen. */
type SelectIds = (seen: Condition, direction: Condition) => Condition;

export function listTasksByWords(
  sql: AnySql,
  tenant: Tenant,
  wanted: WantedWords,
  selectIds: SelectIds,
): ListSource<Task> {
  const isFound = hasWords(sql, wanted);
  const walk = (seen: Condition, direction: Condition) => sql`
    select t.task_id, ${isFound} as is_found
    from (${selectIds(seen, direction)} order by task_id ${direction} limit ${MAX_SEARCHED_TASKS}) as walked
    cross join lateral (select * from task where ${ownRows(sql, tenant)} and task_id = walked.task_id offset 0) as t`;
  const page: ListScan<Task>['page'] = async ({ after, offset, limit, oldestFirst }) => {
    const { direction, beyond } = walkOf(sql, oldestFirst);
    const seen = after === undefined ? sql`` : sql`and task_id ${beyond} ${after}`;
    // One statement, hence one snapshot: tasks that are added meanwhile do not move the end of the walk.
    const rows = await sql`
      with walked as materialized (${walk(seen, direction)}),
        page as materialized (
          select task_id from walked where is_found order by task_id ${direction} limit ${limit} offset ${offset}
        ),
        last as (
          select case when count(*) = ${MAX_SEARCHED_TASKS} and (select count(*) from page) < ${limit}
            then ${oldestFirst === true ? sql`max(task_id)` : sql`min(task_id)`} end as last_id
          from walked
        )
      select ${taskColumns(sql)}, last.last_id
      from last
      left join page on true
      left join lateral (select * from task where ${ownRows(sql, tenant)} and task_id = page.task_id offset 0) as t on true
      order by t.task_id ${direction}`;
    const lastId = rows[0]?.last_id ?? null;
    return {
      rows: rows.filter((row) => row.task_id !== null).map(toTask),
      resumeAfter: lastId === null ? undefined : String(lastId),
    };
  };
  const count: ListScan<Task>['count'] = async (limit) => {
    const [row] = await sql<{ found: number; walked: number }[]>`
      select count(*) filter (where is_found)::int as found, count(*)::int as walked
      from (${walk(sql``, sql`desc`)}) as walked`;
    const { found = 0, walked = 0 } = row ?? {};
    return { count: Math.min(found, limit), isExact: walked < MAX_SEARCHED_TASKS };
  };
  return {
    keyOf: (task) => String(task.taskId),
    rows: async (bounds) => (await page(bounds)).rows,
    count: async (limit) => (await count(limit)).count,
    scan: { page, count },
  };
}

/** Of a task `t`. */
function hasWords(sql: AnySql, { words, templateIds, values }: WantedWords): Condition {
  const containing = (text: string) => `%${patternOf({ ...words, text })}%`;
  const inTitle = sql`${searchable(sql, sql`t.title`, words)} ilike ${containing(words.text)}`;
  const ofTemplate = sql`t.template_id = any(${numericArray(templateIds)}::bigint[])`;
  if (values === undefined) return sql`coalesce(${inTitle} or ${ofTemplate}, false)`;
  // As JSON has the words: the content is one.
  const inContent = sql`
    pg_column_size(t.content) <= ${MAX_SEARCHED_BYTES} and t.content ilike ${containing(JSON.stringify(words.text).slice(1, -1))}
    and t.template_id <> all(${numericArray(values.butOf)}::bigint[])`;
  return sql`(coalesce(${inTitle}, false) or ${ofTemplate} or coalesce(${inContent}, false))`;
}
