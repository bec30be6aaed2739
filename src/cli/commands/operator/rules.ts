import type { BlockedWordsRequest, ErasureRequest, FilingRequest } from '@postrider/client';
import { FILING_STATUSES } from '../../../domain/entities/filing.js';
import { connectAsOperator } from '../../access/connection.js';
import { createListCommand, createRecordCommand, customerArgument } from '../../api-command.js';
import type { Command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import {
  blockedContentShape,
  blockedWordsShape,
  erasureShape,
  explainedChannelShape,
  filingShape,
  routeShape,
} from '../../output/operator-shapes.js';
import { chooseFormat, createRecordPrinter, outputOptions, printRecord } from '../../output/records.js';

const accountArgument = { name: 'ACCOUNT', summary: 'number of the service account', required: true };

/** Signatures, words, and what they do to a number. */
export const ruleCommands: readonly Command[] = [
  createRecordCommand({
    path: ['filing', 'set'],
    summary: 'set the filing status of a signature at a channel',
    arguments: [
      customerArgument,
      accountArgument,
      { name: 'CHANNEL', summary: 'number of the channel', required: true },
    ],
    fields: {
      status: {
        field: 'status',
        as: 'text',
        type: 'string',
        choices: [...FILING_STATUSES],
        summary: 'how it stands (pending)',
      },
      reason: { field: 'reason', as: 'text', type: 'string', value: 'TEXT', summary: 'why, for people' },
    },
    shape: filingShape,
    examples: [
      {
        command: 'postrider filing set CUSTOMER ACCOUNT CHANNEL --status filed',
        shows: 'the channel may carry what this sender sends',
      },
    ],
    call: (client, [customerNo = '', accountNo = '', channel_no = ''], body, options) =>
      client.setFiling(customerNo, accountNo, { ...body, channel_no } as FilingRequest, options),
  }),
  createListCommand({
    path: ['filing', 'list'],
    summary: 'filings of a sender',
    arguments: [customerArgument, accountArgument],
    shape: filingShape,
    noun: 'filings',
    call: (client, [customerNo = '', accountNo = ''], options) => client.filings(customerNo, accountNo, options),
  }),
  createRecordCommand({
    path: ['erasure', 'create'],
    summary: 'erase a phone number from the records of all customers',
    arguments: [{ name: 'NUMBER', summary: 'the phone number, in any spelling', required: true }],
    fields: {
      remark: { field: 'remark', as: 'text', type: 'string', value: 'TEXT', summary: 'why' },
    },
    shape: erasureShape,
    examples: [
      {
        command: 'postrider erasure create 13800138000 --remark "Request 4711"',
        shows: 'it is done in the background',
      },
    ],
    call: (client, [phone = ''], body, options) => client.createErasure({ ...body, phone } as ErasureRequest, options),
  }),
  createRecordCommand({
    path: ['erasure', 'show'],
    summary: 'one erasure, with what was replaced by table',
    arguments: [{ name: 'ERASURE', summary: 'number of the erasure', required: true }],
    shape: erasureShape,
    call: (client, [no = ''], _body, options) => client.erasure(no, options),
  }),
  createListCommand({
    path: ['erasure', 'list'],
    summary: 'erasures',
    shape: erasureShape,
    noun: 'erasures',
    call: (client, _args, options) => client.erasures(options),
  }),
  createRecordCommand({
    path: ['blocked-words', 'add'],
    summary: 'block words in texts of all customers, or of one',
    arguments: [{ name: 'WORD', summary: 'a word of at least two letters', required: true, variadic: true }],
    fields: {
      customer: {
        field: 'customer_no',
        as: 'text',
        type: 'string',
        value: 'CUSTOMER',
        summary: 'only for this customer',
      },
    },
    shape: blockedWordsShape,
    examples: [{ command: 'postrider blocked-words add lottery 中奖', shows: 'numbers get the code blocked_content' }],
    call: (client, words, body, options) => client.addBlockedWords({ ...body, words } as BlockedWordsRequest, options),
  }),
  createRecordCommand({
    path: ['blocked-words', 'remove'],
    summary: 'allow words again',
    arguments: [{ name: 'NO', summary: 'number of the words', required: true }],
    shape: blockedWordsShape,
    call: (client, [no = ''], _body, options) => client.removeBlockedWords(no, options),
  }),
  createListCommand({
    path: ['blocked-words', 'list'],
    summary: 'blocked words',
    shape: blockedWordsShape,
    noun: 'blocked words',
    call: (client, _args, options) => client.blockedWords(options),
  }),
  createListCommand({
    path: ['blocked-words', 'hits'],
    summary: 'what was rejected for blocked words, by task and word',
    shape: blockedContentShape,
    noun: 'rejected texts',
    call: (client, _args, options) => client.blockedContent(options),
  }),
  {
    path: ['explain'],
    summary: 'explain the route of a number',
    arguments: [{ name: 'NUMBER', summary: 'the number', required: true }],
    options: {
      template: { type: 'string', value: 'TEMPLATE', summary: 'number of the template', required: true },
      ...outputOptions,
    },
    examples: [
      { command: 'postrider explain 13800138000 --template TEMPLATE', shows: 'each channel and why it is used or not' },
    ],
    async run(invocation) {
      const client = await connectAsOperator(invocation);
      const { signal, out } = invocation.terminal;
      const found = await client.explainRoute(invocation.argument(0), invocation.required('template'), { signal });
      await printRecord(invocation, found, routeShape);
      if (chooseFormat(invocation) === 'table') {
        await out.write('\n');
        await createRecordPrinter(out, explainedChannelShape, 'table')(found.channels);
      }
      return exitCodes.ok;
    },
  },
];
