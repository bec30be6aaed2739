import type { ServiceAccountRequest, TemplateRequest } from '@postrider/client';
import { ServiceAccountFields } from '../../../domain/entities/service-account.js';
import { TemplateFields } from '../../../domain/entities/template.js';
import { connectAsOperator } from '../../access/connection.js';
import { createListCommand, createRecordCommand, customerArgument } from '../../api-command.js';
import type { Command } from '../../command.js';
import { changeOptionsOf, optionsOf } from '../../entity-options.js';
import { exitCodes } from '../../exit-codes.js';
import { templateFilters } from '../../list-filters.js';
import { serviceAccountShape, templatePreviewShape, templateShape } from '../../output/operator-shapes.js';
import { outputOptions, printRecord } from '../../output/records.js';
import { readVariables } from '../../send/options.js';

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
  {
    path: ['template', 'preview'],
    summary: 'what a text would look like on a handset, and how many segments it takes; stores nothing',
    arguments: [{ name: 'TEXT', summary: 'with {p1} to {p18} where values go', required: true }],
    options: {
      var: {
        type: 'string',
        short: 'v',
        multiple: true,
        value: 'p1=TEXT',
        summary: 'the value of a variable; repeat it. One without a value stands as its placeholder',
      },
      ...outputOptions,
    },
    examples: [
      {
        command: "postrider template preview 'Hello {p1}' --var p1=Ann",
        shows: 'the text, its alphabet and its segments',
      },
    ],
    async run(invocation) {
      const client = await connectAsOperator(invocation);
      const draft = { body: invocation.argument(0), variable_values: readVariables(invocation) };
      const { signal } = invocation.terminal;
      await printRecord(invocation, await client.previewTemplate(draft, { signal }), templatePreviewShape);
      return exitCodes.ok;
    },
  },
  createListCommand({
    path: ['template', 'list'],
    summary: 'templates of a customer',
    arguments: [customerArgument],
    filters: templateFilters,
    shape: templateShape,
    noun: 'templates',
    call: (client, [customerNo = ''], options) => client.templates(customerNo, options),
  }),
];
