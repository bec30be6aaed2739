import {
  type CallOptions,
  type OperatorClient,
  PostriderError,
  type Price,
  type PriceRequest,
} from '@postrider/client';
import { RateFields } from '../../../domain/entities/rate.js';
import { connectAsOperator } from '../../access/connection.js';
import { createListCommand, createRecordCommand, customerArgument } from '../../api-command.js';
import type { Command } from '../../command.js';
import { optionsOf } from '../../entity-options.js';
import { exitCodes } from '../../exit-codes.js';
import { type ListFilters, readFilters, timeFilters } from '../../list-filters.js';
import { operatorStatisticShape, priceShape } from '../../output/operator-shapes.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../../output/records.js';
import { priceListCommands } from './price-list.js';

const { firm: _firm, 'unit-price': _price, ...rateOptions } = optionsOf(RateFields);

const firmArgument = { name: 'FIRM', summary: 'the carrier', required: true };
const amountArgument = { name: 'AMOUNT', summary: 'a decimal, such as 0.045', required: true };
const channelArgument = { name: 'CHANNEL', summary: 'number of the channel', required: true };

const marginFilters: ListFilters = {
  by: {
    type: 'string',
    choices: ['day', 'customer', 'channel', 'firm', 'class', 'template'],
    filter: 'by',
    summary: 'what to add up by (day)',
  },
  ...timeFilters,
};

/** A price that applies already is replaced from now on. */
async function setPrice(
  client: OperatorClient,
  customerNo: string,
  price: PriceRequest,
  options: CallOptions,
): Promise<Price> {
  try {
    return await client.createPrice(customerNo, price, options);
  } catch (error) {
    const isThere = error instanceof PostriderError && error.code === 'already_exists';
    if (!isThere || price.valid_from !== undefined) throw error;
    if (price.class === undefined && price.prefix === undefined) {
      return client.updatePrice(customerNo, price.firm, price.unit_price, options);
    }
    return client.createPrice(customerNo, { ...price, valid_from: new Date().toISOString() }, options);
  }
}

export const priceCommands: readonly Command[] = [
  createRecordCommand({
    path: ['price', 'set'],
    summary: 'set the price of one segment for a carrier',
    arguments: [customerArgument, firmArgument, amountArgument],
    fields: rateOptions,
    shape: priceShape,
    examples: [
      { command: 'postrider price set CUSTOMER cmcc 0.045', shows: 'for tasks that are prepared from now on' },
      {
        command: 'postrider price set CUSTOMER cmcc 0.04 --class otp --valid-from 2027-01-01T00:00:00Z',
        shows: 'for one-time passwords, from a date on',
      },
    ],
    call: (client, [customerNo = '', firm = '', amount = ''], body, options) =>
      setPrice(client, customerNo, { ...body, firm, unit_price: amount }, options),
  }),
  createListCommand({
    path: ['price', 'list'],
    summary: 'prices of a customer: what applies now and what is to come',
    arguments: [customerArgument],
    shape: priceShape,
    noun: 'prices',
    call: (client, [customerNo = ''], options) => client.prices(customerNo, options),
  }),
  ...priceListCommands,
  createRecordCommand({
    path: ['cost', 'set'],
    summary: 'set the cost of a segment on a channel',
    arguments: [channelArgument, firmArgument, amountArgument],
    fields: rateOptions,
    shape: priceShape,
    examples: [{ command: 'postrider cost set CHANNEL cmcc 0.03', shows: 'for the margin of what goes through it' }],
    call: (client, [channelNo = '', firm = '', amount = ''], body, options) => {
      const valid_from = new Date().toISOString();
      return client.createCost(channelNo, { valid_from, ...body, firm, unit_price: amount }, options);
    },
  }),
  createListCommand({
    path: ['cost', 'list'],
    summary: 'costs of a channel: what applies now and what is to come',
    arguments: [channelArgument],
    shape: priceShape,
    noun: 'costs',
    call: (client, [channelNo = ''], options) => client.costs(channelNo, options),
  }),
  {
    path: ['margin'],
    summary: 'what was charged, what it cost, and the margin',
    description: 'Over all customers, exact to the millisecond. A number counts when its receipt is made.',
    options: { ...marginFilters, ...outputOptions },
    examples: [{ command: 'postrider margin --by channel --start 30d', shows: 'which channels earn money' }],
    async run(invocation) {
      const client = await connectAsOperator(invocation);
      const { items } = await client.statistics(readFilters(invocation, marginFilters));
      await createRecordPrinter(invocation.terminal.out, operatorStatisticShape, chooseFormat(invocation))(items);
      return exitCodes.ok;
    },
  },
];
