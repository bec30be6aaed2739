import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { type CustomerId, firstIdAt, formatNo } from '../../domain/id.js';
import { createTextReader, decodeContent } from '../../domain/request/content.js';
import { MESSAGE_CLASSES } from '../../domain/rules/message-class.js';
import { STAGES } from '../../domain/task/stages.js';
import type { Task, TaskKey } from '../../domain/task/task.js';
import type { Tenant } from '../../domain/tenant.js';
import { scopeOf } from '../../store/condition.js';
import { type ListSource, listFromArray } from '../../store/list.js';
import { listReceipts } from '../../store/lists/receipts.js';
import { describeChange, recordAudit } from '../../store/operator/change.js';
import { readCustomer } from '../../store/operator/customer.js';
import { findTask, listTasks } from '../../store/operator/task.js';
import { readContent, readTask } from '../../store/task/task.js';
import { checkBody } from '../body/check-body.js';
import type { Alongside, MoveName, MoveResult } from '../customer/deps.js';
import { titleFilter } from '../customer/schemas/batch.js';
import { renderTask, showStates, showTaskDetail } from '../customer/task-view.js';
import { taskIdOf, templateIdsOf } from '../customer/tasks.js';
import { wantedBy } from '../masking.js';
import { notFound, Problem } from '../problem/problem.js';
import { type ListQuery, oneOf } from '../query/list-query.js';
import type { Call } from '../route.js';
import { OperatorTaskAnswer, OperatorTaskDetailAnswer, RevealedTextAnswer } from './answers.js';
import { defineList, defineOperation, type OperatorDeps, type OperatorRoute, readParam } from './operator-route.js';
import { MoveTask, ResolveTask, RevealText } from './schemas.js';

const tag = 'Tasks';

const moves = {
  prepare: 'Check, route and price a queued task',
  freeze: 'Reserve the money of a prepared task',
  submit: 'Hand a reserved task over to its channels',
  cancel: 'End what is unsent of a task and release its money',
  pause: 'Hand nothing new of a task over',
  resume: 'Go on with a paused task',
} as const satisfies Record<MoveName, string>;

const moveNames = Object.keys(moves) as MoveName[];

export function createTaskRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    ...moveNames.map((name) => createMoveRoute(deps, name)),
    createResolveRoute(deps),
    createRevealRoute(deps),
    defineOperation({
      method: 'GET',
      path: '/tasks/{task_no}',
      name: 'getOperatorTask',
      permission: 'read',
      tag,
      summary: 'Show a task of any customer',
      answer: {
        status: 200,
        schema: OperatorTaskDetailAnswer,
        description: 'The task as its customer sees it, with `customer_no`.',
      },
      handle: async (call) => showTask(deps, await requireTask(deps, call)),
    }),
    defineList({
      path: '/tasks',
      name: 'listOperatorTasks',
      item: OperatorTaskAnswer,
      tag,
      summary: 'List tasks of all customers',
      list: taskList,
      source: ({ request }, query) => findTasks(deps, request, query),
      render: (task) => ({
        customer_no: customerNoOf(deps, task.customerId),
        ...renderTask(task, deps.snapshot.current()),
      }),
    }),
  ];
}

const taskList = {
  name: 'operator-tasks',
  timed: true,
  filters: {
    customer_no: Type.String({ minLength: 1, maxLength: 64, description: 'Only of this customer.' }),
    stage: oneOf(STAGES, 'Only in this stage.'),
    client_request_id: Type.String({ minLength: 1, maxLength: 64, description: 'Only of this business request.' }),
    class: oneOf(MESSAGE_CLASSES, 'Only of templates of this class.'),
    title: titleFilter,
  },
} as const;

function createMoveRoute(deps: OperatorDeps, name: MoveName): OperatorRoute {
  return defineOperation({
    method: 'POST',
    path: `/tasks/{task_no}/${name}`,
    name: `${name}OperatorTask`,
    permission: 'move',
    tag,
    summary: moves[name],
    description: 'Harmless when repeated.',
    body: { schema: MoveTask, optional: true },
    answer: { status: 200, schema: OperatorTaskDetailAnswer, description: 'The task as it then stands.' },
    problems: ['invalid_stage', 'insufficient_funds'],
    handle: async (call) => {
      const key = await requireTask(deps, call);
      checkBody(MoveTask, call.body ?? {}, { defaults: true });
      throwUnlessMoved(await deps.move(name, key, key.taskId, auditOf(call.actor, key, name)));
      return showTask(deps, key);
    },
  });
}

function createResolveRoute(deps: OperatorDeps): OperatorRoute {
  return defineOperation({
    method: 'POST',
    path: '/tasks/{task_no}/resolve',
    name: 'resolveOperatorTask',
    permission: 'resolve',
    tag,
    summary: 'Resolve unconfirmed numbers',
    body: { schema: ResolveTask, example: { outcome: 'not_accepted', seqs: [1], remark: 'Asked the carrier' } },
    answer: { status: 200, schema: OperatorTaskDetailAnswer, description: 'The task as it then stands.' },
    problems: ['invalid_stage'],
    handle: async (call) => {
      const key = await requireTask(deps, call);
      const resolution = checkBody(ResolveTask, call.body, { defaults: true });
      const audit = auditOf(call.actor, key, 'resolve', resolution);
      throwUnlessMoved(await deps.resolve(key, key.taskId, resolution, audit));
      return showTask(deps, key);
    },
  });
}

function createRevealRoute(deps: OperatorDeps): OperatorRoute {
  return defineOperation({
    method: 'POST',
    path: '/tasks/{task_no}/reveal',
    name: 'revealOperatorTask',
    permission: 'view',
    tag,
    summary: 'Show the text of a number with its code',
    description:
      'Everywhere else operators see the texts of templates of class `otp` without their values. Each call is in the audit log as `task.reveal`.',
    body: { schema: RevealText, example: { seq: 1 } },
    answer: { status: 200, schema: RevealedTextAnswer, description: 'The text as it was sent.' },
    handle: async (call) => {
      const key = await requireTask(deps, call);
      const { seq } = checkBody(RevealText, call.body, { defaults: true });
      const task = await readTask(deps.sql, key, key.taskId);
      if (task === undefined || seq > task.counts.total) throw notFound();
      const content = decodeContent(await readContent(deps.sql, task));
      const subject = formatNo('T', key.taskId);
      // Before it is shown: no code is seen without an entry.
      await recordAudit(deps.sql, call.actor, { action: 'task.reveal', subject, change: { seq } });
      return { task_no: subject, seq, text: content === undefined ? null : createTextReader(content)(seq) };
    },
  });
}

/** With what was asked for, and the states that changed by it: nothing where the move was a repeat. */
function auditOf(actor: string, key: Tenant & TaskKey, name: MoveName | 'resolve', asked: object = {}): Alongside {
  return async (tx, [before]) => {
    const after = await readTask(tx, key, key.taskId);
    const changed = before && after && describeChange(showStates(before), showStates(after));
    const change = { ...asked, ...changed };
    await recordAudit(tx, actor, { action: `task.${name}`, subject: formatNo('T', key.taskId), change });
  };
}

async function requireTask(deps: OperatorDeps, call: Call): Promise<Tenant & TaskKey> {
  const key = await findTask(deps.sql, deps.snapshot.current().buckets(), taskIdOf(readParam(call, 'task_no')));
  if (key === undefined) throw notFound();
  return key;
}

function throwUnlessMoved(outcome: MoveResult): void {
  switch (outcome.kind) {
    case 'ok':
      return;
    case 'not_found':
      throw notFound();
    case 'invalid_stage':
      throw new Problem('invalid_stage', outcome.detail, { extra: { stage: outcome.stage } });
    case 'insufficient_funds':
      throw new Problem('insufficient_funds', outcome.detail, { extra: { waits_for: outcome.waitsFor } });
  }
}

async function showTask(deps: OperatorDeps, key: Tenant & TaskKey): Promise<Record<string, unknown>> {
  const task = await readTask(deps.sql, key, key.taskId);
  if (task === undefined) throw notFound();
  await knowCustomers(deps, [task]);
  const detail = await showTaskDetail(deps.sql, task, deps.snapshot.current(), true);
  const rejectedWith = await findRejection(deps, key, task);
  return { customer_no: customerNoOf(deps, key.customerId), ...detail, rejected_with: rejectedWith };
}

/** The operator sees no receipts, but has to know why a task sent nothing. */
async function findRejection({ sql }: OperatorDeps, key: Tenant & TaskKey, task: Task): Promise<string | null> {
  const { total, rejected } = task.counts;
  if (task.stage !== 'completed' || rejected < total) return null;
  const receipts = listReceipts(sql, scopeOf(key, { startMs: undefined, endMs: undefined }), { taskId: key.taskId });
  const [first] = await receipts.rows({ after: undefined, offset: 0, limit: 1, oldestFirst: true });
  return first?.code ?? null;
}

/** A customer created on another node a moment ago can have tasks before it is in the snapshot of this node. */
async function knowCustomers(deps: OperatorDeps, tasks: readonly Task[]): Promise<void> {
  const isKnown = tasks.every((task) => deps.snapshot.current().customer(task.customerId) !== undefined);
  if (!isKnown) await deps.snapshot.refresh();
}

function customerNoOf(deps: OperatorDeps, customerId: CustomerId): string | null {
  return deps.snapshot.current().customer(customerId)?.customerNo ?? null;
}

async function findTasks(
  deps: OperatorDeps,
  request: FastifyRequest,
  { filters, startMs, endMs }: ListQuery<typeof taskList.filters>,
): Promise<ListSource<Task>> {
  const customer = filters.customer_no === undefined ? undefined : await readCustomer(deps.sql, filters.customer_no);
  if (filters.customer_no !== undefined && customer === undefined) return listFromArray<Task>([], () => '');
  const buckets = customer === undefined ? deps.snapshot.current().buckets() : [customer.bucket];
  const tasks = listTasks(deps.sql, buckets, {
    ...(customer === undefined ? {} : { customerId: customer.customerId }),
    ...(filters.stage === undefined ? {} : { stage: filters.stage }),
    ...(filters.client_request_id === undefined ? {} : { requestKey: `c:${filters.client_request_id}` }),
    templateIds: templateIdsOf(deps.snapshot.current(), filters.class, customer?.customerId),
    titleStart: wantedBy(request, filters.title),
    ...(startMs === undefined ? {} : { fromId: firstIdAt(new Date(startMs)) }),
    ...(endMs === undefined ? {} : { beforeId: firstIdAt(new Date(endMs)) }),
  });
  return {
    ...tasks,
    rows: async (bounds) => {
      const rows = await tasks.rows(bounds);
      await knowCustomers(deps, rows);
      return rows;
    },
  };
}
