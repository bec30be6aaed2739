import { Type } from '@sinclair/typebox';
import { asTaskId, parseNo } from '../../domain/id.js';
import { formatMoney } from '../../domain/money.js';
import { MAX_NO_CHARACTERS } from '../../domain/send-request.js';
import { readBalance } from '../../store/balance.js';
import { readList } from '../../store/list.js';
import { scopeOf } from '../../store/lists/condition.js';
import { listLedgers } from '../../store/lists/ledgers.js';
import { isRecordKey } from '../../store/lists/of-batch.js';
import { renderLedgerEntry } from '../ledger-view.js';
import { emptyList, oneOf, parseListQuery, rejectParameters, renderList } from '../list-query.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './admit.js';
import type { CustomerDeps } from './deps.js';
import { exampleList, examples } from './examples.js';
import { AccountSchema, batchFilter, ENTRY_TYPES, LedgerEntrySchema, listOf } from './schemas.js';

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
    {
      method: 'GET',
      path: '/openapi/v1/finance/ledgers/',
      name: 'listLedgers',
      tag: TAG,
      summary: 'List ledger entries',
      description: 'Append-only and numbered without gaps; each carries the balances after it.',
      list: ledgerList,
      answer: {
        status: 200,
        description: 'A page, newest first.',
        schema: listOf(LedgerEntrySchema),
        example: exampleList(examples.ledgerEntry),
      },
      problems: [],
      handle: (call) => showLedgers(deps, call),
    },
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

async function showLedgers(deps: CustomerDeps, { customer, requestTarget }: CustomerCall) {
  const query = parseListQuery(ledgerList, requestTarget);
  const { task_no, batch_id, type } = query.filters;
  const taskId = task_no === undefined ? undefined : parseNo('T', task_no);
  if (task_no !== undefined && taskId === undefined) return emptyList(query);
  const source = listLedgers(deps.sql, scopeOf(customer, query), {
    taskId: taskId === undefined ? undefined : asTaskId(taskId),
    batchId: batch_id,
    type,
  });
  return renderList(ledgerList.name, await readList(source, query.position), (row) =>
    renderLedgerEntry(row, customer.currency),
  );
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
    ledger_seq: balance.ledgerSeq,
  };
}
