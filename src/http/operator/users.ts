// Users: operators, and the people of customers.

import type { TObject } from '@sinclair/typebox';
import {
  CustomerUserChanges,
  CustomerUserFields,
  OperatorUserChanges,
  OperatorUserFields,
  type UserSide,
} from '../../domain/entities/user.js';
import { listUsers, readUser } from '../../store/user/user.js';
import { checkBody } from '../body/check-body.js';
import {
  createInvitedUser,
  createResetLink,
  deleteUser,
  inviteAgain,
  patchUser,
  renderUser,
  userAnswers,
  userFilters,
} from '../resources/user-actions.js';
import {
  actorContextFor,
  defineOperation,
  defineShowAndList,
  type OperatorCall,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
} from './operator-route.js';

const tag = 'Users';

export function createUserRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    ...routesOf(deps, {
      path: '/users',
      permission: 'administer',
      noun: 'User',
      whose: 'an operator',
      fields: OperatorUserFields,
      changes: OperatorUserChanges,
      answer: userAnswers.operator,
      newAnswer: userAnswers.newOperator,
      resetAnswer: userAnswers.operatorReset,
      role: 'support',
      sideOf: async () => ({ side: 'operator' }),
    }),
    ...routesOf(deps, {
      path: '/customers/{customer_no}/users',
      permission: 'configure',
      noun: 'CustomerUser',
      whose: 'a customer',
      fields: CustomerUserFields,
      changes: CustomerUserChanges,
      answer: userAnswers.customer,
      newAnswer: userAnswers.newCustomer,
      resetAnswer: userAnswers.customerReset,
      role: 'admin',
      sideOf: async (call) => {
        const { customerId, customer_no } = await requireCustomer(deps, call);
        return { side: 'customer', customerId, customerNo: customer_no };
      },
    }),
  ];
}

interface UserKind<Fields extends TObject, Changes extends TObject> {
  readonly path: string;
  readonly permission: 'administer' | 'configure';
  /** In the names of the operations. */
  readonly noun: string;
  readonly whose: string;
  readonly fields: Fields;
  readonly changes: Changes;
  readonly answer: TObject;
  readonly newAnswer: TObject;
  readonly resetAnswer: TObject;
  /** In the examples. */
  readonly role: string;
  readonly sideOf: (call: OperatorCall) => Promise<UserSide>;
}

function routesOf(
  deps: OperatorDeps,
  kind:
    | UserKind<typeof OperatorUserFields, typeof OperatorUserChanges>
    | UserKind<typeof CustomerUserFields, typeof CustomerUserChanges>,
): OperatorRoute[] {
  const { path, permission, noun, whose, sideOf, answer } = kind;
  const one = `${path}/{user_no}`;
  const isCustomers = noun === 'CustomerUser';
  return [
    defineOperation({
      method: 'POST',
      path,
      name: `create${noun}`,
      permission,
      tag,
      summary: `Invite a user of ${whose}`,
      description: 'The answer has the link with which the person chooses a password.',
      body: { schema: kind.fields, example: { email: 'ann@example.com', name: 'Ann', role: kind.role } },
      answer: {
        status: 201,
        schema: kind.newAnswer,
        description: 'The user, and the invitation link, shown this once.',
      },
      problems: ['already_exists', 'rate_limited'],
      handle: async (call) => {
        const side = await sideOf(call);
        const terms = checkBody(kind.fields, call.body, { defaults: true });
        return createInvitedUser(deps, actorContextFor(deps, call), side, terms, call.request);
      },
    }),
    defineOperation({
      method: 'POST',
      path: `${one}/invitation`,
      name: `invite${noun}`,
      permission,
      tag,
      summary: 'Create a new invitation link, for a lost link or a lost second factor',
      description: 'The link before is worth nothing from then on. The password stays until the new link is used.',
      answer: {
        status: 201,
        schema: kind.newAnswer,
        description: 'The user, and the invitation link, shown this once.',
      },
      handle: async (call) =>
        inviteAgain(deps, actorContextFor(deps, call), await sideOf(call), readParam(call, 'user_no'), call.request),
    }),
    defineOperation({
      method: 'POST',
      path: `${one}/password-reset`,
      name: `create${noun}PasswordReset`,
      permission,
      tag,
      summary: 'Create a link to choose a new password',
      description:
        'A link before is worth nothing from then on. Using it ends all sessions of the user; second factors stay, which a new invitation link removes.',
      answer: {
        status: 201,
        schema: kind.resetAnswer,
        description: 'The user, and the link, shown this once.',
      },
      handle: async (call) =>
        createResetLink(
          deps,
          actorContextFor(deps, call),
          await sideOf(call),
          readParam(call, 'user_no'),
          call.request,
        ),
    }),
    defineOperation({
      method: 'PATCH',
      path: one,
      name: `change${noun}`,
      permission,
      tag,
      summary: `Change the name, role or status of a user of ${whose}`,
      description: 'It holds from the next request on. Disabling ends the sessions of the user.',
      body: { schema: kind.changes, example: { role: 'viewer' } },
      answer: { status: 200, schema: answer, description: 'The user as changed.' },
      problems: isCustomers ? ['last_admin'] : [],
      handle: async (call) => {
        const side = await sideOf(call);
        const patch = checkBody(kind.changes, call.body, { defaults: false });
        return patchUser(actorContextFor(deps, call), side, readParam(call, 'user_no'), patch);
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: one,
      name: `delete${noun}`,
      permission,
      tag,
      summary: `Remove a user of ${whose}`,
      description: "This can't be undone. The user is signed out immediately.",
      answer: { status: 200, schema: answer, description: 'The user as it was.' },
      problems: isCustomers ? ['last_admin'] : [],
      handle: async (call) => deleteUser(actorContextFor(deps, call), await sideOf(call), readParam(call, 'user_no')),
    }),
    ...defineShowAndList({
      tag,
      path,
      key: 'user_no',
      item: answer,
      render: renderUser,
      show: {
        name: `get${noun}`,
        summary: `Show a user of ${whose}`,
        answer: 'The user.',
        find: async (call, userNo) => readUser(deps.sql, await sideOf(call), userNo),
      },
      list: {
        name: `list${noun}s`,
        summary: `List the users of ${whose}`,
        description: 'Newest first.',
        definition: { name: isCustomers ? 'customer-users' : 'users', timed: false, filters: userFilters },
        source: async (call, { filters }) => listUsers(deps.sql, await sideOf(call), filters),
      },
    }),
  ];
}
