// The bodies of the operator API. They check the requests, fill in the defaults, and are shown in the API reference.

import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { MAX_PHONE_LENGTH } from '../../domain/phone.js';
import { MAX_TEMPLATE_CHARACTERS } from '../../domain/template.js';

const words = <const Word extends string>(values: readonly Word[], options: object = {}) =>
  Type.Unsafe<Word>({ type: 'string', enum: [...values], ...options });
const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, format: 'line', description });
const amount = (description: string, options: object = {}) =>
  Type.String({ format: 'amount', maxLength: 32, description, ...options });
const nullable = <Schema extends TSchema>(schema: Schema, options: object = {}) =>
  Type.Union([schema, Type.Null()], options);

/** The same fields, each of which may be left out. */
function changeOf<Properties extends TProperties>(create: TObject<Properties>) {
  return Type.Partial(create, { additionalProperties: false });
}

/** Fields with a default may be left out, which the reference says and the types need not. */
function closedObject<Properties extends TProperties>(
  properties: Properties,
  options: object = {},
): TObject<Properties> {
  const schema = Type.Object(properties, { additionalProperties: false, ...options });
  const required = ((schema.required ?? []) as string[]).filter((name) => properties[name]?.default === undefined);
  return Object.assign(schema, { required });
}

const firmName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'Letters, digits, dots, dashes and underscores.',
});

const firmFields = {
  name: Type.Optional(line(200, 'For people; the firm itself when left out.')),
  prefixes: Type.Array(Type.String({ maxLength: 16, pattern: '^\\+?[1-9][0-9]{0,14}$' }), {
    maxItems: 10_000,
    default: [],
    description: 'E.164 prefixes, with or without the plus sign. Empty: any number.',
  }),
};
export const CreateFirm = closedObject({ firm: firmName, ...firmFields });
export const ChangeFirm = changeOf(CreateFirm);

const status = words(['active', 'disabled'], { default: 'active' });

export const CreateChannel = closedObject({
  name: line(200, 'For people.'),
  kind: words(['simulator', 'smpp'], { description: 'A channel keeps its kind for good.' }),
  firms: Type.Array(firmName, { minItems: 1, maxItems: 1000, description: 'The firms it serves; they must exist.' }),
  status,
  parts_per_second: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
    default: null,
    description: 'Message parts a second; null: as fast as the upstream takes them.',
  }),
  config: Type.Record(Type.String(), Type.Unknown(), {
    default: {},
    description:
      'Depends on the kind. In a change, fields left out keep their value and null takes one back to its default. Secret fields are never shown again.',
  }),
});
export const ChangeChannel = changeOf(CreateChannel);

const permission = words(['by_request', 'always', 'manual'], { default: 'by_request' });

export const CreateCustomer = closedObject({
  name: line(200, 'For people.'),
  status: words(['active', 'suspended'], { default: 'active' }),
  currency: Type.String({
    pattern: '^[A-Z]{3}$',
    default: 'CNY',
    description: 'ISO 4217; fixed once money has moved.',
  }),
  billing_mode: words(['prepaid', 'postpaid'], { default: 'prepaid' }),
  credit_limit: amount('How far a postpaid balance may fall below zero.', { default: '0.000000' }),
  charge_on: words(['submit', 'delivery'], { default: 'submit' }),
  refund_on_failure: Type.Boolean({ default: false }),
  unit_price: amount('Of one message part, at firms without a price of their own.', { default: '0.000000' }),
  policy: closedObject({ prepare: permission, freeze: permission, submit: permission }, { default: {} }),
  requests_per_second: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1000 }),
});
export const ChangeCustomer = closedObject({
  ...changeOf(CreateCustomer).properties,
  policy: Type.Optional(changeOf(CreateCustomer.properties.policy)),
});

export const CreateCredential = closedObject({
  ip_allow: Type.Array(Type.String({ maxLength: 64, format: 'address-block' }), {
    maxItems: 1000,
    default: [],
    description: 'Addresses or CIDR blocks that may use the key. Empty: any.',
  }),
});

export const CreateGrant = closedObject({ channel_no: line(64, 'A channel that exists.') });

const price = amount('Of one message part at this firm.');
export const CreatePrice = closedObject({ firm: firmName, unit_price: price });
export const ChangePrice = closedObject({ unit_price: price });

export const CreateServiceAccount = closedObject({
  name: line(200, 'For people.'),
  sender: Type.String({
    minLength: 1,
    maxLength: 20,
    pattern: '^[\\x20-\\x7e]*$',
    description: 'The address that handsets see: a number or a name.',
  }),
  status,
});
export const ChangeServiceAccount = changeOf(CreateServiceAccount);

export const CreateTemplate = closedObject({
  name: line(200, 'For people.'),
  body: Type.String({
    minLength: 1,
    maxLength: MAX_TEMPLATE_CHARACTERS,
    description: 'The text, with placeholders {p1} to {p18}.',
  }),
  service_account_no: line(64, 'A service account of the same customer.'),
  firms: nullable(Type.Array(firmName, { minItems: 1, maxItems: 1000 }), {
    default: null,
    description: 'The firms it is approved for; null or left out: every firm.',
  }),
  status,
});
export const ChangeTemplate = changeOf(CreateTemplate);

const creditFields = {
  remark: Type.Optional(line(500, 'Shown in the ledger.')),
  reference: Type.Optional(
    line(128, 'Unique for the customer: repeating it changes nothing and answers the first entry.'),
  ),
};
export const CreateTopup = closedObject({
  amount: Type.String({ format: 'positive-amount', maxLength: 32 }),
  ...creditFields,
});
export const CreateAdjustment = closedObject({
  amount: Type.String({ format: 'signed-amount', maxLength: 32, description: 'Negative to take away.' }),
  ...creditFields,
});

export const CreateOptOut = closedObject({ phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH }) });

export const ResolveTask = closedObject({
  outcome: words(['accepted', 'not_accepted']),
  seqs: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 5000 }), {
      minItems: 1,
      maxItems: 5000,
      description: 'Positions of the numbers; all unknown ones when left out.',
    }),
  ),
  remark: Type.Optional(line(500, 'Kept in the audit log.')),
});
export const MoveTask = closedObject({});
