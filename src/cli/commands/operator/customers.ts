import { readFile } from 'node:fs/promises';
import type { CustomerRequest, OnboardingRequest } from '@postrider/client';
import { CredentialFields } from '../../../domain/entities/credential.js';
import { CustomerFields, NewCustomerFields } from '../../../domain/entities/customer.js';
import { createListCommand, createRecordCommand, customerArgument } from '../../api-command.js';
import type { Command } from '../../command.js';
import { changeOptionsOf, optionsOf } from '../../entity-options.js';
import { UsageError } from '../../failure.js';
import { phoneFilter } from '../../list-filters.js';
import {
  capExemptionShape,
  credentialShape,
  customerShape,
  customerViewShape,
  grantShape,
  newCredentialShape,
  onboardingShape,
  optOutShape,
} from '../../output/operator-shapes.js';
import type { BodyFields } from '../../request-body.js';

// Bodies are checked by the service, which knows all the rules; the casts below only give them their names.

const { 'unit-price': priceOption, ...pricelessOptions } = optionsOf(NewCustomerFields);

/** A forgotten price must not make sending free. */
const newCustomerOptions: BodyFields = {
  ...pricelessOptions,
  ...(priceOption && { 'unit-price': { ...priceOption, required: false } }),
  free: { field: 'free', as: 'flag', type: 'boolean', summary: 'instead of a price: sending is free' },
};

function readPrice({ free = false, ...terms }: Record<string, unknown>): CustomerRequest {
  if ((terms.unit_price === undefined) === (free === false)) {
    throw new UsageError('Give one of --unit-price AMOUNT and --free.', 'For example: --unit-price 0.05');
  }
  return { ...(terms as unknown as CustomerRequest), ...(free ? { unit_price: '0' } : {}) };
}

async function readOnboarding(file: string): Promise<OnboardingRequest> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
  try {
    return JSON.parse(text) as OnboardingRequest;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

export const customerCommands: readonly Command[] = [
  createRecordCommand({
    path: ['customer', 'create'],
    summary: 'create a customer',
    fields: newCustomerOptions,
    shape: customerShape,
    examples: [
      {
        command: 'postrider customer create --name "Acme" --currency CNY --unit-price 0.05',
        shows: 'prepaid, charged when accepted upstream',
      },
      { command: 'postrider customer create --name "Us" --free', shows: 'sends for nothing' },
    ],
    call: (client, _args, body, options) => client.createCustomer(readPrice(body), options),
  }),
  createRecordCommand({
    path: ['customer', 'onboard'],
    summary: 'create a customer with channels, prices, service account, template, user, top-up and key, all or nothing',
    description:
      'The file holds the body of POST /operator/v1/onboardings. With a `reference` in it the command can be repeated. Secrets are shown this once.',
    arguments: [{ name: 'FILE', summary: 'a JSON file', required: true }],
    shape: onboardingShape,
    examples: [
      { command: 'postrider customer onboard acme.json', shows: 'the numbers of all that was made, and secrets' },
    ],
    call: async (client, [file = ''], _body, options) => client.createOnboarding(await readOnboarding(file), options),
  }),
  createRecordCommand({
    path: ['customer', 'update'],
    summary: 'change a customer',
    arguments: [customerArgument],
    fields: changeOptionsOf(CustomerFields),
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
  createRecordCommand({
    path: ['customer', 'view'],
    summary: 'a token that reads what a customer sees, for 15 minutes',
    description:
      'The audit log names who asked for it. With it in POSTRIDER_VIEW_TOKEN, every command that reads works.',
    arguments: [customerArgument],
    shape: customerViewShape,
    examples: [
      { command: 'postrider customer view CUSTOMER', shows: 'a token for this customer' },
      { command: 'POSTRIDER_VIEW_TOKEN=view_… postrider receipts', shows: 'the receipts as that customer sees them' },
    ],
    call: (client, [customerNo = ''], _body, options) => client.viewCustomer(customerNo, options),
  }),
  createListCommand({
    path: ['customer', 'list'],
    summary: 'customers',
    shape: customerShape,
    noun: 'customers',
    filters: {
      name: { type: 'string', value: 'NAME', filter: 'name', summary: 'with a name that begins so, by name' },
    },
    call: (client, _args, options) => client.customers(options),
  }),
  createRecordCommand({
    path: ['credential', 'create'],
    summary: 'create an API key; its secret is shown this once',
    arguments: [customerArgument],
    fields: optionsOf(CredentialFields, { scopes: 'scope' }),
    shape: newCredentialShape,
    examples: [
      { command: 'postrider credential create CUSTOMER --ip-allow 203.0.113.0/24', shows: 'usable from one network' },
      { command: 'postrider credential create CUSTOMER --scope read,finance', shows: 'for a report: it cannot send' },
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
    summary: 'grant a channel to a customer',
    arguments: [customerArgument, { name: 'CHANNEL', summary: 'number of the channel', required: true }],
    shape: grantShape,
    call: (client, [customerNo = '', channelNo = ''], _body, options) =>
      client.grantChannel(customerNo, channelNo, options),
  }),
  createRecordCommand({
    path: ['grant', 'revoke'],
    summary: 'revoke a channel from a customer; queued messages move to another channel or wait',
    arguments: [customerArgument, { name: 'CHANNEL', summary: 'number of the channel', required: true }],
    shape: grantShape,
    call: (client, [customerNo = '', channelNo = ''], _body, options) =>
      client.revokeGrant(customerNo, channelNo, options),
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
    summary: 'opt out a number of a customer',
    arguments: [customerArgument, { name: 'PHONE', summary: 'the number', required: true }],
    shape: optOutShape,
    call: (client, [customerNo = '', phone = ''], _body, options) => client.addOptOut(customerNo, phone, options),
  }),
  createRecordCommand({
    path: ['opt-out', 'remove'],
    summary: 'remove an opt-out',
    arguments: [customerArgument, { name: 'PHONE', summary: 'the number', required: true }],
    shape: optOutShape,
    call: (client, [customerNo = '', phone = ''], _body, options) => client.removeOptOut(customerNo, phone, options),
  }),
  createListCommand({
    path: ['opt-out', 'list'],
    summary: 'numbers that opted out of a customer',
    arguments: [customerArgument],
    filters: { phone: phoneFilter },
    shape: optOutShape,
    noun: 'opt-outs',
    call: (client, [customerNo = ''], options) => client.optOuts(customerNo, options),
  }),
  createRecordCommand({
    path: ['cap-exemption', 'add'],
    summary: 'exempt a number from the caps of a customer',
    arguments: [customerArgument, { name: 'PHONE', summary: 'the number', required: true }],
    shape: capExemptionShape,
    call: (client, [customerNo = '', phone = ''], _body, options) => client.addCapExemption(customerNo, phone, options),
  }),
  createRecordCommand({
    path: ['cap-exemption', 'remove'],
    summary: 'apply the caps of a customer to a number again',
    arguments: [customerArgument, { name: 'PHONE', summary: 'the number', required: true }],
    shape: capExemptionShape,
    call: (client, [customerNo = '', phone = ''], _body, options) =>
      client.removeCapExemption(customerNo, phone, options),
  }),
  createListCommand({
    path: ['cap-exemption', 'list'],
    summary: 'numbers that no cap of a customer applies to',
    arguments: [customerArgument],
    filters: { phone: phoneFilter },
    shape: capExemptionShape,
    noun: 'exemptions',
    call: (client, [customerNo = ''], options) => client.capExemptions(customerNo, options),
  }),
];
