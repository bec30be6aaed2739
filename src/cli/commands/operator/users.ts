import type { CustomerUserRequest, OperatorUserRequest } from '@postrider/client';
import { Type } from '@sinclair/typebox';
import { CUSTOMER_ROLES, ROLES } from '../../../domain/access/permissions.js';
import { closedObject, words } from '../../../domain/entities/fields.js';
import { CustomerUserChanges, CustomerUserFields } from '../../../domain/entities/user.js';
import { createListCommand, createRecordCommand } from '../../api-command.js';
import type { ArgumentSpec, Command } from '../../command.js';
import { changeOptionsOf, optionsOf } from '../../entity-options.js';
import { newUserShape, passwordResetShape, userShape } from '../../output/operator-shapes.js';

const userArgument: ArgumentSpec = { name: 'USER', summary: 'number of the user', required: true };
const customerArgument: ArgumentSpec = {
  name: 'CUSTOMER',
  summary: 'number of the customer whose user it is; an operator without it',
};

const role = words([...new Set([...ROLES, ...CUSTOMER_ROLES])], {
  description: 'Operators are admin, support, finance or viewer; users of customers admin, sender, finance or viewer.',
});
const Fields = closedObject({ ...CustomerUserFields.properties, role });
const Changes = closedObject({ ...CustomerUserChanges.properties, role: Type.Optional(role) });

/** The service checks that the role is one of the side. */
export const userCommands: readonly Command[] = [
  createRecordCommand({
    path: ['user', 'create'],
    summary: 'invite a user of the console; the invitation link is shown this once',
    arguments: [customerArgument],
    fields: optionsOf(Fields),
    shape: newUserShape,
    examples: [
      {
        command: 'postrider user create --email ann@example.com --name Ann --role admin',
        shows: 'an operator who signs in to the console',
      },
    ],
    call: (client, [customerNo], body, options) =>
      customerNo === undefined
        ? client.createUser(body as unknown as OperatorUserRequest, options)
        : client.createCustomerUser(customerNo, body as unknown as CustomerUserRequest, options),
  }),
  createRecordCommand({
    path: ['user', 'invite'],
    summary: 'create a new invitation link, for a lost link or a lost second factor',
    arguments: [userArgument, customerArgument],
    shape: newUserShape,
    call: (client, [userNo = '', customerNo], _body, options) =>
      customerNo === undefined
        ? client.inviteUser(userNo, options)
        : client.inviteCustomerUser(customerNo, userNo, options),
  }),
  createRecordCommand({
    path: ['user', 'reset-password'],
    summary: 'create a link to choose a new password, for a forgotten one',
    arguments: [userArgument, customerArgument],
    shape: passwordResetShape,
    call: (client, [userNo = '', customerNo], _body, options) =>
      customerNo === undefined
        ? client.createUserPasswordReset(userNo, options)
        : client.createCustomerUserPasswordReset(customerNo, userNo, options),
  }),
  createRecordCommand({
    path: ['user', 'update'],
    summary: 'change the name, role or status of a user',
    arguments: [userArgument, customerArgument],
    fields: changeOptionsOf(Changes),
    shape: userShape,
    call: (client, [userNo = '', customerNo], body, options) =>
      customerNo === undefined
        ? client.updateUser(userNo, body, options)
        : client.updateCustomerUser(customerNo, userNo, body, options),
  }),
  createRecordCommand({
    path: ['user', 'remove'],
    summary: "remove a user; this can't be undone",
    arguments: [userArgument, customerArgument],
    shape: userShape,
    call: (client, [userNo = '', customerNo], _body, options) =>
      customerNo === undefined
        ? client.removeUser(userNo, options)
        : client.removeCustomerUser(customerNo, userNo, options),
  }),
  createListCommand<object>({
    path: ['user', 'list'],
    summary: 'users of the console: operators, or those of a customer',
    arguments: [customerArgument],
    filters: {
      status: { type: 'string', choices: ['active', 'disabled'], filter: 'status', summary: 'with this status' },
    },
    shape: userShape,
    noun: 'users',
    call: (client, [customerNo], options) =>
      customerNo === undefined ? client.users(options) : client.customerUsers(customerNo, options),
  }),
];
