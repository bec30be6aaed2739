import type { ServiceAccountRequest, TemplateRequest } from '@postrider/client';
import type { Command } from '../command.js';
import { createListCommand, createRecordCommand, customerArgument } from '../operator-command.js';
import { serviceAccountShape, templateShape } from '../operator-shapes.js';
import { type BodyFields, makeOptional } from '../request-body.js';

// Bodies are checked by the service, which knows all the rules; the casts below only give them their names.

const serviceAccountFields: BodyFields = {
  name: {
    field: 'name',
    as: 'text',
    type: 'string',
    value: 'NAME',
    required: true,
    summary: 'what people call it',
  },
  sender: {
    field: 'sender',
    as: 'text',
    type: 'string',
    value: 'ADDRESS',
    required: true,
    summary: 'where messages come from, such as 10690001',
  },
  status: {
    field: 'status',
    as: 'text',
    type: 'string',
    choices: ['active', 'disabled'],
    summary: 'active unless said',
  },
};

const templateFields: BodyFields = {
  name: { field: 'name', as: 'text', type: 'string', value: 'NAME', required: true, summary: 'what people call it' },
  body: {
    field: 'body',
    as: 'text',
    type: 'string',
    value: 'TEXT',
    required: true,
    summary: 'the text, with {p1} to {p18} for variables',
  },
  'service-account': {
    field: 'service_account_no',
    as: 'text',
    type: 'string',
    value: 'ACCOUNT',
    required: true,
    summary: 'who it comes from',
  },
  firm: {
    field: 'firms',
    as: 'words',
    type: 'string',
    multiple: true,
    value: 'FIRM',
    summary: 'approved for these firms (every firm)',
  },
  status: {
    field: 'status',
    as: 'text',
    type: 'string',
    choices: ['active', 'disabled'],
    summary: 'active unless said',
  },
};

export const templateCommands: readonly Command[] = [
  createRecordCommand({
    path: ['service-account', 'create'],
    summary: 'create a sender',
    arguments: [customerArgument],
    fields: serviceAccountFields,
    shape: serviceAccountShape,
    examples: [
      {
        command: 'postrider service-account create CUSTOMER --name alerts --sender 10690001',
        shows: 'a sender for templates',
      },
    ],
    call: (client, [customerNo = ''], body, options) =>
      client.createServiceAccount(customerNo, body as unknown as ServiceAccountRequest, options),
  }),
  createRecordCommand({
    path: ['service-account', 'update'],
    summary: 'change a sender',
    arguments: [customerArgument, { name: 'ACCOUNT', summary: 'number of the service account', required: true }],
    fields: makeOptional(serviceAccountFields),
    shape: serviceAccountShape,
    call: (client, [customerNo = '', serviceAccountNo = ''], body, options) =>
      client.updateServiceAccount(customerNo, serviceAccountNo, body, options),
  }),
  createListCommand({
    path: ['service-account', 'list'],
    summary: 'senders of a customer',
    arguments: [customerArgument],
    shape: serviceAccountShape,
    noun: 'service accounts',
    call: (client, [customerNo = ''], options) => client.serviceAccounts(customerNo, options),
  }),
  createRecordCommand({
    path: ['template', 'create'],
    summary: 'create a template',
    arguments: [customerArgument],
    fields: templateFields,
    shape: templateShape,
    examples: [
      {
        command: "postrider template create CUSTOMER --name welcome --body 'Hello {p1}' --service-account ACCOUNT",
        shows: 'one variable',
      },
    ],
    call: (client, [customerNo = ''], body, options) =>
      client.createTemplate(customerNo, body as unknown as TemplateRequest, options),
  }),
  createRecordCommand({
    path: ['template', 'update'],
    summary: 'change a template',
    arguments: [customerArgument, { name: 'TEMPLATE', summary: 'number of the template', required: true }],
    fields: makeOptional(templateFields),
    shape: templateShape,
    examples: [
      { command: 'postrider template update CUSTOMER TEMPLATE --status disabled', shows: 'no further sends with it' },
    ],
    call: (client, [customerNo = '', templateNo = ''], body, options) =>
      client.updateTemplate(customerNo, templateNo, body, options),
  }),
  createListCommand({
    path: ['template', 'list'],
    summary: 'templates of a customer',
    arguments: [customerArgument],
    shape: templateShape,
    noun: 'templates',
    call: (client, [customerNo = ''], options) => client.templates(customerNo, options),
  }),
];
