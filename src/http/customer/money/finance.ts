import { Type } from '@sinclair/typebox';
import { asTaskId, parseNo } from '../../../domain/id.js';
import { frozenToday } from '../../../domain/money/freeze.js';
import { ENTRY_TYPES } from '../../../domain/money/ledger.js';
import { formatMoney } from '../../../domain/money/money.js';
import { MAX_NO_CHARACTERS } from '../../../domain/request/send-request.js';
import { scopeOf } from '../../../store/condition.js';
import { listLedgers } from '../../../store/lists/ledgers.js';
import { isRecordKey } from '../../../store/lists/of-batch.js';
import { readTaskNames } from '../../../store/lists/receipts.js';
import { readBalance } from '../../../store/money/balance.js';
import type { AnySql } from '../../../store/sql.js';
import { examples } from '../../examples.js';
import { type ListQuery, oneOf, rejectParameters } from '../../query/list-query.js';
import { renderLedgerEntry } from '../../resources/ledger-view.js';
import type { Route } from '../../route.js';
import type { CustomerCall } from '../access/admit.js';
import type { CustomerDeps } from '../deps.js';
import { listRoute, type OpenList, openList } from '../lists.js';
import { clientRequestIdOf } from '../request-key.js';
import { batchFilter } from '../schemas/batch.js';
import { AccountSchema, LedgerEntrySchema } from '../schemas/money.js';

const TAG = 'Finance';

const ledgerList = {
  name: 'ledgers',
  timed: true,
  isKey: isRecordKey,
  filters: {
    task_no: Type.String({ minLength: 1, maxLength: MAX_NO_CHARACTERS }),
    batch_id: batchFilter,
    type: oneOf(ENTRY_TYPES, 'Only entries of this type.'),
  },
} as const;

export function financeRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  return [
    listRoute(deps, {
      path: '/openapi/v1/finance/ledgers/',
      name: 'listLedgers',
      tag: TAG,
      summary: 'List ledger entries',
      description: 'Append-only and numbered without gaps; each carries the balances after it.',
      list: ledgerList,
      item: LedgerEntrySchema,
      example: examples.ledgerEntry,
      open: openLedgers,
    }),
    {
      method: 'GET',
      path: '/openapi/v1/finance/account/',
      name: 'getAccount',
      tag: TAG,
      summary: 'Show the account',
      description: 'The balances are the sums of all ledger entries up to `ledger_seq`.',
      answer: { status: 200, description: 'The account.', schema: AccountSchema, example: examples.account },
      problems: [],
      handle: (call) => showAccount(deps, call),
    },
  ];
}

async function openLedgers(
  sql: AnySql,
  { customer }: CustomerCall,
  query: ListQuery<typeof ledgerList.filters>,
): Promise<OpenList | undefined> {
  const { task_no, batch_id, type } = query.filters;
  const taskId = task_no === undefined ? undefined : parseNo('T', task_no);
  if (task_no !== undefined && taskId === undefined) return undefined;
  const source = listLedgers(sql, scopeOf(customer, query), {
    taskId: taskId === undefined ? undefined : asTaskId(taskId),
    batchId: batch_id,
    type,
  });
  return openList(source, async (rows) => {
    const tasks = await readTaskNames(
      sql,
      customer,
      rows.flatMap((row) => (row.task_id === null ? [] : [row.task_id])),
    );
    return rows.map((row) => {
      const task = row.task_id === null ? undefined : tasks.get(row.task_id);
      const names = { title: task?.title ?? null, client_request_id: clientRequestIdOf(task?.requestKey) };
      return renderLedgerEntry(row, customer.currency, names);
    });
  });
}

async function showAccount(deps: CustomerDeps, { customer, requestTarget }: CustomerCall) {
  rejectParameters(requestTarget);
  const balance = await readBalance(deps.sql, customer);
  return {
    customer_no: customer.customerNo,
    currency: customer.currency,
    billing_mode: customer.billingMode,
    charge_on: customer.chargeOn,
    refund_on_failure: customer.refundOnFailure,
    credit_limit: formatMoney(balance.creditLimit),
    available: formatMoney(balance.available),
    frozen: formatMoney(balance.frozen),
    daily_limit: balance.dailyLimit === null ? null : formatMoney(balance.dailyLimit),
    frozen_today: formatMoney(frozenToday(balance, balance.now)),
    low_balance: customer.lowBalance === null ? null : formatMoney(customer.lowBalance),
    billing_time_zone: customer.billingTimeZone,
    ledger_seq: balance.ledgerSeq,
  };
}
