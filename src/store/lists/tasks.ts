// Tasks of one customer, newest first. The stage changes with nearly every update of a task, so no index knows it; each stage
// is found by where its tasks are: those that wait to be prepared and those that ended early have small indexes of their
// own, those under way are the ones that have chunks, and nearly all the others are completed.

import type { Stage } from '../../domain/task/stages.js';
import type { Task } from '../../domain/task/task.js';
import { numericArray } from '../array-literal.js';
import { allOf, type Condition, countUpTo, idRange, type ListScope, ownRows, walkOf } from '../condition.js';
import type { ListSource } from '../list.js';
import type { AnySql } from '../sql.js';
import { taskColumns, toTask } from '../task/task.js';
import { listTasksByWords, type WantedWords } from './tasks-by-words.js';
import { knownStartOf, patternOf, searchable, type WantedText } from './wanted-text.js';

export interface TaskFilters {
  /** As stored: with the letter that says where it comes from. */
  readonly requestKey?: string | undefined;
  readonly batchId?: string | undefined;
  readonly stage?: Stage | undefined;
  readonly templateId?: bigint | undefined;
  /** Only of these templates. */
  readonly templateIds?: readonly bigint[] | undefined;
  /** What the title begins with. */
  readonly titleStart?: WantedText | undefined;
  readonly wanted?: WantedWords | undefined;
}

export function listTasks(sql: AnySql, scope: ListScope, filters: TaskFilters): ListSource<Task> {
  const range = idRange(scope);
  const matching = (seen: Condition, direction = sql`desc`) =>
    selectTasks(sql, {
      own: ownRows(sql, scope),
      stage: filters.stage,
      others: [
        filters.requestKey === undefined ? undefined : sql`request_key = ${filters.requestKey}`,
        filters.batchId === undefined ? undefined : sql`batch_id = ${filters.batchId}`,
        filters.templateId === undefined ? undefined : sql`template_id = ${filters.templateId}`,
        ofTemplates(sql, filters),
        filters.titleStart === undefined ? undefined : titleBeginsWith(sql, filters.titleStart),
      ],
      bounds: [
        range.from === undefined ? undefined : sql`task_id >= ${range.from}`,
        range.until === undefined ? undefined : sql`task_id < ${range.until}`,
      ],
      seen,
      direction,
    });
  if (filters.wanted !== undefined) return listTasksByWords(sql, scope, filters.wanted, matching);
  return {
    keyOf: (task) => String(task.taskId),
    count: (limit) => countUpTo(sql, sql`from (${matching(sql``)}) as task`, limit),
    rows: async ({ after, offset, limit, oldestFirst }) => {
      const { direction, beyond } = walkOf(sql, oldestFirst);
      // Skipping happens on ids alone; only the rows of the page are read whole, each by its key, as the offset sees to.
      const rows = await sql`
        with page as materialized (
          ${matching(after === undefined ? sql`` : sql`and task_id ${beyond} ${after}`, direction)}
          order by task_id ${direction} limit ${limit} offset ${offset})
        select ${taskColumns(sql)}
        from page
        cross join lateral (select * from task where ${ownRows(sql, scope)} and task_id = page.task_id offset 0) as t
        order by t.task_id ${direction}`;
      return rows.map(toTask);
    },
  };
}

export interface TaskSelection {
  /** Whose. */
  readonly own: Condition;
  readonly stage: Stage | undefined;
  /** Conditions on columns of the task. */
  readonly others: readonly (Condition | undefined)[];
  /** Conditions on the task id alone. */
  readonly bounds: readonly (Condition | undefined)[];
  readonly seen: Condition;
  /** Newest first unless given. */
  readonly direction?: Condition;
}

const UNDER_WAY: readonly Stage[] = ['prepared', 'submitting', 'waiting_receipt', 'submit_unknown'];

/** Selects task ids, by the index that knows the stage. */
export function selectTasks(
  sql: AnySql,
  { own, stage, others, bounds, seen, direction = sql`desc` }: TaskSelection,
): Condition {
  const filtered = allOf(sql, own, [
    stage === undefined ? undefined : stageCondition(sql, stage),
    ...others,
    ...bounds,
  ]);
  if (stage === undefined || !UNDER_WAY.includes(stage)) return sql`select task_id from task where ${filtered} ${seen}`;
  return sql`
    select open.task_id
    from (select distinct task_id from chunk where ${allOf(sql, own, bounds)} ${seen} order by task_id ${direction}) as open
    cross join lateral (select 1 from task where ${filtered} and task.task_id = open.task_id limit 1) as found`;
}

export function ofTemplates(sql: AnySql, { templateIds }: Pick<TaskFilters, 'templateIds'>): Condition | undefined {
  return templateIds === undefined ? undefined : sql`template_id = any(${numericArray(templateIds)}::bigint[])`;
}

/** Behind every other character. */
const LAST_CHARACTER = '\u{10FFFF}';

/** As a range of bytes, which the index supports in every plan. */
export function titleBeginsWith(sql: AnySql, wanted: WantedText): Condition {
  const start = knownStartOf(wanted);
  const range = sql`title is not null and title ~>=~ ${start} and title ~<~ ${start + LAST_CHARACTER}`;
  if (start === wanted.text) return range;
  return sql`${range} and ${searchable(sql, sql`title`, wanted)} like ${`${patternOf(wanted)}%`}`;
}

/** With the column that an index knows, where there is one. */
function stageCondition(sql: AnySql, stage: Stage): Condition {
  if (stage === 'queued') return sql`stage = 'queued' and queued_for is not null`;
  if (stage === 'failed' || stage === 'cancelled') return sql`ended is not null and ended = ${stage}`;
  return sql`stage = ${stage}`;
}
