// Which blocked words were found in which tasks. Operators list them (`store/operator/templates/blocked-words.ts`).

import type { TaskKey } from '../../domain/task/task.js';
import { bucketRow } from '../bucket.js';
import { defineRows } from '../rows/bulk-rows.js';
import type { AnySql, Statement } from '../sql.js';

export interface BlockedWordUse extends TaskKey {
  readonly word: string;
  /** How many numbers of the task were rejected for it. */
  readonly numbers: number;
}

const BLOCKED = defineRows('w', { customerId: 'bigint', taskId: 'bigint', word: 'text', numbers: 'int' });

export function insertBlockedContent(tx: AnySql, bucket: number, rows: readonly BlockedWordUse[]): Statement {
  return tx`
    insert into blocked_content (bucket, ${BLOCKED.names(tx)})
    select b.bucket, ${BLOCKED.values(tx)}
    from ${bucketRow(tx, bucket)} cross join ${BLOCKED.unnest(tx, rows)}
    on conflict do nothing`;
}
