// The send request as the API reference shows it. The rules are enforced by `checkSendRequest`, which says more than a
// schema can (all faults, in words) and takes a fraction of the time; a test holds the two together.

import { Type } from '@sinclair/typebox';
import { VARIABLE_NAMES } from '../message/template.js';
import { MAX_PHONE_LENGTH } from '../phone/phone.js';
import {
  MAX_BATCH_ID_CHARACTERS,
  MAX_CLIENT_REQUEST_ID_CHARACTERS,
  MAX_NO_CHARACTERS,
  MAX_RECIPIENTS,
  MAX_TARGET_FIRMS,
  MAX_TITLE_CHARACTERS,
} from './send-request.js';
import { MAX_VARIABLE_CHARACTERS } from './variables.js';

const VariableValueSchema = Type.Union([Type.String({ maxLength: MAX_VARIABLE_CHARACTERS }), Type.Number()], {
  description: `A string of at most ${MAX_VARIABLE_CHARACTERS} characters, or a number, which is sent as JavaScript writes it: 5.10 becomes 5.1. Send as a string what must keep its digits.`,
});

const VariableValuesSchema = Type.Union(
  [
    Type.Partial(Type.Object(Object.fromEntries(VARIABLE_NAMES.map((name) => [name, VariableValueSchema]))), {
      additionalProperties: false,
    }),
    Type.Array(VariableValueSchema, { maxItems: VARIABLE_NAMES.length }),
  ],
  {
    description: 'Values of the placeholders {p1} … {p18}: a dictionary, or an array whose first entry is p1.',
    examples: [{ p1: 'Ann', p2: 42 }, ['Ann', 42]],
  },
);

const PhoneSchema = Type.String({
  maxLength: MAX_PHONE_LENGTH,
  description: 'A phone number in any usual spelling. One that is not real is accepted and gets a rejected receipt.',
  examples: ['13800138000', '+86 138 0013 8000'],
});

const RecipientSchema = Type.Object(
  { phone: PhoneSchema, variable_values: Type.Optional(VariableValuesSchema) },
  { additionalProperties: false, examples: [{ phone: '13800138000', variable_values: { p1: 'Ann' } }] },
);

export const SendRequestSchema = Type.Object(
  {
    template_no: Type.String({
      minLength: 1,
      maxLength: MAX_NO_CHARACTERS,
      description: 'Number of an active template of the caller.',
    }),
    phones: Type.Optional(
      Type.Array(PhoneSchema, {
        minItems: 1,
        maxItems: MAX_RECIPIENTS,
        description:
          'Who receives the message, all with the same variables. Exactly one of phones and recipients is sent.',
        examples: [['13800138000']],
      }),
    ),
    recipients: Type.Optional(
      Type.Array(RecipientSchema, {
        minItems: 1,
        maxItems: MAX_RECIPIENTS,
        description:
          'Who receives the message, each with its own variables. Exactly one of phones and recipients is sent.',
      }),
    ),
    service_account_no: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NO_CHARACTERS,
        description: 'The service account to send from. Default: the one bound to the template.',
      }),
    ),
    target_firms: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_NO_CHARACTERS }), {
        maxItems: MAX_TARGET_FIRMS,
        description:
          'Only numbers of these carriers are sent to. Omitted or empty: every carrier the customer may use.',
        examples: [['cmcc']],
      }),
    ),
    variable_values: Type.Optional(VariableValuesSchema),
    client_request_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_CLIENT_REQUEST_ID_CHARACTERS,
        description:
          'Yours, one for each business request, without control characters. Repeating a request under the same id returns the first task.',
        examples: ['order-1'],
      }),
    ),
    batch_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_BATCH_ID_CHARACTERS,
        description:
          'Yours, the same for all requests that belong together, without control characters. The batch is looked at, queried and moved as one.',
        examples: ['may-campaign'],
      }),
    ),
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_TITLE_CHARACTERS,
        description:
          'What people call it, without control characters. It is no part of what makes a repeat: the first title stays.',
        examples: ['May campaign'],
      }),
    ),
    auto_prepare: Type.Optional(
      Type.Boolean({ default: true, description: 'Check, route and price without being asked.' }),
    ),
    auto_freeze: Type.Optional(
      Type.Boolean({ default: false, description: 'Reserve the price without being asked. Requires auto_prepare.' }),
    ),
    auto_submit: Type.Optional(
      Type.Boolean({ default: false, description: 'Submit upstream without being asked. Requires auto_freeze.' }),
    ),
    send_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Nothing is handed over before this time, at most 90 days ahead; preparing and reserving are not delayed. The past means now.',
        examples: ['2026-11-15T09:00:00+08:00'],
      }),
    ),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'What is unsent at this time gets a rejected receipt with code expired_unsent, and its money is released. After send_at and after now.',
        examples: ['2026-11-15T18:00:00+08:00'],
      }),
    ),
  },
  {
    additionalProperties: false,
    oneOf: [{ required: ['phones'] }, { required: ['recipients'] }],
    examples: [
      {
        template_no: 'M01K9XJ3Q8ZV4T',
        phones: ['13800138000'],
        target_firms: ['cmcc'],
        client_request_id: 'order-1',
        auto_prepare: true,
        auto_freeze: false,
        auto_submit: false,
      },
    ],
  },
);
