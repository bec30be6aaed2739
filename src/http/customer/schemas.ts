// What the customer API answers, as the reference shows it.

import { type TSchema, Type } from '@sinclair/typebox';
import { ENCODINGS } from '../../domain/message/parts.js';
import { MAX_BATCH_ID_CHARACTERS, MAX_TITLE_CHARACTERS } from '../../domain/request/send-request.js';
import { MESSAGE_CLASSES } from '../../domain/rules/message-class.js';
import { WAITS } from '../../domain/task/schedule.js';
import { ACCOUNTING_STATES, RECEIPT_RESULTS, RECEIPT_STATES, STAGES } from '../../domain/task/stages.js';
import { MOVE_NAMES } from '../../domain/task/task-moves.js';
import { oneOf } from '../list-query.js';

export const SUBMIT_STATUSES = ['accepted', 'rejected', 'unknown'] as const;
export const DELIVERY_STATUSES = ['delivered', 'undelivered', 'expired', 'rejected', 'intermediate'] as const;
export const ENTRY_TYPES = ['freeze', 'charge', 'release', 'refund', 'topup', 'adjustment'] as const;

/** The filter that lists of what belongs to tasks have in common. */
export const batchFilter = Type.String({
  minLength: 1,
  maxLength: MAX_BATCH_ID_CHARACTERS,
  description: 'Only of the tasks of this batch.',
});

export const titleFilter = Type.String({
  minLength: 1,
  maxLength: MAX_TITLE_CHARACTERS,
  description: 'Only with a title that begins so.',
});

const Amount = (description?: string) =>
  Type.String({ pattern: '^-?\\d+\\.\\d{6}$', examples: ['0.150000'], ...(description && { description }) });
const Time = (description?: string) => Type.String({ format: 'date-time', ...(description && { description }) });
const Count = () => Type.Integer({ minimum: 0 });
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const Phone = Type.String({ description: 'As the customer wrote it.' });

const counts = (description: string) =>
  Type.Object(
    {
      total: Count(),
      unsent: Count(),
      rejected: Count(),
      unknown: Count(),
      awaiting: Count(),
      delivered: Count(),
      undelivered: Count(),
      expired: Count(),
    },
    { description },
  );

const amounts = (price: string, description: string) =>
  Type.Object(
    {
      currency: Type.String(),
      price: orNull(Amount(price)),
      frozen: Amount(),
      charged: Amount(),
      released: Amount(),
      refunded: Amount(),
      held: Amount('What is still frozen: `frozen = charged + released + held`.'),
    },
    { description },
  );

const taskFields = {
  task_no: Type.String(),
  client_request_id: orNull(Type.String()),
  batch_id: orNull(Type.String()),
  title: orNull(Type.String({ description: 'What people call it.' })),
  template_no: Type.String(),
  class: oneOf(MESSAGE_CLASSES, 'The class of its template.'),
  service_account_no: Type.String(),
  target_firms: Type.Array(Type.String(), { description: 'Empty: every firm that the customer may use.' }),
  auto_prepare: Type.Boolean(),
  auto_freeze: Type.Boolean(),
  auto_submit: Type.Boolean(),
  stage: oneOf(STAGES, 'Where the task is. Says nothing of money or outcomes.'),
  accounting_state: oneOf(ACCOUNTING_STATES, 'What its money does.'),
  receipt_state: oneOf(RECEIPT_STATES, 'How many of its numbers have their receipt.'),
  failure: orNull(Type.String({ description: 'Why a failed task cannot go on.' })),
  waits_for: orNull(
    oneOf(WAITS, 'What has to come for the task to go on; null when it has ended, or is being worked on.'),
  ),
  next_send_at: orNull(Time('When the window opens that it waits for; null when it waits for none.')),
  send_at: orNull(Time('Nothing is handed over before it.')),
  expires_at: orNull(Time('What is unsent then is not sent any more.')),
  counts: counts('The numbers of the task; the other seven add up to `total`.'),
  amounts: amounts(
    'What freezing the task takes; null until it is prepared.',
    'Decimal strings. Each but `price` and `held` is the sum of the ledger entries of that type for this task.',
  ),
  created_at: Time(),
  updated_at: Time(),
  completed_at: orNull(Time()),
};

export const TaskSchema = Type.Object(taskFields, { $id: 'Task' });

const batchFields = {
  batch_id: Type.String(),
  title: orNull(Type.String({ description: 'Of its first task.' })),
  tasks: Type.Integer({ minimum: 1 }),
  stages: Type.Partial(Type.Object(Object.fromEntries(STAGES.map((stage) => [stage, Type.Integer({ minimum: 1 })]))), {
    description: 'How many of its tasks are in each stage; those that none is in are left out.',
  }),
  paused: Type.Integer({ minimum: 0, description: 'How many of its tasks are paused, and wait to be resumed.' }),
  moves: Type.Partial(Type.Object(Object.fromEntries(MOVE_NAMES.map((move) => [move, Type.Integer({ minimum: 1 })]))), {
    description: 'How many of its tasks each move would change now; moves that would change none are left out.',
  }),
  counts: counts('The numbers of all its tasks.'),
  amounts: amounts(
    'What freezing its prepared tasks takes; null while none is prepared.',
    'Decimal strings, the sums over all its tasks.',
  ),
  created_at: Time('When its first task was accepted.'),
  updated_at: Time(),
  completed_at: orNull(Time('When the last of its tasks ended; null while one has not.')),
};

export const BatchSchema = Type.Object(batchFields, { $id: 'Batch' });

export const MovedBatchSchema = Type.Object(
  {
    ...batchFields,
    applied: Type.Integer({ minimum: 0, description: 'The tasks that the move changed; none on a repeat.' }),
  },
  { $id: 'MovedBatch' },
);

export const PreviewSchema = Type.Object(
  {
    total: Count(),
    sendable: Count(),
    rejected: Count(),
    parts: Type.Integer({ minimum: 0, description: 'Message parts of all sendable numbers.' }),
    price: Amount('What freezing would take.'),
    currency: Type.String(),
    available: Amount('The balance that can be frozen; a postpaid customer may go below zero.'),
    affordable: Type.Boolean({ description: 'Whether the price would be frozen now.' }),
    waits_for: orNull(oneOf(['funds', 'limit'], 'Where it would not: what the task would wait for.')),
    firms: Type.Array(
      Type.Object({ firm: Type.String(), numbers: Count(), parts: Count(), unit_price: Amount(), price: Amount() }),
    ),
    rejections: Type.Array(
      Type.Object({
        seq: Type.Integer({ minimum: 1, description: 'Position of the number in the request.' }),
        phone: Phone,
        code: Type.String({ description: 'The code that its receipt would have.' }),
        description: Type.String({ description: 'In words, ours.' }),
      }),
      { maxItems: 100, description: 'The first 100 numbers that would not be sent to.' },
    ),
    samples: Type.Array(
      Type.Object({
        seq: Type.Integer({ minimum: 1 }),
        phone: Phone,
        text: Type.String(),
        encoding: oneOf(
          ENCODINGS,
          'The alphabet, which depends on the text and on the channel: 160, 140 or 70 characters fit one part, 153, 134 or 67 each of several.',
        ),
        parts: Type.Integer({ minimum: 1 }),
        price: Amount(),
      }),
      { maxItems: 10, description: 'The first 10 numbers that would be sent to, with their texts.' },
    ),
  },
  { $id: 'Preview' },
);

export const TaskDetailSchema = Type.Object(
  {
    ...taskFields,
    template_body: orNull(
      Type.String({ description: 'The text as it was sent, with its placeholders. Null where it was not kept.' }),
    ),
    variable_values: orNull(
      Type.Record(Type.String(), Type.String(), {
        description: 'The values that all numbers share. Null where each number has its own.',
      }),
    ),
    timeline: Type.Array(Type.Object({ stage: oneOf(STAGES, 'The stage that was entered.'), at: Time() })),
    verification: Type.Optional(
      Type.Object(
        {
          since: Time(),
          deadline: Time('When what is still unknown counts as not accepted.'),
          unknown: Count(),
        },
        { description: 'In `submit_unknown` only.' },
      ),
    ),
    limit: Type.Optional(
      Type.Object(
        {
          daily_limit: orNull(
            Amount('What may be frozen in one UTC day; null when the limit has just been taken away.'),
          ),
          frozen_today: Amount('What counts against it so far.'),
          fits_from: orNull(Time('From when on there is room again; null when the price is above the limit itself.')),
        },
        { description: 'While `waits_for` is `limit` only.' },
      ),
    ),
  },
  { $id: 'TaskDetail' },
);

export const ReceiptSchema = Type.Object(
  {
    task_no: Type.String(),
    client_request_id: orNull(Type.String()),
    seq: Type.Integer({ minimum: 1, description: 'Position of the number in the request.' }),
    phone: Phone,
    firm: orNull(Type.String()),
    result: oneOf(RECEIPT_RESULTS, 'The one final outcome of the number.'),
    code: orNull(Type.String({ description: 'The upstream’s own code, or why we rejected the number.' })),
    description: Type.String({ description: 'In words, ours.' }),
    parts: Count(),
    price: Amount('Its parts × the unit price.'),
    charged: Amount('What was charged for it: its price, or zero. A refund is a ledger entry and does not change it.'),
    submitted_at: orNull(Time()),
    done_at: orNull(Time('The carrier’s time.')),
    received_at: Time('When we knew.'),
    text: Type.Optional(
      orNull(Type.String({ description: 'As it was sent, with `include=text`. Null where it was not kept.' })),
    ),
  },
  { $id: 'Receipt' },
);

export const UnsentSchema = Type.Object(
  {
    seq: Type.Integer({ minimum: 1, description: 'Position of the number in the request.' }),
    phone: Phone,
    firm: orNull(Type.String({ description: 'Null until the task is prepared.' })),
    parts: orNull(Count()),
    price: orNull(Amount()),
  },
  { $id: 'UnsentNumber' },
);

export const UplinkSchema = Type.Object(
  {
    uplink_no: Type.String(),
    phone: Phone,
    service_account_no: orNull(Type.String()),
    firm: orNull(Type.String()),
    content: Type.String(),
    task_no: orNull(Type.String({ description: 'The task it answers, where that is known.' })),
    received_at: Time(),
  },
  { $id: 'Uplink' },
);

export const LedgerEntrySchema = Type.Object(
  {
    ledger_no: Type.String(),
    seq: Type.Integer({ minimum: 1, description: 'Numbered per customer without gaps.' }),
    type: oneOf(ENTRY_TYPES, 'What happened to the money.'),
    amount: Amount(),
    currency: Type.String(),
    task_no: orNull(Type.String()),
    numbers: orNull(Type.Integer({ minimum: 1, description: 'How many numbers of the task it covers.' })),
    available_delta: Amount(),
    frozen_delta: Amount(),
    available_after: Amount(),
    frozen_after: Amount(),
    remark: orNull(Type.String()),
    created_at: Time(),
  },
  { $id: 'LedgerEntry' },
);

const partFields = {
  task_no: Type.String(),
  seq: Type.Integer({ minimum: 1 }),
  phone: Phone,
  firm: Type.String(),
  part: Type.Integer({ minimum: 1 }),
  parts: Type.Integer({ minimum: 1 }),
};

export const SubmitSchema = Type.Object(
  {
    submit_no: Type.String(),
    ...partFields,
    status: oneOf(SUBMIT_STATUSES, 'What the upstream answered.'),
    code: orNull(Type.String()),
    upstream_message_id: orNull(Type.String()),
    submitted_at: Time(),
    answered_at: orNull(Time()),
  },
  { $id: 'Submit' },
);

export const DeliverySchema = Type.Object(
  {
    delivery_no: Type.String(),
    ...partFields,
    status: oneOf(DELIVERY_STATUSES, 'What the report says.'),
    code: orNull(Type.String()),
    upstream_message_id: orNull(Type.String()),
    done_at: orNull(Time('The carrier’s time.')),
    received_at: Time('Ours.'),
  },
  { $id: 'Delivery' },
);

export const NumberHistorySchema = Type.Object(
  {
    phone: Type.String({ description: 'In international spelling; as it was asked for where it is no real number.' }),
    opted_out_at: orNull(Time('Since when it is rejected with `opted_out`.')),
    submits: Type.Array(SubmitSchema),
    deliveries: Type.Array(DeliverySchema),
    receipts: Type.Array(ReceiptSchema),
    uplinks: Type.Array(UplinkSchema),
    tasks: Type.Array(
      Type.Object({
        task_no: Type.String(),
        client_request_id: orNull(Type.String()),
        template_no: orNull(Type.String()),
      }),
      { description: 'Those that the records name, newest first.' },
    ),
    is_complete: Type.Boolean({
      description: 'False when there is more than fits; the lists, filtered by `phone`, have it.',
    }),
  },
  { $id: 'NumberHistory' },
);

export const AccountSchema = Type.Object(
  {
    customer_no: Type.String(),
    currency: Type.String(),
    billing_mode: oneOf(['prepaid', 'postpaid'], 'Postpaid: `available` may go down to minus `credit_limit`.'),
    charge_on: oneOf(['submit', 'delivery'], 'When a number is charged.'),
    refund_on_failure: Type.Boolean(),
    credit_limit: Amount(),
    available: Amount('Free to be frozen for new tasks.'),
    frozen: Amount('Held for tasks that are under way.'),
    daily_limit: orNull(Amount('What may be frozen in one UTC day; null: any amount.')),
    frozen_today: Amount('What was frozen since the UTC day began, whatever became of it.'),
    billing_time_zone: Type.String({ description: 'Of the months, days and hours of statements and statistics.' }),
    ledger_seq: Type.Integer({
      minimum: 0,
      description: 'Number of the newest ledger entry that these balances include.',
    }),
  },
  { $id: 'Account' },
);

export function listOf(item: TSchema): TSchema {
  return Type.Object({
    items: Type.Array(item),
    page: Type.Integer({ minimum: 1 }),
    page_size: Type.Integer({ minimum: 1, maximum: 100 }),
    total: Type.Integer({ minimum: 0, maximum: 10_000 }),
    total_is_exact: Type.Boolean({ description: 'False when there are more than `total`.' }),
    next_cursor: orNull(
      Type.String({ description: 'Null on the last page. A page before it may be short, or empty.' }),
    ),
  });
}

const outcomeFields = {
  total: Count(),
  delivered: Count(),
  undelivered: Count(),
  expired: Count(),
  rejected: Count(),
  cancelled: Type.Integer({
    minimum: 0,
    description: 'Not sent: cancelled, or not sent before `expires_at`. Not among `rejected`.',
  }),
  handed_over: Type.Integer({
    minimum: 0,
    description: 'Given to a carrier, whatever came of it. The delivery rate is `delivered` of these.',
  }),
  parts: Count(),
  charged: Amount('What these numbers were charged; what was refunded since is not taken off.'),
};

export const StatisticSchema = Type.Object(
  {
    key: orNull(
      Type.String({ description: 'The day, the start of the hour, the template, firm or code. Null: none.' }),
    ),
    ...outcomeFields,
  },
  { $id: 'Statistic' },
);

const BalancesSchema = Type.Object({ available: Amount(), frozen: Amount() });

export const BalanceAtSchema = Type.Object(
  {
    key: Type.String({ description: 'The day, or the start of the hour.' }),
    available: Amount('What was available at its end.'),
    frozen: Amount('What was frozen at its end.'),
  },
  { $id: 'BalanceAt' },
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
      description: 'Numbers whose receipt was made in the month. An entry may cover numbers of several firms.',
    }),
    prices: Type.Array(
      Type.Object({
        firm: Type.String(),
        class: Type.String({ description: 'Of the templates.' }),
        unit_price: Type.String(),
        numbers: Type.Integer({ minimum: 0 }),
        parts: Type.Integer({ minimum: 0 }),
        charged: Type.String(),
      }),
      { description: 'The unit prices that applied to these numbers.' },
    ),
  },
  { $id: 'Statement' },
);
