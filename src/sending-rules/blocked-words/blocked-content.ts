// Which blocked words were found in which tasks. Operators list them (`store/operator/templates/blocked-words.ts`).

import type { TaskKey } from '../../domain/task/task.js';
import { bucketRow } from '../../store/bucket.js';
import { defineRows } from '../../store/rows/bulk-rows.js';
import type { AnySql, Statement } from '../../store/sql.js';

export interface BlockedWordUse extends TaskKey {
  readonly word: string;
  /** How many numbers of the task were rejected for it. */
  readonly numbers: number;
}

const BLOCKED = defineRows('w', { customerId: 'bigint', taskId: 'bigint', word: 'text', numbers: 'int' });

/** Adds to what was found in a task before. */
export function insertBlockedContent(tx: AnySql, bucket: number, rows: readonly BlockedWordUse[]): Statement {
  return tx`
    insert into blocked_content (bucket, ${BLOCKED.names(tx)})
    select b.bucket, ${BLOCKED.values(tx)}
    from ${bucketRow(tx, bucket)} cross join ${BLOCKED.unnest(tx, sumUp(rows))}
    on conflict (bucket, customer_id, task_id, word) do update
      set numbers = blocked_content.numbers + excluded.numbers`;
}

/** One row for each word of a task. */
function sumUp(rows: readonly BlockedWordUse[]): BlockedWordUse[] {
  const sums = new Map<string, BlockedWordUse>();
  for (const row of rows) {
    const key = `${row.customerId} ${row.taskId} ${row.word}`;
    sums.set(key, { ...row, numbers: (sums.get(key)?.numbers ?? 0) + row.numbers });
  }
  return [...sums.values()];
}
