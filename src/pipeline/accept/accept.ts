// Acceptance: stores a validated request as a task, exactly once per request key. Requests of a bucket that arrive during an insert
// share the next one; small requests never wait for the insert of a large one. A request is answered after the commit, never before.

import { taskKeyOf } from '../../domain/chunk/chunk.js';
import { asTaskId, type TaskId } from '../../domain/id.js';
import { taskSizeOf } from '../../domain/plan/plan.js';
import { fingerprintInSteps } from '../../domain/request/canonical-payload.js';
import { encodePayloadInSteps, type Payload, payloadOf } from '../../domain/request/payload.js';
import type { SendRequest } from '../../domain/request/send-request.js';
import type { Steps } from '../../domain/steps.js';
import { type NewTask, type Task, uniqueRequestKeyOf } from '../../domain/task/task.js';
import { acceptTask } from '../../domain/task/task-steps.js';
import type { Tenant } from '../../domain/tenant.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { isTransient } from '../../store/retry.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Sql } from '../../store/sql.js';
import { readTasksByRequestKey } from '../../store/task/task.js';
import { acceptTasks } from '../../store/task/task-accept.js';
import { slicer } from '../fairness/slicer.js';
import { bisectFailures } from '../quarantine/bisect-failures.js';
import type { TaskTrace } from '../task-trace.js';
import type { Wake } from '../wake.js';
import type { ExpressLane } from './express.js';

export interface AcceptCommand extends Tenant {
  /** `c:` and the client_request_id, or `s:` and the signature. */
  readonly requestKey: string;
  readonly request: SendRequest;
  readonly templateId: bigint;
  readonly serviceAccountId: bigint;
  readonly serviceAccountNo: string;
  /** The request named no service account and got the template's. */
  readonly accountDefaulted: boolean;
  /**
   * The text of the template with the signature of the service account, as validated: the template may change before the task is
   * stored.
   */
  readonly body: string;
  /** The `traceparent` header of the request. */
  readonly traceparent?: string | undefined;
}

export type AcceptResult =
  | { readonly kind: 'accepted' | 'replayed'; readonly task: Task }
  | { readonly kind: 'conflict' };

export interface Acceptor {
  accept(command: AcceptCommand): Promise<AcceptResult>;
  /** The result of a request that was accepted before, regardless of the current state of its template; otherwise undefined. */
  findReplay(tenant: Tenant, requestKey: string, request: SendRequest): Promise<AcceptResult | undefined>;
  /** How many requests wait for their insert to begin, or for their commit in the express lane: decides whether the service sheds load. */
  readonly pending: number;
}

interface PendingRequest {
  readonly command: AcceptCommand;
  readonly task: NewTask;
  /** Decoded; `task.payload` is the encoded form. */
  readonly payload: Payload;
  resolve(result: AcceptResult): void;
  reject(error: unknown): void;
}

/** Requests that share an insert. */
interface Queue {
  readonly bucket: number;
  readonly requests: PendingRequest[];
  inFlight: number;
}

/** Inserts per queue: one is built while the other waits for the disk. */
const MAX_IN_FLIGHT = 2;
/** A request with a larger payload waits in the queue for large requests of its bucket. */
const MAX_SMALL_CHARACTERS = 16 * 1024;
/** Limits of one insert. */
const MAX_TASKS = 500;
const MAX_PAYLOAD_CHARACTERS = 4 * 1024 * 1024;

export function createAcceptor(options: {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly nextId: () => bigint;
  readonly wake: Wake;
  /** Without it no task takes the express lane. */
  readonly express?: ExpressLane;
  readonly trace?: TaskTrace | undefined;
}): Acceptor {
  const { sql, snapshot, express, trace } = options;
  const smallQueues = new Map<number, Queue>();
  const largeQueues = new Map<number, Queue>();
  let pending = 0;

  const queueOf = ({ bucket, payload }: NewTask): Queue => {
    const queues = payload.length > MAX_SMALL_CHARACTERS ? largeQueues : smallQueues;
    const queue = queues.get(bucket) ?? { bucket, requests: [], inFlight: 0 };
    queues.set(bucket, queue);
    return queue;
  };

  const pump = (queue: Queue): void => {
    if (queue.inFlight >= MAX_IN_FLIGHT || queue.requests.length === 0) return;
    queue.inFlight += 1;
    // Requests that are handled in this tick of the event loop join the batch.
    setImmediate(() => {
      const batch = takeBatch(queue.requests);
      pending -= batch.length;
      void flush(queue.bucket, batch).finally(() => {
        queue.inFlight -= 1;
        pump(queue);
      });
      pump(queue);
    });
  };

  /** A row that the database rejects fails its own request only. */
  const flush = async (bucket: number, batch: readonly PendingRequest[]): Promise<void> => {
    await bisectFailures(batch, {
      ownerOf: ({ task }) => task,
      step: (requests) => insert(bucket, requests),
      onFailure: (requests, error) => {
        for (const { reject } of requests) reject(error);
      },
      splitAfter: (error) => (isTransient(error) ? 'none' : 'all'),
    });
  };

  const insert = async (bucket: number, batch: readonly PendingRequest[]): Promise<void> => {
    const tasks = batch.map((entry) => entry.task);
    const inserted = await acceptTasks(bucketSql(sql, bucket), bucket, tasks);
    const queued = tasks.filter((task) => task.queuedFor === 'prepare' && inserted.has(taskKeyOf(task)));
    if (queued.some(({ counts }) => taskSizeOf(counts.total) === 'small')) options.wake.notify('prepare', bucket);
    if (queued.some(({ counts }) => taskSizeOf(counts.total) === 'large')) options.wake.notify('prepare-large', bucket);
    const repeats: PendingRequest[] = [];
    for (const entry of batch) {
      if (inserted.has(taskKeyOf(entry.task))) entry.resolve({ kind: 'accepted', task: entry.task });
      else repeats.push(entry);
    }
    if (repeats.length > 0) await answerRepeats(bucket, repeats);
  };

  const answerRepeats = async (bucket: number, entries: readonly PendingRequest[]): Promise<void> => {
    const originals = await readTasksByRequestKey(
      bucketSql(sql, bucket),
      bucket,
      entries.map((entry) => entry.command),
    );
    const byKey = new Map(originals.map((task) => [uniqueRequestKeyOf(task), task]));
    for (const entry of entries) {
      const original = byKey.get(uniqueRequestKeyOf(entry.command));
      // Not awaited: the fingerprint of a large request takes long, and the next insert must not wait for it.
      if (original !== undefined)
        void compareWithOriginal(original, entry.command.request).then(entry.resolve, entry.reject);
      // The task id collided with another process's. Nothing was stored, so the request is inserted again under another id.
      else enqueue({ ...entry, task: { ...entry.task, taskId: asTaskId(options.nextId()) } });
    }
  };

  const compareWithOriginal = async (original: Task, request: SendRequest): Promise<AcceptResult> => {
    const serviceAccountNo = serviceAccountNoOf(original, request);
    if (serviceAccountNo === undefined) return { kind: 'conflict' };
    const fingerprint = await slicer.run(`${original.customerId}`, fingerprintInSteps(request, serviceAccountNo));
    return fingerprint.equals(original.fingerprint) ? { kind: 'replayed', task: original } : { kind: 'conflict' };
  };

  /** The service account of a repeated request. A default is the one that applied when the original was accepted. */
  const serviceAccountNoOf = (original: Task, request: SendRequest): string | undefined => {
    if (request.serviceAccountNo !== undefined) return request.serviceAccountNo;
    if (original.accountDefaulted) return snapshot().serviceAccountById(original.serviceAccountId)?.serviceAccountNo;
    // The original named an account: the request repeats it if that account is the current default.
    const template = snapshot().template(original.customerId, request.templateNo);
    return template && snapshot().serviceAccountById(template.serviceAccountId)?.serviceAccountNo;
  };

  const mayGoExpress = (task: NewTask): boolean => {
    const customer = snapshot().customer(task.customerId);
    return customer !== undefined && express?.isEligible(task, customer.policy) === true;
  };

  const addToExpress = (entry: PendingRequest): void => {
    const { task, payload, resolve, reject } = entry;
    pending += 1;
    express?.add({
      task,
      payload,
      accepted(stored) {
        pending -= 1;
        resolve({ kind: 'accepted', task: stored });
      },
      fallBack() {
        pending -= 1;
        enqueue(entry);
      },
      failed(error) {
        pending -= 1;
        reject(error);
      },
    });
  };

  const enqueue = (entry: PendingRequest): void => {
    const queue = queueOf(entry.task);
    queue.requests.push(entry);
    pending += 1;
    pump(queue);
  };

  return {
    async accept(command) {
      const startMs = trace?.now() ?? 0;
      const steps = createTask(command, snapshot(), asTaskId(options.nextId()));
      const { task, payload } = await slicer.run(`${command.customerId}`, steps);
      const result = await new Promise<AcceptResult>((resolve, reject) => {
        const entry = { command, task, payload, resolve, reject };
        if (mayGoExpress(task)) addToExpress(entry);
        else enqueue(entry);
      });
      if (result.kind === 'accepted') trace?.accepted(result.task, startMs, command.traceparent);
      return result;
    },
    async findReplay({ bucket, customerId }, requestKey, request) {
      const [original] = await readTasksByRequestKey(bucketSql(sql, bucket), bucket, [{ customerId, requestKey }]);
      return original === undefined ? undefined : await compareWithOriginal(original, request);
    },
    get pending() {
      return pending;
    },
  };
}

function takeBatch(queue: PendingRequest[]): PendingRequest[] {
  let characters = 0;
  let count = 0;
  for (const entry of queue) {
    characters += entry.task.payload.length;
    if (count >= MAX_TASKS || (count > 0 && characters > MAX_PAYLOAD_CHARACTERS)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

function* createTask(
  command: AcceptCommand,
  snapshot: Snapshot,
  taskId: TaskId,
): Steps<Pick<PendingRequest, 'task' | 'payload'>> {
  const { request, bucket, customerId } = command;
  const customer = snapshot.customer(customerId);
  if (customer === undefined) throw new Error(`task ${taskId} belongs to no known customer`);
  const payload = payloadOf(request, command.body);
  const origin = {
    bucket,
    customerId,
    taskId,
    requestKey: command.requestKey,
    fingerprint: yield* fingerprintInSteps(request, command.serviceAccountNo),
    templateId: command.templateId,
    serviceAccountId: command.serviceAccountId,
    batchId: request.batchId ?? null,
    title: request.title ?? null,
    accountDefaulted: command.accountDefaulted,
    targetFirms: request.targetFirms.length > 0 ? request.targetFirms : null,
    autoPrepare: request.autoPrepare,
    autoFreeze: request.autoFreeze,
    autoSubmit: request.autoSubmit,
    sendAt: request.sendAt ?? null,
    expiresAt: request.expiresAt ?? null,
    ...(yield* encodePayloadInSteps(payload)),
  };
  return { task: acceptTask(origin, request.phones.length, customer), payload };
}
