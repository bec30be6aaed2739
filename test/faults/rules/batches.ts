// A batch is the sum of its tasks.

import type { Batch, Task } from '@postrider/client';
import { groupBy } from '../../../src/domain/group-by.js';
import { type FinalRule, millionths, type RunningRule } from './rule.js';
import { findFaultIn } from './tasks.js';

const readsAddUp: RunningRule = {
  name: 'the counts and amounts of a batch add up at every read',
  check({ history }) {
    for (const call of [...history.calls('read-batch'), ...history.calls('move-batch')]) {
      if (call.status !== 200) continue;
      const batch = call.answer as Batch;
      const fault = findFaultIn({ ...batch, task_no: batch.batch_id });
      if (fault !== undefined) return `at ${call.endMs} ms ${fault}`;
    }
    return undefined;
  },
};

const isSumOfTasks: FinalRule = {
  name: 'a batch is the sum of its tasks',
  check({ views }) {
    for (const { customer, batches, tasks } of views) {
      const byBatch = groupBy(tasks, ({ batch_id }) => batch_id);
      for (const batch of batches) {
        const own = byBatch.get(batch.batch_id) ?? [];
        const isSum =
          batch.tasks === own.length &&
          batch.counts.total === sum(own, ({ counts }) => counts.total) &&
          batch.counts.delivered === sum(own, ({ counts }) => counts.delivered) &&
          millionths(batch.amounts.charged) === own.reduce((all, { amounts }) => all + millionths(amounts.charged), 0n);
        if (!isSum) return `${batch.batch_id} of ${customer.name} is ${JSON.stringify(batch)}`;
      }
      if (batches.length !== byBatch.size - (byBatch.has(null) ? 1 : 0)) return `${customer.name} misses a batch`;
    }
    return undefined;
  },
};

function sum(tasks: readonly Task[], count: (task: Task) => number): number {
  return tasks.reduce((all, task) => all + count(task), 0);
}

export const BATCH_RULES = { running: [readsAddUp], final: [isSumOfTasks] };
