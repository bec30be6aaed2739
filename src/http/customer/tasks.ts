// Lists, shows and reschedules tasks, and moves them on by hand.

import { Type } from '@sinclair/typebox';
import { closedObject } from '../../domain/entities/fields.js';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault } from '../../domain/fault/fault.js';
import { asTaskId, type CustomerId, parseNo, type TaskId } from '../../domain/id.js';
import {
  MAX_CLIENT_REQUEST_ID_CHARACTERS,
  MAX_NO_CHARACTERS,
  MAX_TITLE_CHARACTERS,
} from '../../domain/request/send-request.js';
import { parseRfc3339Ms } from '../../domain/rfc3339.js';
import { MESSAGE_CLASSES, type MessageClass } from '../../domain/rules/message-class.js';
import { checkTimes } from '../../domain/task/schedule.js';
import { STAGES } from '../../domain/task/stages.js';
import type { Task } from '../../domain/task/task.js';
import type { Tenant } from '../../domain/tenant.js';
import { scopeOf } from '../../store/condition.js';
import { listTasks } from '../../store/lists/tasks.js';
import type { WantedWords } from '../../store/lists/tasks-by-words.js';
import { listUnsent } from '../../store/lists/unsent.js';
import type { WantedText } from '../../store/lists/wanted-text.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql } from '../../store/sql.js';
import { readTask } from '../../store/task/task.js';
import { checkBody } from '../body/check-body.js';
import { examples } from '../examples.js';
import { wantedBy } from '../masking.js';
import { invalidRequest, notFound, Problem } from '../problem/problem.js';
import { type ListQuery, oneOf, rejectParameters } from '../query/list-query.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps, MoveName, MoveResult } from './deps.js';
import { listRoute, type OpenList, openList } from './lists.js';
import { renderUnsent } from './record-view.js';
import { batchFilter, titleFilter } from './schemas/batch.js';
import { TaskDetailSchema, TaskSchema, UnsentSchema } from './schemas/task.js';
import { renderTask, showTaskDetail } from './task-view.js';

const TAG = 'Messages';
const NoFields = closedObject({});
const params = { task_no: Type.String({ description: 'The number of the task.' }) };

const taskList = {
  name: 'tasks',
  timed: true,
  filters: {
    client_request_id: Type.String({ minLength: 1, maxLength: MAX_CLIENT_REQUEST_ID_CHARACTERS }),
    batch_id: batchFilter,
    stage: oneOf(STAGES, 'Only tasks in this stage.'),
    template_no: Type.String({ minLength: 1, maxLength: MAX_NO_CHARACTERS }),
    class: oneOf(MESSAGE_CLASSES, 'Only of templates of this class.'),
    title: titleFilter,
    words: Type.String({
      minLength: 1,
      maxLength: MAX_TITLE_CHARACTERS,
      description:
        'Only with these words, in any case: in the title, in the name or the text of the template, or in values that were sent. Pages may end before they are full.',
    }),
  },
} as const;

export function taskRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  return [
    listRoute(deps, {
      path: '/openapi/v1/messages/tasks/',
      name: 'listTasks',
      tag: TAG,
      summary: 'List tasks',
      description: 'Newest first. After a network failure, look a request up by its `client_request_id`.',
      list: taskList,
      item: TaskSchema,
      example: examples.task,
      open: (sql, call, query) => openTasks(deps, sql, call, query),
    }),
    {
      method: 'GET',
      path: '/openapi/v1/messages/tasks/{task_no}/',
      name: 'getTask',
      tag: TAG,
      summary: 'Show a task',
      description:
        'With its text and timeline; in `submit_unknown`, until when the upstream is being asked; over the daily limit, from when on it fits.',
      params,
      answer: { status: 200, description: 'The task.', schema: TaskDetailSchema, example: examples.taskDetail },
      problems: [],
      handle: async ({ customer, params: { task_no }, requestTarget, hidesCodes = false }) => {
        rejectParameters(requestTarget);
        const task = await findTask(deps, customer, taskIdOf(task_no));
        return await showTaskDetail(deps.sql, task, deps.snapshot.current(), hidesCodes);
      },
    },
    listRoute(deps, {
      path: '/openapi/v1/messages/tasks/{task_no}/unsent/',
      name: 'listUnsent',
      tag: TAG,
      summary: 'List the unsent numbers of a task',
      description:
        'Those that `counts.unsent` counts, in the order of the request: not handed over yet, or handed over and not answered yet. `firm`, `parts` and `price` are null until the task is prepared.',
      params,
      list: { name: 'unsent', timed: false, filters: {} },
      item: UnsentSchema,
      example: examples.unsent,
      open: async (sql, { customer, params: { task_no } }) => {
        const { taskId } = await findTask(deps, customer, taskIdOf(task_no));
        const source = listUnsent(sql, customer.bucket, { customerId: customer.customerId, taskId });
        return openList(source, (rows) => rows.map(renderUnsent));
      },
    }),
    rescheduleRoute(deps),
    moveRoute(deps, 'prepare', 'Prepare a task', 'Check, route and price its numbers.', []),
    moveRoute(deps, 'freeze', 'Reserve the price of a task', 'All or nothing; done when it answers.', [
      'insufficient_funds',
    ]),
    moveRoute(deps, 'submit', 'Submit a task', 'Hand its numbers to the upstreams.', []),
    moveRoute(
      deps,
      'cancel',
      'Cancel a task',
      'At any stage before the end: what is unsent gets a `rejected` receipt with code `cancelled` and its money back, done when it answers; what is on the wire finishes.',
      [],
    ),
    moveRoute(deps, 'pause', 'Pause a task', 'Nothing new is handed over until it is resumed.', []),
    moveRoute(deps, 'resume', 'Resume a task', 'Continues where it was paused.', []),
  ];
}

async function openTasks(
  deps: CustomerDeps,
  sql: AnySql,
  { customer, request, hidesCodes = false }: CustomerCall,
  query: ListQuery<typeof taskList.filters>,
): Promise<OpenList | undefined> {
  const { client_request_id, batch_id, stage, template_no, class: messageClass, title, words } = query.filters;
  const snapshot = deps.snapshot.current();
  const template = template_no === undefined ? undefined : snapshot.template(customer.customerId, template_no);
  if (template_no !== undefined && template === undefined) return undefined;
  const source = listTasks(sql, scopeOf(customer, query), {
    requestKey: client_request_id === undefined ? undefined : `c:${client_request_id}`,
    batchId: batch_id,
    stage,
    templateId: template?.templateId,
    templateIds: templateIdsOf(snapshot, messageClass, customer.customerId),
    titleStart: wantedBy(request, title),
    wanted: words === undefined ? undefined : findWanted(snapshot, customer, wantedBy(request, words), hidesCodes),
  });
  return openList(source, (tasks) => tasks.map((task) => renderTask(task, snapshot)));
}

/** What a caller may not see is not searched either: trying words would tell it. */
function findWanted(snapshot: Snapshot, { customerId }: Tenant, words: WantedText, hidesCodes: boolean): WantedWords {
  const lower = words.text.toLowerCase();
  const templates = MESSAGE_CLASSES.flatMap((one) => snapshot.templatesOfClass(one, customerId));
  const found = templates.filter(({ name, body }) => `${name}\n${body}`.toLowerCase().includes(lower));
  const codes = hidesCodes ? templates.filter((template) => template.class === 'otp') : [];
  return {
    words,
    templateIds: found.map(({ templateId }) => templateId),
    values: words.hidesDigits ? undefined : { butOf: codes.map(({ templateId }) => templateId) },
  };
}

/** The templates of a class; undefined for any class. */
export function templateIdsOf(
  snapshot: Snapshot,
  messageClass: MessageClass | undefined,
  customerId: CustomerId | undefined,
): readonly bigint[] | undefined {
  if (messageClass === undefined) return undefined;
  return snapshot.templatesOfClass(messageClass, customerId).map(({ templateId }) => templateId);
}

function moveRoute(
  deps: CustomerDeps,
  move: MoveName,
  summary: string,
  effect: string,
  problems: Route<CustomerCall>['problems'],
): Route<CustomerCall> {
  return {
    method: 'POST',
    path: `/openapi/v1/messages/tasks/{task_no}/${move}/`,
    name: `${move}Task`,
    tag: TAG,
    summary,
    description: `${effect} Harmless when repeated.`,
    params,
    body: { schema: NoFields, example: {}, optional: true },
    answer: { status: 200, description: 'The task as it then stands.', schema: TaskSchema, example: examples.task },
    problems: ['invalid_stage', ...problems],
    handle: async ({ customer, params: { task_no }, requestTarget, body }) => {
      rejectParameters(requestTarget);
      checkBody(NoFields, body ?? {}, { defaults: true });
      const taskId = taskIdOf(task_no);
      throwUnlessMoved(await deps.move(move, customer, taskId));
      return renderTask(await findTask(deps, customer, taskId), deps.snapshot.current());
    },
  };
}

const RescheduleBody = closedObject({
  send_at: Type.String({ description: 'RFC 3339 with an offset, at most 90 days ahead; the past means now.' }),
});

function rescheduleRoute(deps: CustomerDeps): Route<CustomerCall> {
  return {
    method: 'PATCH',
    path: '/openapi/v1/messages/tasks/{task_no}/',
    name: 'rescheduleTask',
    tag: TAG,
    summary: 'Reschedule a task',
    description: 'Until its first segment is handed over.',
    params,
    body: { schema: RescheduleBody, example: { send_at: '2026-11-15T09:00:00+08:00' } },
    answer: { status: 200, description: 'The task as it then stands.', schema: TaskSchema, example: examples.task },
    problems: ['invalid_stage'],
    handle: async ({ customer, params: { task_no }, requestTarget, body }) => {
      rejectParameters(requestTarget);
      const taskId = taskIdOf(task_no);
      const { expiresAt } = await findTask(deps, customer, taskId);
      const sendAt = readSendAt(checkBody(RescheduleBody, body, { defaults: true }).send_at, expiresAt, deps.now());
      throwUnlessMoved(await deps.reschedule(customer, taskId, sendAt));
      return renderTask(await findTask(deps, customer, taskId), deps.snapshot.current());
    },
  };
}

function readSendAt(text: string, expiresAt: Date | null, nowMs: number): Date {
  const ms = parseRfc3339Ms(text);
  if (ms === undefined) {
    throw invalidRequest([createFault('/send_at', 'format', errorText('not_time'))]);
  }
  const sendAt = new Date(ms);
  const faults = checkTimes({ sendAt, expiresAt: undefined }, nowMs);
  if (expiresAt !== null && expiresAt <= sendAt) {
    faults.push(createFault('/send_at', 'out_of_range', errorText('not_before_expires_at')));
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return sendAt;
}

function throwUnlessMoved(result: MoveResult): void {
  if (result.kind === 'not_found') throw notFound();
  if (result.kind === 'insufficient_funds') {
    throw new Problem('insufficient_funds', result.detail, { extra: { waits_for: result.waitsFor } });
  }
  if (result.kind === 'invalid_stage') {
    throw new Problem('invalid_stage', result.detail, { extra: { stage: result.stage } });
  }
}

/** A number that we cannot have made is not found, like one of someone else. */
export function taskIdOf(taskNo: string | undefined): TaskId {
  const id = parseNo('T', taskNo ?? '');
  if (id === undefined) throw notFound();
  return asTaskId(id);
}

async function findTask(deps: CustomerDeps, tenant: Tenant, taskId: TaskId): Promise<Task> {
  const task = await readTask(deps.sql, tenant, taskId);
  if (task === undefined) throw notFound();
  return task;
}
