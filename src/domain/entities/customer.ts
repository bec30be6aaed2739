// Who sends, and on what terms.

import { type Static, Type } from '@sinclair/typebox';
import type { Money } from '../money/money.js';
import { inForm } from '../request/text-forms.js';
import { MESSAGE_CLASSES } from '../rules/message-class.js';
import type { Tenant } from '../tenant.js';
import { amount, changeOf, closedObject, type InCode, line, nullable, unitPrice, words } from './fields.js';

const permission = (description: string) =>
  words(['by_request', 'always', 'manual'], { default: 'by_request', description });

const MAX_WINDOWS = 50;
const MAX_CAPS = 10;

const CapFields = closedObject({
  class: nullable(words(MESSAGE_CLASSES), { default: null, description: 'Null: messages of every class, together.' }),
  scope: words(['template', 'customer'], {
    description: 'Counts messages of one template, or of all of the customer.',
  }),
  count: Type.Integer({ minimum: 1, maximum: 10_000, description: 'How many messages a number may get.' }),
  per: Type.String({
    format: 'cap-period',
    maxLength: 16,
    description: 'Within how long, rolling, such as `60s`, `1h` or `24h`; at most 30 days.',
  }),
});

const SendWindowFields = closedObject({
  class: words(MESSAGE_CLASSES, { description: 'Which messages it is for.' }),
  from: Type.String({ ...inForm('clock'), description: 'By the clock of the time zone.' }),
  to: Type.String({
    ...inForm('clock-end'),
    description: 'Exclusive. Earlier than `from`: on the next day. `24:00`: the end of the day.',
  }),
  time_zone: Type.String({ format: 'time-zone', maxLength: 64, description: 'A name such as Asia/Shanghai.' }),
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    minItems: 1,
    maxItems: 7,
    default: [1, 2, 3, 4, 5, 6, 7],
    description: 'On which it begins: 1 for Monday to 7 for Sunday.',
  }),
  outside: words(['hold', 'reject'], {
    default: 'hold',
    description: 'Messages wait for the window, or are rejected with code `outside_window`.',
  }),
});

export const CustomerFields = closedObject({
  name: line(200, 'What people call it.'),
  status: words(['active', 'suspended'], {
    default: 'active',
    description: 'All requests of a suspended customer are refused.',
  }),
  currency: Type.String({
    ...inForm('currency'),
    default: 'CNY',
    description: 'Of all its money, by ISO 4217; fixed once money has moved.',
  }),
  billing_mode: words(['prepaid', 'postpaid'], {
    default: 'prepaid',
    description: 'A postpaid balance may fall below zero.',
  }),
  credit_limit: amount('How far below zero a postpaid balance may fall.', { default: '0.000000' }),
  charge_on: words(['submit', 'delivery'], {
    default: 'submit',
    description: 'What is charged: acceptance by the upstream, or delivery.',
  }),
  refund_on_failure: Type.Boolean({ default: false, description: 'Refund what was charged and not delivered.' }),
  unit_price: unitPrice('Of one segment, at carriers without a row in the price list; 0 sends for free.'),
  policy: closedObject(
    {
      prepare: permission('Whether tasks are prepared automatically.'),
      freeze: permission('Whether their money is reserved automatically.'),
      submit: permission('Whether they are submitted automatically.'),
    },
    { default: {} },
  ),
  daily_limit: nullable(amount('Of one UTC day.'), {
    default: null,
    description:
      'The most that may be reserved in one UTC day; what is released or refunded later still counts. Null: no limit.',
  }),
  low_balance: nullable(amount('An available balance.'), {
    default: null,
    description: 'Warns when the available balance falls below this; null: never.',
  }),
  requests_per_second: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description: 'More requests than this are refused.',
  }),
  waiting_tasks_limit: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 500_000,
    description:
      'Tasks that may wait to be sent. A send above it is answered 429. A process may exceed it by a sixteenth.',
  }),
  waiting_numbers_limit: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 10_000_000,
    description: 'The same for numbers.',
  }),
  waiting_mebibytes_limit: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 1024,
    description: 'The same for the size of their requests, in MiB.',
  }),
  billing_time_zone: Type.String({
    format: 'time-zone',
    maxLength: 64,
    default: 'UTC',
    description:
      'Such as Asia/Shanghai: the months, days and hours of its statements and statistics. A change holds for what is counted from then on.',
  }),
  caps: Type.Array(CapFields, {
    maxItems: MAX_CAPS,
    default: [],
    description:
      'How often a number may be sent to, as JSON. A number above a cap is rejected with `frequency_capped`.',
  }),
  send_windows: Type.Array(SendWindowFields, {
    maxItems: MAX_WINDOWS,
    default: [],
    description:
      'When messages of a class may be handed over, as JSON. A class without windows always may. Windows of one class have the same time_zone and outside, and do not overlap.',
  }),
});
/** Once, with its account: its rows stay where they are. */
export const NewCustomerFields = closedObject({
  ...CustomerFields.properties,
  bucket: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 32_767,
      description: 'On a cluster, the group of customers whose rows lie together; without it the one with the fewest.',
    }),
  ),
});
export const CustomerChanges = closedObject({
  ...changeOf(CustomerFields).properties,
  policy: Type.Optional(changeOf(CustomerFields.properties.policy)),
});

export type CustomerTerms = Static<typeof CustomerFields>;
export type CustomerPatch = Static<typeof CustomerChanges>;

export interface Customer extends Tenant {
  readonly customer_no: string;
  readonly terms: CustomerTerms;
  readonly available: Money;
  readonly frozen: Money;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Whose something is: its key in the tables, and its name in the audit log. */
export type Owner = Pick<Customer, 'bucket' | 'customerId' | 'customer_no'>;

/** As the service uses it. */
export interface CustomerConfig extends InCode<CustomerTerms>, Tenant {
  readonly customerNo: string;
}
