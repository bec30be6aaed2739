// Looking at the tasks that were sent under one batch_id, and moving them, as one.

import { Type } from '@sinclair/typebox';
import type { CustomerConfig } from '../../domain/entities/customer.js';
import { closedObject } from '../../domain/entities/fields.js';
import { formatMoney } from '../../domain/money/money.js';
import type { Batch } from '../../domain/task/batch.js';
import { heldOf } from '../../domain/task/task.js';
import { hasControlCharacter } from '../../domain/text.js';
import { moveBatch } from '../../pipeline/task-moves/batch-moves.js';
import { scopeOf } from '../../store/condition.js';
import { listBatches } from '../../store/lists/batches.js';
import { readBatch } from '../../store/task/batch.js';
import { checkBody } from '../body/check-body.js';
import { examples } from '../examples.js';
import { wantedBy } from '../masking.js';
import { notFound } from '../problem/problem.js';
import { rejectParameters } from '../query/list-query.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps, MoveName } from './deps.js';
import { listRoute, openList } from './lists.js';
import { BatchSchema, MovedBatchSchema, titleFilter } from './schemas/batch.js';

const TAG = 'Messages';
const PATH = '/openapi/v1/messages/batches/';
const NoFields = closedObject({});
const params = { batch_id: Type.String({ description: 'The batch_id of its tasks, percent-encoded.' }) };
const batchList = { name: 'batches', timed: true, filters: { title: titleFilter } } as const;

export function batchRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  return [
    listRoute(deps, {
      path: PATH,
      name: 'listBatches',
      tag: TAG,
      summary: 'List batches',
      description: 'Newest first, with the sums over the tasks of each. Times filter by `created_at`.',
      list: batchList,
      item: BatchSchema,
      example: examples.batch,
      open: async (sql, { customer, request }, query) =>
        openList(
          listBatches(sql, scopeOf(customer, query), { titleStart: wantedBy(request, query.filters.title) }),
          (batches) => batches.map((batch) => renderBatch(batch, customer)),
        ),
    }),
    {
      method: 'GET',
      path: `${PATH}{batch_id}/`,
      name: 'getBatch',
      tag: TAG,
      summary: 'Show a batch',
      description: 'The sums over its tasks, exact at the moment of the answer.',
      params,
      answer: { status: 200, description: 'The batch.', schema: BatchSchema, example: examples.batch },
      problems: [],
      handle: async ({ customer, params: { batch_id = '' }, requestTarget }) => {
        rejectParameters(requestTarget);
        return await showBatch(deps, customer, batchIdOf(batch_id));
      },
    },
    moveRoute(deps, 'prepare', 'Prepare a batch', 'Check, route and price the tasks that wait for it.'),
    moveRoute(
      deps,
      'freeze',
      'Reserve the price of a batch',
      'Task by task, the oldest first, each whole or not at all: what the balance does not cover waits for a top-up.',
    ),
    moveRoute(deps, 'submit', 'Submit a batch', 'Hand the numbers of its reserved tasks to the upstreams.'),
    moveRoute(
      deps,
      'cancel',
      'Cancel a batch',
      'What is unsent of its tasks is not sent, and its money released, done when it answers; what is on the wire finishes.',
    ),
    moveRoute(deps, 'pause', 'Pause a batch', 'Nothing new of its tasks is handed over until they are resumed.'),
    moveRoute(deps, 'resume', 'Resume a batch', 'Resumes its paused tasks.'),
  ];
}

function moveRoute(deps: CustomerDeps, move: MoveName, summary: string, what: string): Route<CustomerCall> {
  return {
    method: 'POST',
    path: `${PATH}{batch_id}/${move}/`,
    name: `${move}Batch`,
    tag: TAG,
    summary,
    description: `${what} Tasks that it does not apply to are left as they are. Harmless when repeated.`,
    params,
    body: { schema: NoFields, example: {}, optional: true },
    answer: {
      status: 200,
      description: 'The batch as it then stands, and how many of its tasks were moved.',
      schema: MovedBatchSchema,
      example: { ...examples.batch, applied: 1 },
    },
    problems: [],
    handle: async ({ customer, params: { batch_id = '' }, requestTarget, body }) => {
      rejectParameters(requestTarget);
      checkBody(NoFields, body ?? {}, { defaults: true });
      const batchId = batchIdOf(batch_id);
      const applied = await moveBatch(deps, customer, batchId, move);
      return { ...(await showBatch(deps, customer, batchId)), applied };
    },
  };
}

/** A name that no send can have carried is not found, like one of someone else. */
function batchIdOf(text: string): string {
  if (hasControlCharacter(text)) throw notFound();
  return text;
}

async function showBatch(deps: CustomerDeps, customer: CustomerConfig, batchId: string) {
  const batch = await readBatch(deps.sql, customer, batchId);
  if (batch === undefined) throw notFound();
  return renderBatch(batch, customer);
}

/** Webhooks deliver the same. */
export function renderBatch(batch: Batch, { currency }: CustomerConfig) {
  const { hold, price } = batch;
  return {
    batch_id: batch.batchId,
    title: batch.title,
    tasks: batch.tasks,
    deleted_tasks: batch.deletedTasks,
    stages: batch.stages,
    paused: batch.paused,
    moves: batch.moves,
    counts: batch.counts,
    cancelled: batch.cancelled,
    amounts: {
      currency,
      price: price === undefined ? null : formatMoney(price),
      frozen: formatMoney(hold.frozen),
      charged: formatMoney(hold.charged),
      released: formatMoney(hold.released),
      refunded: formatMoney(hold.refunded),
      held: formatMoney(heldOf(hold)),
    },
    created_at: batch.createdAt.toISOString(),
    updated_at: batch.updatedAt.toISOString(),
    completed_at: batch.completedAt?.toISOString() ?? null,
  };
}
