// What the operator API answers, as the reference shows it. The fields an operator writes come back under the same names.

import { Type } from '@sinclair/typebox';
import { PERMISSIONS, ROLES } from '../../domain/access/permissions.js';
import { BlockedWordsFields } from '../../domain/entities/blocked-words.js';
import { ChannelFields } from '../../domain/entities/channel.js';
import { CustomerFields } from '../../domain/entities/customer.js';
import { FilingFields } from '../../domain/entities/filing.js';
import { FirmFields } from '../../domain/entities/firm.js';
import { OperatorFields } from '../../domain/entities/operator.js';
import { RateFields } from '../../domain/entities/rate.js';
import { GrantFields } from '../../domain/entities/terms-of-use.js';
import { ROUND_KINDS } from '../../domain/platform.js';
import { DELIVERY_STATUSES } from '../../domain/record/records.js';
import { TaskDetailSchema, TaskSchema } from '../customer/schemas/task.js';
import { oneOf } from '../query/list-query.js';
import { answerOf, changed, created, orNull, Time } from '../resources/entity-answers.js';

export const FirmAnswer = answerOf('Firm', changed, FirmFields);

export const ChannelHealthAnswer = Type.Object({
  state: oneOf(['up', 'degraded', 'down'], 'Down also when no process speaks for the channel.'),
  sessions: Type.Integer({ minimum: 0, description: 'Sessions that could carry a segment now.' }),
  detail: orNull(Type.String()),
  owner: orNull(Type.String({ description: 'The process that speaks for the channel.' })),
  since: orNull(Time()),
});

export const ChannelAnswer = answerOf(
  'Channel',
  {
    channel_no: Type.String(),
    health: ChannelHealthAnswer,
    callbacks: orNull(
      Type.Object(
        {
          reports: orNull(Type.String()),
          uplinks: orNull(Type.String()),
          old_until: orNull(Time('Until when the addresses before work too; null where there are none.')),
        },
        {
          description:
            'Paths that the upstream calls, with their token. Null for kinds that have none, and for callers who may not configure channels.',
        },
      ),
    ),
    ...changed,
  },
  ChannelFields,
);

export const CustomerAnswer = answerOf(
  'Customer',
  {
    customer_no: Type.String(),
    bucket: Type.Integer({ description: 'The group of customers whose rows lie together; 0 on one PostgreSQL.' }),
    account: Type.Object({ available: Type.String(), frozen: Type.String() }),
    ...changed,
  },
  CustomerFields,
);

export const FilingAnswer = answerOf(
  { $id: 'Filing', description: 'Whether a channel has the signature of a service account on file.' },
  { signature: orNull(Type.String({ description: 'What was filed.' })), ...changed },
  FilingFields,
);
export const BlockedWordsAnswer = answerOf(
  { $id: 'BlockedWords', description: 'Words that no text may contain.' },
  { blocked_word_no: Type.String(), ...created },
  BlockedWordsFields,
);
export const BlockedContentAnswer = answerOf(
  { $id: 'BlockedContent', description: 'Numbers of a task that were rejected for a blocked word.' },
  {
    customer_no: Type.String(),
    task_no: Type.String(),
    word: Type.String(),
    numbers: Type.Integer({ minimum: 1, description: 'How many of the task were rejected for it.' }),
    at: Time(),
  },
);

export const GrantAnswer = answerOf('Grant', created, GrantFields);
const dated = { valid_from: Time(), ...changed };
export const PriceAnswer = answerOf(
  {
    $id: 'Price',
    description:
      'What a segment costs a customer. The longest prefix wins, then the class, then the latest `valid_from` that has passed.',
  },
  dated,
  RateFields,
);
export const CostAnswer = answerOf(
  {
    $id: 'Cost',
    description:
      'What a segment costs us on a channel. The longest prefix wins, then the class, then the latest `valid_from` that has passed.',
  },
  dated,
  RateFields,
);

const customerNo = { customer_no: orNull(Type.String()) };
export const OperatorTaskAnswer = answerOf(
  { $id: 'OperatorTask', description: 'A task of any customer.' },
  customerNo,
  TaskSchema,
);
export const OperatorTaskDetailAnswer = Type.Object(
  {
    ...customerNo,
    ...TaskDetailSchema.properties,
    rejected_with: orNull(
      Type.String({ description: 'Where every number was rejected: the code of the first receipt. Null otherwise.' }),
    ),
  },
  { $id: 'OperatorTaskDetail', description: 'A task of any customer, with its text and its timeline.' },
);

export const RevealedTextAnswer = answerOf(
  { $id: 'RevealedText', description: 'What a number was sent.' },
  {
    task_no: Type.String(),
    seq: Type.Integer({ minimum: 1 }),
    text: orNull(Type.String({ description: 'Null for tasks from before texts were kept.' })),
  },
);

const operatorFields = {
  operator_no: Type.String(),
  status: oneOf(['active', 'removed'], 'A removed operator stays so.'),
  ...changed,
};
export const OperatorAnswer = answerOf('Operator', operatorFields, OperatorFields);
export const NewOperatorAnswer = answerOf(
  'NewOperator',
  { ...operatorFields, token: Type.String({ description: 'Shown this once.' }) },
  OperatorFields,
);
export const IdentityAnswer = answerOf(
  { $id: 'Identity', description: 'The operator who calls, and their permissions.' },
  {
    name: Type.String({ description: '`root` for the token of the configuration.' }),
    role: oneOf(ROLES, 'The role of the token.'),
    permissions: Type.Array(oneOf(PERMISSIONS, 'What a call can need.')),
  },
);

export const AuditAnswer = answerOf(
  { $id: 'AuditEntry', description: 'A change by an operator: who, when, and what changed.' },
  {
    at: Time(),
    actor: Type.String({ description: 'Who.' }),
    action: Type.String({ description: 'What was done, such as `customer.change`.' }),
    subject: Type.String({ description: 'To what: a customer_no, channel_no, task_no, carrier or phone number.' }),
    change: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The fields written; for a change, each with `before` and `after`. Never a secret.',
    }),
  },
);

export const UnknownAnswer = answerOf(
  { $id: 'UnknownPart', description: 'A segment that may or may not have been accepted by the upstream.' },
  {
    ...customerNo,
    task_no: Type.String(),
    client_request_id: orNull(Type.String()),
    seq: Type.Integer({ minimum: 1, description: 'Position of the number in its task: what `resolve` takes.' }),
    phone: orNull(Type.String({ description: 'As the customer wrote it.' })),
    firm: orNull(Type.String()),
    part: Type.Integer({ minimum: 1 }),
    parts: orNull(Type.Integer({ minimum: 1 })),
    price: orNull(Type.String({ description: 'What the number costs: all its segments × the unit price.' })),
    currency: orNull(Type.String({ description: 'Of the customer.' })),
    text: Type.Optional(
      orNull(
        Type.String({
          description:
            'With `include=text`: as it was sent, the values of a template of class `otp` hidden. Null for tasks from before texts were kept.',
        }),
      ),
    ),
    channel_no: orNull(Type.String()),
    submit_no: orNull(Type.String({ description: 'Its submit record.' })),
    upstream_message_id: orNull(
      Type.String({ description: 'Where the upstream gave one before its answer was lost.' }),
    ),
    submitted_at: orNull(Type.String({ format: 'date-time', description: 'When it was put on the wire.' })),
    since: Type.String({ format: 'date-time', description: 'Since when its answer is missing.' }),
    deadline: Type.String({ format: 'date-time', description: 'When it counts as not accepted.' }),
  },
);

export const SetAsideAnswer = answerOf(
  { $id: 'SetAside', description: 'Work that failed and is retried.' },
  {
    kind: oneOf(
      ['prepare', 'record', 'send', ...ROUND_KINDS],
      'A task that could not be prepared, answers that could not be recorded, a customer of whom nothing can be sent on a channel; or what was due and could not be done: a `freeze` after a top-up, the `start` or the `end` of a task at its time, unknown numbers at their deadline (`verify`), receipts that never came (`expire`), numbers whose channel is gone (`give_up`), the statistics (`sum`).',
    ),
    ...customerNo,
    task_no: orNull(Type.String()),
    channel_no: orNull(Type.String()),
    node: orNull(Type.String({ description: 'The process that holds it; null for what is in the database.' })),
    parts: orNull(Type.Integer({ minimum: 1, description: 'The segments whose answers wait to be recorded.' })),
    reason: Type.String({ description: 'The error of the last try.' }),
    tries: Type.Integer({ minimum: 1 }),
    since: orNull(Time()),
    next_try_at: orNull(Time()),
  },
);

export const KeptReportAnswer = answerOf(
  { $id: 'KeptReport', description: 'A delivery report that matches no segment.' },
  {
    channel_no: Type.String(),
    message_id: Type.String({ description: 'As the upstream spelled it.' }),
    phone: orNull(Type.String()),
    status: oneOf(DELIVERY_STATUSES, 'What the report says.'),
    code: Type.String(),
    done_at: orNull(Time()),
    received_at: Time(),
  },
);

export const UnclaimedUplinkAnswer = answerOf(
  { $id: 'UnclaimedUplink', description: 'An inbound message to an address that no service account has.' },
  {
    channel_no: Type.String(),
    sender: Type.String(),
    recipient: Type.String({ description: 'The address it was sent to, which no service account has.' }),
    content: Type.String(),
    incomplete: Type.Boolean({
      description: 'Segments of a long message never came, or it was too long to be kept whole.',
    }),
    received_at: Time(),
  },
);
