// The moves that a customer or an operator makes by hand on a task that stopped. Each is harmless when repeated.

import type { CustomerId, TaskId } from '../domain/id.js';
import { ZERO } from '../domain/money.js';
import type { Stage } from '../domain/stages.js';
import { isFinal } from '../domain/stages.js';
import { type Account, lockAccount, moveHolds, postEntries, writeEntries } from '../store/account.js';
import { deleteChunksOfTask, queueChunks } from '../store/chunk.js';
import type { AnySql, Sql } from '../store/connect.js';
import { insertTaskJob } from '../store/job.js';
import { runTogether } from '../store/run-together.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { readTask, type TaskRecord, type TaskUpdate, updateTasks } from '../store/task.js';
import { readUnknownOfTask } from '../store/unknown-part.js';
import { decideFreezes } from './freeze.js';
import type { Recorder } from './recorder.js';
import { wishOf, writeFreezes } from './refreeze.js';
import { resolveUnknown } from './resolve-unknown.js';
import { nextTimeline } from './timeline.js';
import type { Wake } from './wake.js';

export interface MoveDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly recorder: Recorder;
  readonly wake: Wake;
  /** Written in the transaction of a move that succeeds: the operator's entry in the audit log. */
  readonly alongside?: (tx: AnySql) => Promise<void>;
}

export type MoveResult =
  | { readonly kind: 'ok' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'invalid_stage'; readonly stage: Stage; readonly detail: string }
  | { readonly kind: 'insufficient_funds'; readonly detail: string };

const OK: MoveResult = { kind: 'ok' };

/** Runs a move with the task read under its customer's lock. */
async function withTask(
  deps: MoveDeps,
  customerId: CustomerId,
  taskId: TaskId,
  run: (tx: AnySql, task: TaskRecord, account: Account) => Promise<MoveResult>,
): Promise<MoveResult> {
  return await deps.sql.begin(async (tx) => {
    const [account, task] = await Promise.all([lockAccount(tx, customerId), readTask(tx, customerId, taskId)]);
    if (task === undefined) return { kind: 'not_found' };
    const result = await run(tx, task, account);
    if (result.kind === 'ok') await deps.alongside?.(tx);
    return result;
  });
}

function wrongStage(task: TaskRecord, detail: string): MoveResult {
  return { kind: 'invalid_stage', stage: task.stage, detail };
}

/** The task is prepared soon after. */
export async function prepareTask(deps: MoveDeps, customerId: CustomerId, taskId: TaskId): Promise<MoveResult> {
  const result = await withTask(deps, customerId, taskId, async (tx, task) => {
    if (task.stage === 'failed' || task.stage === 'cancelled') {
      return wrongStage(task, `A ${task.stage} task cannot be prepared.`);
    }
    // A second job for the same task finds it prepared and does nothing.
    if (task.stage === 'queued') await insertTaskJob(tx, 'prepare', customerId, [taskId]);
    return OK;
  });
  deps.wake.notify('prepare');
  return result;
}

/** The money is frozen when this returns. */
export async function freezeTask(deps: MoveDeps, customerId: CustomerId, taskId: TaskId): Promise<MoveResult> {
  const result = await withTask(deps, customerId, taskId, async (tx, task, account) => {
    if (task.frozenAt !== null && task.stage !== 'cancelled') return OK;
    if (task.stage === 'queued') return wrongStage(task, 'The task must be prepared before its price can be frozen.');
    if (task.stage !== 'prepared') return wrongStage(task, `A ${task.stage} task has nothing to freeze.`);
    const customer = deps.snapshot().customer(customerId);
    if (customer === undefined) throw new Error(`customer ${customerId} is not in the snapshot`);
    const { granted, entries } = decideFreezes(account, [wishOf(task)]);
    if (granted.length > 0) {
      await writeFreezes(tx, customer, [task], account, entries);
      return OK;
    }
    await updateTasks(tx, customerId, [{ ...sameOf(task), insufficientFunds: true }], account.now);
    return { kind: 'insufficient_funds', detail: 'The available balance does not cover the price of the task.' };
  });
  deps.wake.notify('dispatch');
  return result;
}

/** The chunks are put up for dispatch. */
export async function submitTask(deps: MoveDeps, customerId: CustomerId, taskId: TaskId): Promise<MoveResult> {
  const result = await withTask(deps, customerId, taskId, async (tx, task, { now }) => {
    const isSubmitted = ['submitting', 'waiting_receipt', 'submit_unknown', 'completed'].includes(task.stage);
    if (isSubmitted) return OK;
    if (task.stage !== 'prepared') return wrongStage(task, `A ${task.stage} task cannot be submitted.`);
    if (task.frozenAt === null) return wrongStage(task, 'The price of the task must be frozen before it is submitted.');
    const timeline = nextTimeline(task.timeline, ['submitting'], now);
    await updateTasks(tx, customerId, [{ ...sameOf(task), stage: 'submitting', timeline }], now);
    await queueChunks(tx, customerId, [taskId]);
    return OK;
  });
  deps.wake.notify('dispatch');
  return result;
}

/** Nothing was handed over yet, and nothing will be: what was frozen is released when this returns. */
export async function cancelTask(deps: MoveDeps, customerId: CustomerId, taskId: TaskId): Promise<MoveResult> {
  return await withTask(deps, customerId, taskId, async (tx, task, account) => {
    if (task.stage === 'cancelled') return OK;
    if (isFinal(task.stage)) return wrongStage(task, `A ${task.stage} task cannot be cancelled any more.`);
    if (task.stage !== 'queued' && task.stage !== 'prepared') {
      return wrongStage(task, 'The task is being handed over; it can be cancelled only before that.');
    }
    const { now } = account;
    const { held } = task.amounts;
    const timeline = nextTimeline(task.timeline, ['cancelled'], now);
    const update: TaskUpdate = {
      ...sameOf(task),
      stage: 'cancelled',
      timeline,
      insufficientFunds: false,
      completedAt: now,
    };
    await updateTasks(tx, customerId, [update], now);
    await deleteChunksOfTask(tx, customerId, taskId);
    if (held > 0n) {
      const numbers = task.counts.total - task.counts.rejected;
      const { account: after, posted } = postEntries(account, [{ type: 'release', amount: held, taskId, numbers }]);
      await moveHolds(tx, customerId, [{ taskId, charged: ZERO, released: held, refunded: ZERO }]);
      await runTogether(tx, writeEntries(tx, after, posted));
    }
    return OK;
  });
}

export interface Resolution {
  readonly outcome: 'accepted' | 'not_accepted';
  /** Undefined: all unknown numbers of the task. */
  readonly seqs: readonly number[] | undefined;
}

/** The operator knows from the upstream what became of unknown numbers. */
export async function resolveTask(
  deps: MoveDeps,
  customerId: CustomerId,
  taskId: TaskId,
  resolution: Resolution,
): Promise<MoveResult> {
  const task = await readTask(deps.sql, customerId, taskId);
  if (task === undefined) return { kind: 'not_found' };
  const unknown = await readUnknownOfTask(deps.sql, customerId, taskId);
  const wanted = resolution.seqs === undefined ? undefined : new Set(resolution.seqs);
  const chosen = unknown.filter(({ seq }) => wanted === undefined || wanted.has(seq));
  const hadUnknown = task.timeline.some((entry) => entry.stage === 'submit_unknown');
  if (chosen.length === 0 && !hadUnknown) return wrongStage(task, 'The task has no unknown number.');
  await resolveUnknown(deps, customerId, chosen, resolution.outcome);
  return OK;
}

function sameOf(task: TaskRecord): TaskUpdate {
  const { taskId, stage, failure, insufficientFunds, frozenAt, price, counts, timeline, completedAt } = task;
  const same = { taskId, stage, insufficientFunds, frozenAt, price, counts, timeline, completedAt };
  return failure === null ? same : { ...same, failure };
}
