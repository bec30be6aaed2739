import type { MoneyRequest } from '@postrider/client';
import { parseMoney } from '../../../domain/money/money.js';
import { createRecordCommand, customerArgument } from '../../api-command.js';
import type { Command } from '../../command.js';
import { ledgerShape } from '../../output/shapes.js';
import type { BodyFields } from '../../request-body.js';

// Bodies are checked by the service, which knows all the rules; the casts below only give them their names.

const moneyFields: BodyFields = {
  remark: { field: 'remark', as: 'text', type: 'string', value: 'TEXT', summary: 'shown in the ledger' },
  reference: {
    field: 'reference',
    as: 'text',
    type: 'string',
    value: 'ID',
    summary: 'such as a payment number: booked once, and with another amount refused',
  },
};

const amountArgument = { name: 'AMOUNT', summary: 'a decimal, such as 100.00', required: true };

/** A reference that was booked before returns the earlier entry, which may be about another amount. */
function findOtherAmount(
  answer: object,
  [, asked = '']: readonly string[],
  { reference }: Record<string, unknown>,
): string | undefined {
  const { available_delta: booked } = answer as { available_delta?: string };
  if (booked === undefined || reference === undefined) return undefined;
  if (parseMoney(booked, 'signed') === parseMoney(asked, 'signed')) return undefined;
  return `The reference ${String(reference)} was booked before with ${booked}; nothing was added.`;
}

export const moneyCommands: readonly Command[] = [
  createRecordCommand({
    path: ['topup'],
    summary: 'add money to an account',
    arguments: [customerArgument, amountArgument],
    fields: moneyFields,
    shape: ledgerShape,
    examples: [{ command: 'postrider topup CUSTOMER 100.00 --reference payment-4711', shows: 'safe to repeat' }],
    call: (client, [customerNo = '', amount = ''], body, options) =>
      client.topUp(customerNo, { ...body, amount } as MoneyRequest, options),
    findMismatch: findOtherAmount,
  }),
  createRecordCommand({
    path: ['adjustment'],
    summary: 'correct an account, up or down',
    arguments: [customerArgument, { ...amountArgument, summary: 'a decimal, such as 5.00 or -5.00' }],
    fields: moneyFields,
    shape: ledgerShape,
    examples: [
      { command: 'postrider adjustment CUSTOMER -5.00 --remark "duplicate top-up"', shows: 'takes five back' },
    ],
    call: (client, [customerNo = '', amount = ''], body, options) =>
      client.adjust(customerNo, { ...body, amount } as MoneyRequest, options),
    findMismatch: findOtherAmount,
  }),
];
