// A task at every look, and in the end.

import type { Task, TaskDetail } from '@postrider/client';
import { groupBy } from '../../../src/domain/group-by.js';
import type { Call } from '../history.js';
import { type FinalRule, findRepeated, isFinished, millionths, type RunningRule } from './rule.js';

/** Every task in an answer, with the time in which it was read. */
function readTasks(calls: readonly Call[]): { task: Task; startMs: number; endMs: number }[] {
  return calls.flatMap(({ status, answer, startMs, endMs }) => {
    if (status !== 200 || answer === undefined) return [];
    const { items } = answer as { items?: Task[] };
    const tasks = items ?? [answer as Task];
    return tasks
      .filter((task) => task.task_no !== undefined && task.counts !== undefined)
      .map((task) => ({ task, startMs, endMs }));
  });
}

export function findFaultIn({
  task_no,
  counts,
  amounts,
}: Pick<Task, 'task_no' | 'counts' | 'amounts'>): string | undefined {
  const { total, ...states } = counts;
  const sum = Object.values(states).reduce((left, right) => left + right, 0);
  if (sum !== total) return `the counts of ${task_no} are ${sum} of ${total}: ${JSON.stringify(counts)}`;
  const [frozen, charged, released, refunded, held] = [
    amounts.frozen,
    amounts.charged,
    amounts.released,
    amounts.refunded,
    amounts.held,
  ].map(millionths) as [bigint, bigint, bigint, bigint, bigint];
  const isSound = frozen === charged + released + held && refunded <= charged && held >= 0n;
  return isSound ? undefined : `the amounts of ${task_no} do not add up: ${JSON.stringify(amounts)}`;
}

const readsAddUp: RunningRule = {
  name: 'counts and amounts add up at every read',
  check({ history }) {
    for (const { task, endMs } of readTasks(history.calls())) {
      const fault = findFaultIn(task);
      if (fault !== undefined) return `at ${endMs} ms ${fault}`;
    }
    return undefined;
  },
};

const RANKS: Record<Task['stage'], number> = {
  queued: 0,
  prepared: 1,
  submitting: 2,
  submit_unknown: 3,
  waiting_receipt: 4,
  completed: 5,
  failed: 5,
  cancelled: 5,
};

/** Whether a reader may see the second after the first. */
function isForward(before: Task['stage'], after: Task['stage']): boolean {
  return before === after || RANKS[before] < RANKS[after];
}

const stagesForward: RunningRule = {
  name: 'stages only move forward',
  check({ history }) {
    const seen = new Map<string, { stage: Task['stage']; endMs: number }>();
    const reads = readTasks(history.calls()).sort((left, right) => left.endMs - right.endMs);
    for (const { task, startMs, endMs } of reads) {
      const before = seen.get(task.task_no);
      // Reads that overlapped may have happened in either order.
      if (before !== undefined && before.endMs <= startMs && !isForward(before.stage, task.stage)) {
        return `${task.task_no} was ${before.stage} at ${before.endMs} ms and ${task.stage} at ${startMs} ms`;
      }
      if (before === undefined || isForward(before.stage, task.stage))
        seen.set(task.task_no, { stage: task.stage, endMs });
    }
    return undefined;
  },
};

const timelinesForward: FinalRule = {
  name: 'timelines only go forward',
  check({ views }) {
    for (const { task_no, timeline } of views.flatMap(({ tasks }) => tasks)) {
      for (const [at, { stage }] of timeline.entries()) {
        const before = timeline[at - 1]?.stage;
        if (before !== undefined && (before === stage || !isForward(before, stage))) {
          return `${task_no} went from ${before} to ${stage}: ${JSON.stringify(timeline)}`;
        }
      }
    }
    return undefined;
  },
};

const oneReceipt: FinalRule = {
  name: 'every number of a finished task has exactly one receipt',
  check({ views }) {
    for (const { tasks, receipts } of views) {
      const repeated = findRepeated(receipts, ({ task_no, seq }) => `${task_no}/${seq}`);
      if (repeated !== undefined) return `${repeated} has a receipt`;
      const byTask = groupBy(receipts, ({ task_no }) => task_no);
      for (const task of tasks) {
        const fault = compareReceipts(task, byTask.get(task.task_no) ?? []);
        if (fault !== undefined) return fault;
      }
    }
    return undefined;
  },
};

function compareReceipts(task: TaskDetail, receipts: readonly { readonly result: string }[]): string | undefined {
  const { counts, task_no, stage } = task;
  for (const result of ['delivered', 'undelivered', 'expired', 'rejected'] as const) {
    const found = receipts.filter((receipt) => receipt.result === result).length;
    if (found !== counts[result]) return `${task_no} counts ${counts[result]} ${result} and has ${found} receipts`;
  }
  const isWhole = !['completed', 'cancelled'].includes(stage) || receipts.length === counts.total;
  return isWhole ? undefined : `${task_no} is ${stage} with ${receipts.length} receipts of ${counts.total}`;
}

const askedNumbers: FinalRule = {
  name: 'a task has the numbers that were sent',
  check({ sent, views }) {
    const tasks = new Map(views.flatMap(({ tasks: own }) => own).map((task) => [task.client_request_id, task]));
    for (const { request } of sent) {
      const task = tasks.get(request.client_request_id);
      if (task !== undefined && task.counts.total !== request.phones.length) {
        return `${task.task_no} has ${task.counts.total} numbers of ${request.phones.length}`;
      }
    }
    return undefined;
  },
};

const finalAddsUp: FinalRule = {
  name: 'in the end counts and amounts add up, and a finished task holds no money',
  check({ views }) {
    for (const task of views.flatMap(({ tasks }) => tasks)) {
      const fault = findFaultIn(task);
      if (fault !== undefined) return fault;
      if (isFinished(task) && millionths(task.amounts.held) !== 0n) {
        return `${task.task_no} is ${task.stage} and holds ${task.amounts.held}`;
      }
    }
    return undefined;
  },
};

export const TASK_RULES = {
  running: [readsAddUp, stagesForward],
  final: [timelinesForward, oneReceipt, askedNumbers, finalAddsUp],
};
