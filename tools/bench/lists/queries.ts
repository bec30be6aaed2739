// Every list with every filter that it has.

import { asCustomerId, asTaskId, firstIdAt } from '#src/domain/id.js';
import type { ListScope } from '#src/store/condition.js';
import type { ListSource } from '#src/store/list.js';
import { listBatches } from '#src/store/lists/batches.js';
import { listDeliveries } from '#src/store/lists/deliveries.js';
import { listLedgers } from '#src/store/lists/ledgers.js';
import { listReceipts } from '#src/store/lists/receipts.js';
import { listSubmits } from '#src/store/lists/submits.js';
import { listTasks } from '#src/store/lists/tasks.js';
import { listUplinks } from '#src/store/lists/uplinks.js';
import type { Sql } from '#src/store/sql.js';
import { CUSTOMER, NUMBERS_PER_TASK, PHONE, START_MS } from './rows.js';

export const idAt = (row: number) => firstIdAt(new Date(START_MS + row * 1000));
export const taskAt = (row: number) => asTaskId(idAt(row - (row % NUMBERS_PER_TASK)));

/** The history between two rows, or all of it. */
export function scopeOf(startRow?: number, endRow?: number): ListScope {
  return {
    bucket: 0,
    customerId: asCustomerId(BigInt(CUSTOMER)),
    startMs: startRow === undefined ? undefined : START_MS + startRow * 1000,
    endMs: endRow === undefined ? undefined : START_MS + endRow * 1000,
  };
}

type MakeList = (sql: Sql, scope: ListScope) => ListSource<unknown>;

export const LISTS: Readonly<Record<string, MakeList>> = {
  tasks: (sql, scope) => listTasks(sql, scope, {}),
  'tasks by request': (sql, scope) => listTasks(sql, scope, { requestKey: 'c:500' }),
  'tasks by stage': (sql, scope) => listTasks(sql, scope, { stage: 'completed' }),
  'tasks by a rare stage': (sql, scope) => listTasks(sql, scope, { stage: 'failed' }),
  'tasks by a stage that none is in': (sql, scope) => listTasks(sql, scope, { stage: 'queued' }),
  'tasks under way': (sql, scope) => listTasks(sql, scope, { stage: 'submitting' }),
  'tasks by batch': (sql, scope) => listTasks(sql, scope, { batchId: 'large' }),
  'tasks by batch and stage': (sql, scope) => listTasks(sql, scope, { batchId: 'large', stage: 'completed' }),
  batches: (sql, scope) => listBatches(sql, scope),
  'tasks by template': (sql, scope) => listTasks(sql, scope, { templateId: 50n }),
  receipts: (sql, scope) => listReceipts(sql, scope, {}),
  'receipts by task': (sql, scope) => listReceipts(sql, scope, { taskId: taskAt(500) }),
  'receipts by task and phone': (sql, scope) => listReceipts(sql, scope, { taskId: taskAt(400), phoneKey: PHONE }),
  'receipts by phone': (sql, scope) => listReceipts(sql, scope, { phoneKey: PHONE }),
  'receipts by batch': (sql, scope) => listReceipts(sql, scope, { batchId: 'small' }),
  'receipts by a large batch': (sql, scope) => listReceipts(sql, scope, { batchId: 'large' }),
  'receipts by batch and result': (sql, scope) => listReceipts(sql, scope, { batchId: 'large', status: 'expired' }),
  'receipts by batch and phone': (sql, scope) => listReceipts(sql, scope, { batchId: 'b12', phoneKey: PHONE }),
  'receipts by result': (sql, scope) => listReceipts(sql, scope, { status: 'delivered' }),
  'receipts by a rare result': (sql, scope) => listReceipts(sql, scope, { status: 'expired' }),
  'receipts by firm': (sql, scope) => listReceipts(sql, scope, { firm: 'f' }),
  'receipts by firm and result': (sql, scope) => listReceipts(sql, scope, { firm: 'f', status: 'delivered' }),
  'receipts by a rare firm': (sql, scope) => listReceipts(sql, scope, { firm: 'g' }),
  'receipts by a rare firm and result': (sql, scope) => listReceipts(sql, scope, { firm: 'g', status: 'expired' }),
  'receipts by a firm and a result that never met': (sql, scope) =>
    listReceipts(sql, scope, { firm: 'g', status: 'undelivered' }),
  'receipts without a firm': (sql, scope) => listReceipts(sql, scope, { firm: null }),
  'receipts by firm and batch': (sql, scope) => listReceipts(sql, scope, { firm: 'g', batchId: 'large' }),
  uplinks: (sql, scope) => listUplinks(sql, scope, {}),
  'uplinks by phone': (sql, scope) => listUplinks(sql, scope, { phoneKey: PHONE }),
  'uplinks by account': (sql, scope) => listUplinks(sql, scope, { serviceAccountId: 50n }),
  ledgers: (sql, scope) => listLedgers(sql, scope, {}),
  'ledgers by task': (sql, scope) => listLedgers(sql, scope, { taskId: taskAt(500) }),
  'ledgers by batch': (sql, scope) => listLedgers(sql, scope, { batchId: 'small' }),
  'ledgers by a large batch': (sql, scope) => listLedgers(sql, scope, { batchId: 'large', type: 'freeze' }),
  'ledgers by type': (sql, scope) => listLedgers(sql, scope, { type: 'freeze' }),
  'ledgers by a rare type': (sql, scope) => listLedgers(sql, scope, { type: 'release' }),
  'ledgers by a type that there is none of': (sql, scope) => listLedgers(sql, scope, { type: 'topup' }),
  submits: (sql, scope) => listSubmits(sql, scope, {}),
  'submits by task': (sql, scope) => listSubmits(sql, scope, { taskId: taskAt(500) }),
  'submits by batch': (sql, scope) => listSubmits(sql, scope, { batchId: 'small' }),
  'submits by a large batch': (sql, scope) => listSubmits(sql, scope, { batchId: 'large' }),
  'submits by phone': (sql, scope) => listSubmits(sql, scope, { phoneKey: PHONE }),
  'submits by phone and status': (sql, scope) => listSubmits(sql, scope, { phoneKey: PHONE, status: 'unknown' }),
  'submits by status': (sql, scope) => listSubmits(sql, scope, { status: 'accepted' }),
  'submits by a rare status': (sql, scope) => listSubmits(sql, scope, { status: 'unknown' }),
  deliveries: (sql, scope) => listDeliveries(sql, scope, {}),
  'deliveries by task': (sql, scope) => listDeliveries(sql, scope, { taskId: taskAt(500) }),
  'deliveries by batch': (sql, scope) => listDeliveries(sql, scope, { batchId: 'small' }),
  'deliveries by a large batch': (sql, scope) => listDeliveries(sql, scope, { batchId: 'large', status: 'delivered' }),
  'deliveries by batch and phone': (sql, scope) => listDeliveries(sql, scope, { batchId: 'b12', phoneKey: PHONE }),
  'deliveries by phone': (sql, scope) => listDeliveries(sql, scope, { phoneKey: PHONE }),
  'deliveries by status': (sql, scope) => listDeliveries(sql, scope, { status: 'delivered' }),
  'deliveries by a rare status': (sql, scope) => listDeliveries(sql, scope, { status: 'intermediate' }),
  'deliveries by a status that none has': (sql, scope) => listDeliveries(sql, scope, { status: 'expired' }),
};

export const FIRST_PAGE = { after: undefined, offset: 0, limit: 21 };

/** Places of a list that a reader may ask for. */
export const PLACES: Readonly<Record<string, (name: string, sql: Sql) => Promise<unknown>>> = {
  'the first page': (name, sql) => createList(name, sql, scopeOf()).rows(FIRST_PAGE),
  'deep down': (name, sql) => createList(name, sql, scopeOf()).rows({ ...FIRST_PAGE, after: deepKey(name) }),
  'an hour long ago': (name, sql) => createList(name, sql, scopeOf(20_000, 23_600)).rows(FIRST_PAGE),
  'since long ago': (name, sql) => createList(name, sql, scopeOf(20_000)).rows(FIRST_PAGE),
  'until long ago': (name, sql) => createList(name, sql, scopeOf(undefined, 20_000)).rows(FIRST_PAGE),
};

export function createList(name: string, sql: Sql, scope: ListScope): ListSource<unknown> {
  const list = LISTS[name];
  if (list === undefined) throw new Error(`There is no list "${name}".`);
  return list(sql, scope);
}

/** The key of an early row, which is a long way down from the newest. */
function deepKey(name: string): string {
  const id = name.startsWith('ledgers') ? '20000' : String(idAt(20_000));
  return name.includes('a large batch') ? `${taskAt(19_050)}/${id}` : id;
}
