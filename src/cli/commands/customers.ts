import type { CustomerRequest } from '@postrider/client';
import type { Command, OptionSpec } from '../command.js';
import { createListCommand, createRecordCommand, customerArgument } from '../operator-command.js';
import { credentialShape, customerShape, grantShape, newCredentialShape, optOutShape } from '../operator-shapes.js';
import { type BodyFields, makeOptional } from '../request-body.js';

// Bodies are checked by the service, which knows all the rules; the casts below only give them their names.

const policyChoices: Pick<OptionSpec, 'type' | 'choices'> = {
  type: 'string',
  choices: ['by_request', 'always', 'manual'],
};

const customerFields: BodyFields = {
  name: { field: 'name', as: 'text', type: 'string', value: 'NAME', required: true, summary: 'what people call it' },
  status: {
    field: 'status',
    as: 'text',
    type: 'string',
    choices: ['active', 'suspended'],
    summary: 'active unless said',
  },
  currency: { field: 'currency', as: 'text', type: 'string', value: 'CNY', summary: 'currency of all its money' },
  'billing-mode': {
    field: 'billing_mode',
    as: 'text',
    type: 'string',
    choices: ['prepaid', 'postpaid'],
    summary: 'may it go below zero',
  },
  'credit-limit': {
    field: 'credit_limit',
    as: 'text',
    type: 'string',
    value: 'AMOUNT',
    summary: 'how far below zero, when postpaid',
  },
  'charge-on': {
    field: 'charge_on',
    as: 'text',
    type: 'string',
    choices: ['submit', 'delivery'],
    summary: 'what is charged: acceptance or delivery',
  },
  'refund-on-failure': {
    field: 'refund_on_failure',
    as: 'flag',
    type: 'boolean',
    summary: 'refund what was charged and not delivered',
  },
  'unit-price': {
    field: 'unit_price',
    as: 'text',
    type: 'string',
    value: 'AMOUNT',
    summary: 'price of one part, where a firm has none of its own',
  },
  prepare: {
    field: 'policy.prepare',
    as: 'text',
    ...policyChoices,
    summary: 'whether tasks are prepared by themselves',
  },
  freeze: { field: 'policy.freeze', as: 'text', ...policyChoices, summary: 'whether their money is frozen by itself' },
  submit: { field: 'policy.submit', as: 'text', ...policyChoices, summary: 'whether they are submitted by themselves' },
  'requests-per-second': {
    field: 'requests_per_second',
    as: 'whole number',
    type: 'string',
    value: 'COUNT',
    summary: 'rate limit (1000)',
  },
};

export const customerCommands: readonly Command[] = [
  createRecordCommand({
    path: ['customer', 'create'],
    summary: 'create a customer',
    fields: customerFields,
    shape: customerShape,
    examples: [
      {
        command: 'postrider customer create --name "Acme" --currency CNY --unit-price 0.05',
        shows: 'prepaid, charged when accepted upstream',
      },
    ],
    call: (client, _args, body, options) => client.createCustomer(body as unknown as CustomerRequest, options),
  }),
  createRecordCommand({
    path: ['customer', 'update'],
    summary: 'change a customer',
    arguments: [customerArgument],
    fields: makeOptional(customerFields),
    shape: customerShape,
    examples: [
      { command: 'postrider customer update CUSTOMER --status suspended', shows: 'all its requests are refused' },
    ],
    call: (client, [customerNo = ''], body, options) => client.updateCustomer(customerNo, body, options),
  }),
  createRecordCommand({
    path: ['customer', 'show'],
    summary: 'one customer and its balance',
    arguments: [customerArgument],
    shape: customerShape,
    call: (client, [customerNo = ''], _body, options) => client.customer(customerNo, options),
  }),
  createListCommand({
    path: ['customer', 'list'],
    summary: 'customers',
    shape: customerShape,
    noun: 'customers',
    call: (client, _args, options) => client.customers(options),
  }),
  createRecordCommand({
    path: ['credential', 'create'],
    summary: 'create an API key; its secret is shown this once',
    arguments: [customerArgument],
    fields: {
      'ip-allow': {
        field: 'ip_allow',
        as: 'words',
        type: 'string',
        multiple: true,
        value: 'ADDRESS',
        summary: 'only from these addresses or networks',
      },
    },
    shape: newCredentialShape,
    examples: [
      { command: 'postrider credential create CUSTOMER --ip-allow 203.0.113.0/24', shows: 'usable from one network' },
    ],
    call: (client, [customerNo = ''], body, options) => client.createCredential(customerNo, body, options),
  }),
  createRecordCommand({
    path: ['credential', 'revoke'],
    summary: 'revoke an API key',
    arguments: [customerArgument, { name: 'API_KEY', summary: 'the key to revoke', required: true }],
    shape: credentialShape,
    call: (client, [customerNo = '', apiKey = ''], _body, options) =>
      client.revokeCredential(customerNo, apiKey, options),
  }),
  createListCommand({
    path: ['credential', 'list'],
    summary: 'API keys of a customer, without their secrets',
    arguments: [customerArgument],
    shape: credentialShape,
    noun: 'credentials',
    call: (client, [customerNo = ''], options) => client.credentials(customerNo, options),
  }),
  createRecordCommand({
    path: ['grant', 'create'],
    summary: 'let a customer use a channel',
    arguments: [customerArgument, { name: 'CHANNEL', summary: 'number of the channel', required: true }],
    shape: grantShape,
    call: (client, [customerNo = '', channelNo = ''], _body, options) =>
      client.grantChannel(customerNo, channelNo, options),
  }),
  createListCommand({
    path: ['grant', 'list'],
    summary: 'channels that a customer may use',
    arguments: [customerArgument],
    shape: grantShape,
    noun: 'grants',
    call: (client, [customerNo = ''], options) => client.grants(customerNo, options),
  }),
  createRecordCommand({
    path: ['opt-out', 'add'],
    summary: 'never send to a number again for a customer',
    arguments: [customerArgument, { name: 'PHONE', summary: 'the number', required: true }],
    shape: optOutShape,
    call: (client, [customerNo = '', phone = ''], _body, options) => client.addOptOut(customerNo, phone, options),
  }),
  createRecordCommand({
    path: ['opt-out', 'remove'],
    summary: 'allow a number again',
    arguments: [customerArgument, { name: 'PHONE', summary: 'the number', required: true }],
    shape: optOutShape,
    call: (client, [customerNo = '', phone = ''], _body, options) => client.removeOptOut(customerNo, phone, options),
  }),
  createListCommand({
    path: ['opt-out', 'list'],
    summary: 'numbers that opted out of a customer',
    arguments: [customerArgument],
    shape: optOutShape,
    noun: 'opt-outs',
    call: (client, [customerNo = ''], options) => client.optOuts(customerNo, options),
  }),
];
