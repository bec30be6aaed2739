// The account of a customer, its ledger and its statements.

import { Type } from '@sinclair/typebox';
import { ENTRY_TYPES } from '../../../domain/money/ledger.js';
import { oneOf } from '../../query/list-query.js';
import { orNull, Time } from '../../resources/entity-answers.js';
import { Amount, Count } from './fields.js';
import { outcomeFields } from './statistics.js';

export const LedgerEntrySchema = Type.Object(
  {
    ledger_no: Type.String(),
    seq: Type.Integer({ minimum: 1, description: 'Numbered per customer without gaps.' }),
    type: oneOf(ENTRY_TYPES, 'What happened to the money.'),
    amount: Amount(),
    currency: Type.String(),
    task_no: orNull(Type.String()),
    client_request_id: orNull(Type.String({ description: 'Of its task.' })),
    title: orNull(Type.String({ description: 'Of its task.' })),
    numbers: orNull(Type.Integer({ minimum: 1, description: 'How many numbers of the task it covers.' })),
    available_delta: Amount(),
    frozen_delta: Amount(),
    available_after: Amount(),
    frozen_after: Amount(),
    remark: orNull(Type.String()),
    created_at: Time(),
  },
  { $id: 'LedgerEntry', description: 'One movement of money, with the balances after it.' },
);

export const AccountSchema = Type.Object(
  {
    customer_no: Type.String(),
    currency: Type.String(),
    billing_mode: oneOf(['prepaid', 'postpaid'], 'Postpaid: `available` may go down to minus `credit_limit`.'),
    charge_on: oneOf(['submit', 'delivery'], 'When a number is charged.'),
    refund_on_failure: Type.Boolean(),
    credit_limit: Amount(),
    available: Amount('Free to be reserved for new tasks.'),
    frozen: Amount('Reserved for tasks that are under way.'),
    daily_limit: orNull(Amount('What may be reserved in one UTC day; null: any amount.')),
    frozen_today: Amount('The amount reserved in this UTC day, including what was released or refunded since.'),
    low_balance: orNull(Amount('Below it, `account.low` and notices are sent; null: never.')),
    billing_time_zone: Type.String({ description: 'Of the months, days and hours of statements and statistics.' }),
    ledger_seq: Count('Number of the newest ledger entry that these balances include.'),
  },
  { $id: 'Account' },
);

const BalancesSchema = Type.Object({ available: Amount(), frozen: Amount() });

export const BalanceAtSchema = Type.Object(
  {
    key: Type.String({ description: 'The day, or the start of the hour.' }),
    available: Amount('What was available at its end.'),
    frozen: Amount('What was reserved at its end.'),
  },
  { $id: 'BalanceAt', description: 'The balance at the end of a day or hour; of the current one, now.' },
);

const entriesOf = (types: readonly string[]) => {
  const sum = () => Type.Object({ count: Count(), amount: Amount() });
  return Type.Object(Object.fromEntries(types.map((type) => [type, sum()])));
};

/** What a task can do to the money. */
export const TASK_ENTRY_TYPES = ['freeze', 'charge', 'release', 'refund'] as const;

export const StatementSchema = Type.Object(
  {
    month: Type.String({ pattern: '^\\d{4}-\\d{2}$' }),
    provisional: Type.Boolean({ description: 'Whether the month is still running.' }),
    billing_time_zone: Type.String({ description: 'Of its months and days.' }),
    issuer: orNull(Type.String({ description: 'Name and address of the platform, by `POSTRIDER_ISSUER`.' })),
    customer_no: Type.String(),
    customer_name: Type.String(),
    currency: Type.String(),
    opening: BalancesSchema,
    closing: BalancesSchema,
    entries: entriesOf(ENTRY_TYPES),
    days: Type.Array(
      Type.Object({ day: Type.String({ format: 'date' }), closing: BalancesSchema, entries: entriesOf(ENTRY_TYPES) }),
      { description: 'Those with entries, oldest first.' },
    ),
    templates: Type.Array(Type.Object({ template_no: orNull(Type.String()), entries: entriesOf(TASK_ENTRY_TYPES) }), {
      description: 'Entries of tasks, by their template.',
    }),
    firms: Type.Array(Type.Object({ firm: orNull(Type.String()), ...outcomeFields }), {
      description: 'Numbers whose receipt was made in the month. An entry may cover numbers of several carriers.',
    }),
    pending_charged: Amount(
      'What `entries.charge` has beyond `charged` of all `firms`: charged in the month, without a receipt yet or with one of a later month, less what was charged before and has its receipt in the month. May be negative.',
    ),
    prices: Type.Array(
      Type.Object({
        firm: Type.String(),
        class: Type.String({ description: 'Of the templates.' }),
        unit_price: Amount(),
        numbers: Type.Integer({ minimum: 0 }),
        parts: Type.Integer({ minimum: 0 }),
        charged: Amount(),
      }),
      {
        description:
          'The unit prices that numbers with a receipt of the month were charged. Those that were not charged are left out.',
      },
    ),
  },
  { $id: 'Statement', description: 'Balances before and after a month, and the ledger entries between them added up.' },
);
