import { Type } from '@sinclair/typebox';
import { asTaskId, firstIdAt, formatNo, parseNo } from '../../domain/id.js';
import { STAGES } from '../../domain/stages.js';
import { type ListSource, listFromArray } from '../../store/list.js';
import { recordAudit } from '../../store/operator/change.js';
import { readCustomer } from '../../store/operator/customer.js';
import { findTask, listTasks, type TaskKey } from '../../store/operator/task.js';
import { type ListQuery, oneOf } from '../list-query.js';
import { notFound, Problem } from '../problem.js';
import type { Call } from '../route.js';
import { checkBody } from './check-body.js';
import {
  defineList,
  defineOperation,
  type MoveOutcome,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
} from './operator-route.js';
import { MoveTask, ResolveTask } from './schemas.js';

const tag = 'Tasks';

const moves = {
  prepare: 'Check, route and price a queued task',
  freeze: 'Freeze the money of a prepared task',
  submit: 'Hand a frozen task over to its channels',
  cancel: 'Cancel a task before anything was handed over',
} as const;

type MoveName = keyof typeof moves;
const moveNames = Object.keys(moves) as MoveName[];

export function makeTaskRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    ...moveNames.map((name) => makeMoveRoute(deps, name)),
    makeResolveRoute(deps),
    defineOperation({
      method: 'GET',
      path: '/tasks/{task_no}',
      name: 'getOperatorTask',
      tag,
      summary: 'Show a task of any customer',
      answer: { status: 200, description: 'The task as its customer sees it, with `customer_no`.' },
      handle: async (call) => showTask(deps, await requireTask(deps, call)),
    }),
    defineList({
      path: '/tasks',
      name: 'listOperatorTasks',
      tag,
      summary: 'List tasks of all customers',
      list: taskList,
      source: (_, query) => listShownTasks(deps, query),
      render: (task) => task.shown,
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
  },
} as const;

function makeMoveRoute(deps: OperatorDeps, name: MoveName): OperatorRoute {
  return defineOperation({
    method: 'POST',
    path: `/tasks/{task_no}/${name}`,
    name: `${name}OperatorTask`,
    tag,
    summary: moves[name],
    description: 'Harmless when repeated.',
    body: { schema: MoveTask, optional: true },
    answer: { status: 200, description: 'The task as it then stands.' },
    problems: ['invalid_stage', 'insufficient_funds'],
    handle: async (call) => {
      const key = await requireTask(deps, call);
      checkBody(MoveTask, call.body ?? {}, { defaults: true });
      throwUnlessMoved(await deps.tasks[name](key.customerId, key.taskId));
      await recordAudit(deps.sql, { action: `task.${name}`, subject: formatNo('T', key.taskId), change: {} });
      return showTask(deps, key);
    },
  });
}

function makeResolveRoute(deps: OperatorDeps): OperatorRoute {
  return defineOperation({
    method: 'POST',
    path: '/tasks/{task_no}/resolve',
    name: 'resolveOperatorTask',
    tag,
    summary: 'Say whether the upstream accepted numbers of which it is not known',
    body: { schema: ResolveTask, example: { outcome: 'not_accepted', seqs: [1], remark: 'Asked the carrier' } },
    answer: { status: 200, description: 'The task as it then stands.' },
    problems: ['invalid_stage'],
    handle: async (call) => {
      const key = await requireTask(deps, call);
      const resolution = checkBody(ResolveTask, call.body, { defaults: true });
      throwUnlessMoved(await deps.tasks.resolve(key.customerId, key.taskId, resolution));
      const subject = formatNo('T', key.taskId);
      await recordAudit(deps.sql, { action: 'task.resolve', subject, change: { ...resolution } });
      return showTask(deps, key);
    },
  });
}

async function requireTask(deps: OperatorDeps, call: Call): Promise<TaskKey> {
  const id = parseNo('T', readParam(call, 'task_no'));
  const key = id === undefined ? undefined : await findTask(deps.sql, asTaskId(id));
  if (key === undefined) throw notFound();
  return key;
}

function throwUnlessMoved(outcome: MoveOutcome): void {
  switch (outcome.kind) {
    case 'ok':
      return;
    case 'not_found':
      throw notFound();
    case 'invalid_stage':
      throw new Problem('invalid_stage', outcome.detail, { extra: { stage: outcome.stage } });
    case 'insufficient_funds':
      throw new Problem('insufficient_funds', outcome.detail);
  }
}

async function showTask(deps: OperatorDeps, { customerId, taskId }: TaskKey): Promise<Record<string, unknown>> {
  const task = await deps.tasks.show(customerId, taskId);
  if (task === undefined) throw notFound();
  return { customer_no: deps.snapshot.current().customer(customerId)?.customerNo ?? null, ...task };
}

interface ShownTask {
  readonly key: TaskKey;
  readonly shown: Readonly<Record<string, unknown>>;
}

async function listShownTasks(
  deps: OperatorDeps,
  { filters, startMs, endMs }: ListQuery<typeof taskList.filters>,
): Promise<ListSource<ShownTask>> {
  const customer = filters.customer_no === undefined ? undefined : await readCustomer(deps.sql, filters.customer_no);
  if (filters.customer_no !== undefined && customer === undefined) return listFromArray<ShownTask>([], () => '');
  const keys = listTasks(deps.sql, {
    ...(customer === undefined ? {} : { customerId: customer.customerId }),
    ...(filters.stage === undefined ? {} : { stage: filters.stage }),
    ...(filters.client_request_id === undefined ? {} : { requestKey: `c:${filters.client_request_id}` }),
    ...(startMs === undefined ? {} : { fromId: firstIdAt(new Date(startMs)) }),
    ...(endMs === undefined ? {} : { beforeId: firstIdAt(new Date(endMs)) }),
  });
  return {
    keyOf: (task) => keys.keyOf(task.key),
    count: (limit) => keys.count(limit),
    rows: async (window) =>
      Promise.all((await keys.rows(window)).map(async (key) => ({ key, shown: await showTask(deps, key) }))),
  };
}
