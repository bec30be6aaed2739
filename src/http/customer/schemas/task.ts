// A task, and its numbers that are not sent yet.

import { Type } from '@sinclair/typebox';
import { MESSAGE_CLASSES } from '../../../domain/rules/message-class.js';
import { WAITS } from '../../../domain/task/schedule.js';
import { ACCOUNTING_STATES, RECEIPT_STATES, STAGES } from '../../../domain/task/stages.js';
import { oneOf } from '../../query/list-query.js';
import { orNull, Time } from '../../resources/entity-answers.js';
import { Amount, Count, Phone, Position } from './fields.js';

export const counts = (description: string) =>
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

export const amounts = (price: string, description: string) =>
  Type.Object(
    {
      currency: Type.String(),
      price: orNull(Amount(price)),
      frozen: Amount(),
      charged: Amount(),
      released: Amount(),
      refunded: Amount(),
      held: Amount('What is still reserved: `frozen = charged + released + held`.'),
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
  target_firms: Type.Array(Type.String(), { description: 'Empty: every carrier that the customer may use.' }),
  auto_prepare: Type.Boolean(),
  auto_freeze: Type.Boolean(),
  auto_submit: Type.Boolean(),
  stage: oneOf(STAGES, 'Where the task is. Says nothing of money or outcomes.'),
  accounting_state: oneOf(ACCOUNTING_STATES, 'What its money does.'),
  receipt_state: oneOf(RECEIPT_STATES, 'How many of its numbers have their receipt.'),
  failure: orNull(Type.String({ description: 'Why the task failed.' })),
  waits_for: orNull(oneOf(WAITS, 'What the task waits for; null when it has ended or is in progress.')),
  next_send_at: orNull(Time('When the window opens that it waits for; null when it waits for none.')),
  send_at: orNull(Time('Nothing is handed over before it.')),
  expires_at: orNull(Time('What is unsent then is not sent any more.')),
  counts: counts('The numbers of the task; the other seven add up to `total`.'),
  cancelled: Count('Of `counts.rejected`: not sent, because the task was cancelled or its time was up.'),
  amounts: amounts(
    'What reserving the task takes; null until it is prepared.',
    'Decimal strings. Each but `price` and `held` is the sum of the ledger entries of that type for this task.',
  ),
  created_at: Time(),
  updated_at: Time(),
  completed_at: orNull(Time()),
};

export const TaskSchema = Type.Object(taskFields, {
  $id: 'Task',
  description: '`stage`, `accounting_state` and `receipt_state` are independent: none implies another.',
});

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
            Amount('What may be reserved in one UTC day; null when the limit has just been taken away.'),
          ),
          frozen_today: Amount('What counts against it so far.'),
          fits_from: orNull(Time('From when on there is room again; null when the price is above the limit itself.')),
        },
        { description: 'While `waits_for` is `limit` only.' },
      ),
    ),
  },
  { $id: 'TaskDetail', description: 'A task with its text and its timeline.' },
);

export const UnsentSchema = Type.Object(
  {
    seq: Position(),
    phone: Phone,
    firm: orNull(Type.String({ description: 'Null until the task is prepared.' })),
    parts: orNull(Count()),
    price: orNull(Amount()),
  },
  { $id: 'UnsentNumber', description: 'A number of a task that is not sent yet.' },
);
