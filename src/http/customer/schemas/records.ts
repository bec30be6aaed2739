// What happened to a number: parts submitted, delivery reports, receipts, replies.

import { Type } from '@sinclair/typebox';
import { DELIVERY_STATUSES, RECEIPT_RESULTS, SUBMIT_STATUSES } from '../../../domain/record/records.js';
import { oneOf } from '../../query/list-query.js';
import { orNull, Time } from '../../resources/entity-answers.js';
import { Amount, Count, Phone, Position } from './fields.js';

export const ReceiptSchema = Type.Object(
  {
    task_no: Type.String(),
    client_request_id: orNull(Type.String()),
    seq: Position(),
    phone: Phone,
    firm: orNull(Type.String()),
    result: oneOf(RECEIPT_RESULTS, 'The one final outcome of the number.'),
    code: orNull(Type.String({ description: 'The upstream’s own code, or why we rejected the number.' })),
    description: Type.String({ description: 'In words, ours.' }),
    parts: Count(),
    price: Amount('Its segments × the unit price.'),
    charged: Amount('What was charged for it: its price, or zero. A refund is a ledger entry and does not change it.'),
    submitted_at: orNull(Time()),
    done_at: orNull(Time('The carrier’s time.')),
    received_at: Time('When we knew.'),
    text: Type.Optional(
      orNull(Type.String({ description: 'As it was sent, with `include=text`. Null where it was not kept.' })),
    ),
  },
  { $id: 'Receipt', description: 'The one final outcome of one number.' },
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
  { $id: 'Uplink', description: 'One inbound message.' },
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
  { $id: 'Submit', description: 'One segment put on the wire, and what the upstream answered.' },
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
  { $id: 'Delivery', description: 'One delivery report for one segment.' },
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
  { $id: 'NumberHistory', description: 'The newest 100 records of each kind, newest first.' },
);
