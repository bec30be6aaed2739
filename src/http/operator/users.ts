// Users: operators, and the people of customers.

import {
  CustomerUserChanges,
  CustomerUserFields,
  OperatorUserChanges,
  OperatorUserFields,
  type UserSide,
} from '../../domain/entities/user.js';
import { listUsers, readUser } from '../../store/user/user.js';
import { renderUser, userAnswers, userFilters } from '../resources/user-actions.js';
import { type UserKind, userOperations } from '../resources/user-operations.js';
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
      whose: ' of an operator',
      isCustomers: false,
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
      whose: ' of a customer',
      isCustomers: true,
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

interface OperatorUserKind extends UserKind {
  readonly path: string;
  readonly permission: 'administer' | 'configure';
  /** In the names of the operations. */
  readonly noun: string;
  readonly sideOf: (call: OperatorCall) => Promise<UserSide>;
}

function routesOf(deps: OperatorDeps, kind: OperatorUserKind): OperatorRoute[] {
  const { path, permission, noun, whose, sideOf, answer, isCustomers } = kind;
  const names = {
    create: `create${noun}`,
    invite: `invite${noun}`,
    reset: `create${noun}PasswordReset`,
    change: `change${noun}`,
    delete: `delete${noun}`,
  } as const;
  return [
    ...userOperations(kind).map(({ verb, path: below, run, ...described }) =>
      defineOperation({
        ...described,
        path: path + below,
        name: names[verb],
        permission,
        tag,
        handle: async (call) =>
          run(deps, actorContextFor(deps, call), await sideOf(call), readParam(call, 'user_no'), call),
      }),
    ),
    ...defineShowAndList({
      tag,
      path,
      key: 'user_no',
      item: answer,
      render: renderUser,
      show: {
        name: `get${noun}`,
        summary: `Show a user${whose}`,
        answer: 'The user.',
        find: async (call, userNo) => readUser(deps.sql, await sideOf(call), userNo),
      },
      list: {
        name: `list${noun}s`,
        summary: `List the users${whose}`,
        description: 'Newest first.',
        definition: { name: isCustomers ? 'customer-users' : 'users', timed: false, filters: userFilters },
        source: async (call, { filters }) => listUsers(deps.sql, await sideOf(call), filters),
      },
    }),
  ];
}
