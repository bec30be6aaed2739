// The moves that a customer or an operator makes by hand on a task that stopped. Each is harmless when repeated.

import { tryFreeze } from '../domain/freeze.js';
import type { TaskId } from '../domain/id.js';
import { type Account, nextQueueNo, postEntry, type Tenant } from '../domain/ledger.js';
import { isFinal, type Stage } from '../domain/stages.js';
import { heldOf, nextTimeline, sendableOf, type Task } from '../domain/task.js';
import { lockAccount, writeAccounts } from '../store/account.js';
import { deleteChunksOfTask, queueChunks, readUnqueued } from '../store/chunk.js';
import type { AnySql, Sql } from '../store/connect.js';
import { runTogether } from '../store/run-together.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { lockQueued, readTask, updateTasks, wantPrepared } from '../store/task.js';
import { readUnknownOfTask } from '../store/unknown-part.js';
import { writeFreezes } from './prepare/refreeze.js';
import type { Recorder } from './settle/recorder.js';
import { resolveUnknown } from './settle/resolve-unknown.js';
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

interface Locked {
  readonly tx: AnySql;
  readonly task: Task;
  readonly account: Account;
  readonly now: Date;
}

/**
 * Runs a move with the task read under its customer's lock. A task that is still queued is locked before the account: whoever
 * prepares it holds it while waiting for the account.
 */
async function withTask(
  deps: MoveDeps,
  tenant: Tenant,
  taskId: TaskId,
  run: (locked: Locked) => Promise<MoveResult>,
): Promise<MoveResult> {
  return await deps.sql.begin(async (tx) => {
    // Sent together, answered in this order.
    const [, { account, now }, task] = await Promise.all([
      lockQueued(tx, tenant, taskId),
      lockAccount(tx, tenant),
      readTask(tx, tenant, taskId),
    ]);
    if (task === undefined) return { kind: 'not_found' };
    const result = await run({ tx, task, account, now });
    if (result.kind === 'ok') await deps.alongside?.(tx);
    return result;
  });
}

function wrongStage(task: Task, detail: string): MoveResult {
  return { kind: 'invalid_stage', stage: task.stage, detail };
}

/** The task is prepared soon after. */
export async function prepareTask(deps: MoveDeps, tenant: Tenant, taskId: TaskId): Promise<MoveResult> {
  const result = await withTask(deps, tenant, taskId, async ({ tx, task }) => {
    if (task.stage === 'failed' || task.stage === 'cancelled') {
      return wrongStage(task, `A ${task.stage} task cannot be prepared.`);
    }
    if (task.stage === 'queued') await wantPrepared(tx, tenant, taskId);
    return OK;
  });
  deps.wake.notify('prepare');
  return result;
}

/** The money is frozen when this returns. */
export async function freezeTask(deps: MoveDeps, tenant: Tenant, taskId: TaskId): Promise<MoveResult> {
  const result = await withTask(deps, tenant, taskId, async ({ tx, task, account, now }) => {
    if (task.frozenAt !== null && task.stage !== 'cancelled') return OK;
    if (task.stage === 'queued') return wrongStage(task, 'The task must be prepared before its price can be frozen.');
    if (task.stage !== 'prepared') return wrongStage(task, `A ${task.stage} task has nothing to freeze.`);
    const customer = deps.snapshot().customer(tenant.customerId);
    if (customer === undefined) throw new Error(`customer ${tenant.customerId} is not in the snapshot`);
    if (tryFreeze(account, { ...task, numbers: sendableOf(task) }, now)) {
      await writeFreezes(tx, customer, account, [task], now);
      return OK;
    }
    await updateTasks(tx, tenant.bucket, [{ ...task, insufficientFunds: true }], now);
    return { kind: 'insufficient_funds', detail: 'The available balance does not cover the price of the task.' };
  });
  deps.wake.notify('dispatch');
  return result;
}

/** The chunks are put up for dispatch. */
export async function submitTask(deps: MoveDeps, tenant: Tenant, taskId: TaskId): Promise<MoveResult> {
  const result = await withTask(deps, tenant, taskId, async ({ tx, task, account, now }) => {
    const isSubmitted = ['submitting', 'waiting_receipt', 'submit_unknown', 'completed'].includes(task.stage);
    if (isSubmitted) return OK;
    if (task.stage !== 'prepared') return wrongStage(task, `A ${task.stage} task cannot be submitted.`);
    if (task.frozenAt === null) return wrongStage(task, 'The price of the task must be frozen before it is submitted.');
    const { bucket, customerId } = tenant;
    const timeline = nextTimeline(task.timeline, ['submitting'], now);
    const chunks = await readUnqueued(tx, bucket, customerId, [taskId]);
    const places = chunks.map(() => nextQueueNo(account));
    await runTogether(tx, [
      updateTasks(tx, bucket, [{ ...task, stage: 'submitting', timeline }], now),
      queueChunks(tx, bucket, chunks, places),
      ...writeAccounts(tx, bucket, [account]),
    ]);
    return OK;
  });
  deps.wake.notify('dispatch');
  return result;
}

/** Nothing was handed over yet, and nothing will be: what was frozen is released when this returns. */
export async function cancelTask(deps: MoveDeps, tenant: Tenant, taskId: TaskId): Promise<MoveResult> {
  return await withTask(deps, tenant, taskId, async ({ tx, task, account, now }) => {
    if (task.stage === 'cancelled') return OK;
    if (isFinal(task.stage)) return wrongStage(task, `A ${task.stage} task cannot be cancelled any more.`);
    if (task.stage !== 'queued' && task.stage !== 'prepared') {
      return wrongStage(task, 'The task is being handed over; it can be cancelled only before that.');
    }
    const held = heldOf(task.hold);
    if (held > 0n) postEntry(account, { type: 'release', amount: held, taskId, numbers: sendableOf(task) }, now);
    const change = {
      ...task,
      stage: 'cancelled',
      timeline: nextTimeline(task.timeline, ['cancelled'], now),
      insufficientFunds: false,
      hold: { ...task.hold, released: task.hold.frozen },
      completedAt: now,
    } as const;
    await runTogether(tx, [
      updateTasks(tx, tenant.bucket, [change], now),
      deleteChunksOfTask(tx, tenant, taskId),
      ...(held > 0n ? writeAccounts(tx, tenant.bucket, [account]) : []),
    ]);
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
  tenant: Tenant,
  taskId: TaskId,
  resolution: Resolution,
): Promise<MoveResult> {
  const task = await readTask(deps.sql, tenant, taskId);
  if (task === undefined) return { kind: 'not_found' };
  const unknown = await readUnknownOfTask(deps.sql, tenant, taskId);
  const wanted = resolution.seqs === undefined ? undefined : new Set(resolution.seqs);
  const chosen = unknown.filter(({ seq }) => wanted === undefined || wanted.has(seq));
  const hadUnknown = task.timeline.some((entry) => entry.stage === 'submit_unknown');
  if (chosen.length === 0 && !hadUnknown) return wrongStage(task, 'The task has no unknown number.');
  await resolveUnknown(deps, chosen, resolution.outcome);
  return OK;
}
