import type { ServiceAccountRequest, TemplateRequest } from '@postrider/client';
import { ServiceAccountFields } from '../../domain/entities/service-account.js';
import { TemplateFields } from '../../domain/entities/template.js';
import type { Command } from '../command.js';
import { changeOptionsOf, optionsOf } from '../entity-options.js';
import { createListCommand, createRecordCommand, customerArgument } from '../operator-command.js';
import { serviceAccountShape, templateShape } from '../output/operator-shapes.js';

// Bodies are checked by the service, which knows all the rules; the casts below only give them their names.

const templateNames = { service_account_no: 'service-account', firms: 'firm' };

export const templateCommands: readonly Command[] = [
  createRecordCommand({
    path: ['service-account', 'create'],
    summary: 'create a sender',
    arguments: [customerArgument],
    fields: optionsOf(ServiceAccountFields),
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
    fields: changeOptionsOf(ServiceAccountFields),
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
    fields: optionsOf(TemplateFields, templateNames),
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
    fields: changeOptionsOf(TemplateFields, templateNames),
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
