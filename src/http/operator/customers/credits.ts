// Money that the operator puts in (top-ups) or corrects (adjustments).

import { errorText } from '../../../domain/fault/error-text.js';
import { createFault } from '../../../domain/fault/fault.js';
import type { LedgerEntry } from '../../../domain/money/ledger.js';
import { scopeOf } from '../../../store/condition.js';
import { type LedgerRow, listLedgers } from '../../../store/lists/ledgers.js';
import { creditCustomer } from '../../../store/operator/credit.js';
import { checkBody } from '../../body/check-body.js';
import { LedgerEntrySchema } from '../../customer/schemas/money.js';
import { invalidRequest } from '../../problem/problem.js';
import { renderLedgerEntry } from '../../resources/ledger-view.js';
import {
  actorContextFor,
  defineList,
  defineOperation,
  type OperatorCall,
  type OperatorDeps,
  type OperatorRoute,
  requireCustomer,
} from '../operator-route.js';
import { CreateAdjustment, CreateTopup } from '../schemas.js';

const tag = 'Money';

type CreditType = 'topup' | 'adjustment';

export function createCreditRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/topups',
      name: 'createTopup',
      permission: 'credit',
      tag,
      summary: 'Top up an account',
      description:
        'The price of tasks that wait for funds is reserved automatically if they were sent with `auto_freeze`.',
      body: { schema: CreateTopup, example: { amount: '100.000000', remark: 'Invoice 7', reference: 'invoice-7' } },
      answer: {
        status: 201,
        schema: LedgerEntrySchema,
        description: 'The ledger entry; the first one when the reference was used before.',
      },
      handle: (call) => credit(deps, call, 'topup', CreateTopup),
    }),
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/adjustments',
      name: 'createAdjustment',
      permission: 'credit',
      tag,
      summary: 'Correct an account',
      body: { schema: CreateAdjustment, example: { amount: '-1.500000', remark: 'Charged twice by phone' } },
      answer: {
        status: 201,
        schema: LedgerEntrySchema,
        description: 'The ledger entry; the first one when the reference was used before.',
      },
      handle: (call) => credit(deps, call, 'adjustment', CreateAdjustment),
    }),
    createCreditList(deps, 'topup', {
      path: '/customers/{customer_no}/topups',
      name: 'listTopups',
      summary: 'List top-ups',
    }),
    createCreditList(deps, 'adjustment', {
      path: '/customers/{customer_no}/adjustments',
      name: 'listAdjustments',
      summary: 'List adjustments',
    }),
  ];
}

function createCreditList(
  deps: OperatorDeps,
  type: CreditType,
  described: { readonly path: string; readonly name: string; readonly summary: string },
): OperatorRoute {
  return defineList({
    ...described,
    tag,
    item: LedgerEntrySchema,
    list: { name: `${type}s`, timed: true, filters: {} },
    source: async (call, { startMs, endMs }) => {
      const customer = await requireCustomer(deps, call);
      const entries = listLedgers(deps.sql, scopeOf(customer, { startMs, endMs }), { type });
      return {
        keyOf: ({ entry }) => entries.keyOf(entry),
        count: (limit) => entries.count(limit),
        rows: async (bounds) =>
          (await entries.rows(bounds)).map((entry) => ({ entry, currency: customer.terms.currency })),
      };
    },
    render: ({ entry, currency }: { entry: LedgerRow; currency: string }) => renderLedgerEntry(entry, currency),
  });
}

async function credit(
  deps: OperatorDeps,
  call: OperatorCall,
  type: CreditType,
  schema: typeof CreateTopup | typeof CreateAdjustment,
) {
  const customer = await requireCustomer(deps, call);
  const { amount, remark, reference } = checkBody(schema, call.body, { defaults: true });
  const given = {
    amount,
    ...(remark === undefined ? {} : { remark }),
    ...(reference === undefined ? {} : { reference }),
  };
  const outcome = await creditCustomer(actorContextFor(deps, call), customer, { type, ...given }).catch(
    (error: unknown) => {
      // The balance is bounded by the 64 bits of its column.
      if (!(error instanceof RangeError)) throw error;
      const message = errorText('balance_out_of_range');
      throw invalidRequest([createFault('/amount', 'out_of_range', message)]);
    },
  );
  deps.onCredited();
  if (outcome.repeated) call.reply.header('Idempotent-Replayed', 'true');
  return renderLedgerEntry(toRow(outcome.entry), customer.terms.currency);
}

export function toRow(entry: LedgerEntry): LedgerRow {
  return {
    seq: entry.seq,
    type: entry.type,
    amount: entry.amount,
    task_id: null,
    numbers: null,
    available_delta: entry.availableDelta,
    frozen_delta: entry.frozenDelta,
    available_after: entry.availableAfter,
    frozen_after: entry.frozenAfter,
    remark: entry.remark ?? null,
    created_at: entry.createdAt,
  };
}
