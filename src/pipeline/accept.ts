// Acceptance: a checked request becomes a durable task, once. Requests that arrive while an insert is under way share
// the next one, so that under load many commit together; the answer comes after the commit, never before.

import { hash } from 'node:crypto';
import { isAutomatic } from '../domain/automation.js';
import { canonicalPayload } from '../domain/canonical-payload.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { asTaskId, timeOfId } from '../domain/id.js';
import { ZERO } from '../domain/money.js';
import type { SendRequest } from '../domain/send-request.js';
import type { Sql } from '../store/connect.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { NO_AMOUNTS, readTasksByRequestKey, type TaskRecord } from '../store/task.js';
import { insertTasks, type NewTask } from '../store/task-accept.js';
import { encodePayload } from './payload.js';
import type { Wake } from './wake.js';

export interface AcceptCommand {
  readonly customerId: CustomerId;
  /** `c:` and the client_request_id, or `s:` and the signature. */
  readonly requestKey: string;
  readonly request: SendRequest;
  readonly templateId: bigint;
  readonly serviceAccountId: bigint;
  readonly serviceAccountNo: string;
  /** The request named no service account and got the template's. */
  readonly accountDefaulted: boolean;
}

export type AcceptResult =
  | { readonly kind: 'accepted' | 'replayed'; readonly task: TaskRecord }
  | { readonly kind: 'conflict' };

export interface Acceptor {
  accept(command: AcceptCommand): Promise<AcceptResult>;
  /** The answer for a request that was accepted before, whatever has become of its template since; otherwise undefined. */
  findReplay(customerId: CustomerId, requestKey: string, request: SendRequest): Promise<AcceptResult | undefined>;
  /** Requests that wait for a commit: what load is shed by. */
  readonly waiting: number;
}

interface Waiting {
  readonly command: AcceptCommand;
  readonly task: NewTask;
  resolve(result: AcceptResult): void;
  reject(error: unknown): void;
}

/** Two inserts under way at a time: one is prepared while the other waits for the disk. */
const MAX_IN_FLIGHT = 2;
const MAX_TASKS = 500;
const MAX_PAYLOAD_CHARACTERS = 4 * 1024 * 1024;

export function makeAcceptor(options: {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly nextId: () => bigint;
  readonly wake: Wake;
}): Acceptor {
  const { sql, snapshot } = options;
  const queue: Waiting[] = [];
  let inFlight = 0;

  const pump = (): void => {
    if (inFlight >= MAX_IN_FLIGHT || queue.length === 0) return;
    inFlight += 1;
    // What the event loop has in hand still joins.
    setImmediate(() => {
      const batch = takeBatch(queue);
      void flush(batch).finally(() => {
        inFlight -= 1;
        pump();
      });
      pump();
    });
  };

  const flush = async (batch: readonly Waiting[]): Promise<void> => {
    if (batch.length === 0) return;
    try {
      const inserted = await insertTasks(
        sql,
        batch.map((entry) => entry.task),
      );
      if (batch.some(({ task }) => inserted.has(task.taskId) && task.prepare)) options.wake.notify('prepare');
      const others: Waiting[] = [];
      for (const entry of batch) {
        if (inserted.has(entry.task.taskId)) entry.resolve({ kind: 'accepted', task: recordOf(entry.task) });
        else others.push(entry);
      }
      if (others.length > 0) await answerRepeats(others);
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    }
  };

  const answerRepeats = async (entries: readonly Waiting[]): Promise<void> => {
    const originals = await readTasksByRequestKey(
      sql,
      entries.map((entry) => entry.command.customerId),
      entries.map((entry) => entry.command.requestKey),
    );
    const byKey = new Map(originals.map((task) => [`${task.customerId} ${task.requestKey}`, task]));
    for (const entry of entries) {
      const { customerId, requestKey, request } = entry.command;
      const original = byKey.get(`${customerId} ${requestKey}`);
      if (original !== undefined) entry.resolve(compare(original, request));
      // Two processes made the same id in the same millisecond: nothing was stored, so it goes again under another one.
      else enqueue({ ...entry, task: { ...entry.task, taskId: asTaskId(options.nextId()) } });
    }
  };

  const compare = (original: TaskRecord, request: SendRequest): AcceptResult => {
    const accountNo = accountNoOf(original, request);
    const same = accountNo !== undefined && fingerprintOf(request, accountNo).equals(original.fingerprint);
    return same ? { kind: 'replayed', task: original } : { kind: 'conflict' };
  };

  /** The account that this request stands for. A default is the one of the day on which the original was accepted. */
  const accountNoOf = (original: TaskRecord, request: SendRequest): string | undefined => {
    if (request.serviceAccountNo !== undefined) return request.serviceAccountNo;
    if (original.accountDefaulted) return snapshot().serviceAccountById(original.serviceAccountId)?.serviceAccountNo;
    const template = snapshot().template(original.customerId, request.templateNo);
    return template && snapshot().serviceAccountById(template.serviceAccountId)?.serviceAccountNo;
  };

  const enqueue = (entry: Waiting): void => {
    queue.push(entry);
    pump();
  };

  return {
    accept: (command) =>
      new Promise((resolve, reject) => {
        const task = newTaskOf(command, snapshot(), asTaskId(options.nextId()));
        enqueue({ command, task, resolve, reject });
      }),
    async findReplay(customerId, requestKey, request) {
      const [original] = await readTasksByRequestKey(sql, [customerId], [requestKey]);
      return original === undefined ? undefined : compare(original, request);
    },
    get waiting() {
      return queue.length;
    },
  };
}

function takeBatch(queue: Waiting[]): Waiting[] {
  let characters = 0;
  let count = 0;
  for (const entry of queue) {
    characters += entry.task.payload.length;
    if (count >= MAX_TASKS || (count > 0 && characters > MAX_PAYLOAD_CHARACTERS)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

function fingerprintOf(request: SendRequest, serviceAccountNo: string): Buffer {
  return hash('sha256', canonicalPayload(request, serviceAccountNo), 'buffer');
}

function newTaskOf(command: AcceptCommand, snapshot: Snapshot, taskId: TaskId): NewTask {
  const { request, customerId } = command;
  const customer = snapshot.customer(customerId);
  const template = snapshot.templateById(command.templateId);
  if (customer === undefined || template === undefined) throw new Error(`task ${taskId} refers to nothing known`);
  return {
    customerId,
    taskId,
    requestKey: command.requestKey,
    fingerprint: fingerprintOf(request, command.serviceAccountNo),
    templateId: command.templateId,
    serviceAccountId: command.serviceAccountId,
    accountDefaulted: command.accountDefaulted,
    targetFirms: request.targetFirms,
    autoPrepare: request.autoPrepare,
    autoFreeze: request.autoFreeze,
    autoSubmit: request.autoSubmit,
    payload: encodePayload(request, template.body),
    total: request.phones.length,
    createdAt: timeOfId(taskId),
    prepare: isAutomatic('prepare', request, customer.policy),
  };
}

/** The task as it stands right after its insert, without reading it back. */
function recordOf(task: NewTask): TaskRecord {
  const { total, createdAt } = task;
  return {
    customerId: task.customerId,
    taskId: task.taskId,
    requestKey: task.requestKey,
    fingerprint: task.fingerprint,
    templateId: task.templateId,
    serviceAccountId: task.serviceAccountId,
    accountDefaulted: task.accountDefaulted,
    targetFirms: task.targetFirms.length > 0 ? task.targetFirms : null,
    autoPrepare: task.autoPrepare,
    autoFreeze: task.autoFreeze,
    autoSubmit: task.autoSubmit,
    stage: 'queued',
    failure: null,
    insufficientFunds: false,
    frozenAt: null,
    price: ZERO,
    counts: { total, unsent: total, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 },
    amounts: NO_AMOUNTS,
    terms: null,
    timeline: [{ stage: 'queued', at: createdAt.toISOString() }],
    createdAt,
    updatedAt: createdAt,
    completedAt: null,
  };
}
