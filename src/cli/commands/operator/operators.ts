import type { OperatorRequest } from '@postrider/client';
import { Type } from '@sinclair/typebox';
import { OperatorFields } from '../../../domain/entities/operator.js';
import { createListCommand, createRecordCommand } from '../../api-command.js';
import type { Command } from '../../command.js';
import { changeOptionsOf, optionsOf } from '../../entity-options.js';
import { identityShape, newOperatorShape, operatorShape } from '../../output/operator-shapes.js';

const operatorArgument = { name: 'OPERATOR', summary: 'number of the operator', required: true };

export const operatorCommands: readonly Command[] = [
  createRecordCommand({
    path: ['operator', 'create'],
    summary: 'create an operator; the token is shown this once',
    fields: optionsOf(OperatorFields),
    shape: newOperatorShape,
    examples: [
      { command: 'postrider operator create --name Ann --role support', shows: 'reads, resolves and suspends' },
    ],
    call: (client, _args, body, options) => client.createOperator(body as unknown as OperatorRequest, options),
  }),
  createRecordCommand({
    path: ['operator', 'update'],
    summary: 'change the role of an operator',
    arguments: [operatorArgument],
    fields: changeOptionsOf(Type.Omit(OperatorFields, ['name'])),
    shape: operatorShape,
    call: (client, [operatorNo = ''], body, options) => client.updateOperator(operatorNo, body, options),
  }),
  createRecordCommand({
    path: ['operator', 'remove'],
    summary: "remove an operator; this can't be undone, and the token stops working",
    arguments: [operatorArgument],
    shape: operatorShape,
    call: (client, [operatorNo = ''], _body, options) => client.removeOperator(operatorNo, options),
  }),
  createListCommand({
    path: ['operator', 'list'],
    summary: 'operators, without their tokens',
    filters: {
      status: { type: 'string', choices: ['active', 'removed'], filter: 'status', summary: 'with this status' },
    },
    shape: operatorShape,
    noun: 'operators',
    call: (client, _args, options) => client.operators(options),
  }),
  createRecordCommand({
    path: ['operator', 'me'],
    summary: 'whose token is in use, and what it may do',
    shape: identityShape,
    call: (client, _args, _body, options) => client.identity(options),
  }),
];
