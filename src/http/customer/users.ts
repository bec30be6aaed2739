// The customer's own users, for users with the role `admin` and keys with the scope `admin`.

import { Type } from '@sinclair/typebox';
import { CustomerUserChanges, CustomerUserFields, type UserSide } from '../../domain/entities/user.js';
import { listUsers, readUser } from '../../store/user/user.js';
import { examples } from '../examples.js';
import { notFound } from '../problem/problem.js';
import { rejectParameters } from '../query/list-query.js';
import { renderUser, type UserDeps, userAnswers, userFilters } from '../resources/user-actions.js';
import { type UserKind, userOperations } from '../resources/user-operations.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps } from './deps.js';
import { listRoute, openList } from './lists.js';

const PATH = '/openapi/v1/users';
const tag = 'Users';
const params = { user_no: Type.String({ description: 'The user.' }) };
const KIND: UserKind = {
  fields: CustomerUserFields,
  changes: CustomerUserChanges,
  answer: userAnswers.customer,
  newAnswer: userAnswers.newCustomer,
  resetAnswer: userAnswers.customerReset,
  role: 'sender',
  whose: '',
  isCustomers: true,
};
const NAMES = {
  create: 'createOwnUser',
  invite: 'inviteOwnUser',
  reset: 'createOwnUserPasswordReset',
  change: 'changeOwnUser',
  delete: 'deleteOwnUser',
} as const;
const invitation = { invitation_url: 'https://sms.example.com/console/invitations/…' };
/** What an example has besides the user. */
const ADDED = {
  create: invitation,
  invite: invitation,
  reset: {
    password_reset_url: 'https://sms.example.com/console/password-reset/…',
    password_reset_expires_at: '2026-11-14T10:00:00.000Z',
  },
  change: {},
  delete: {},
} as const;

export function userRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  const { sql } = deps;
  const users: UserDeps = deps.users;
  const actingFor = ({ actor }: CustomerCall) => ({ sql, actor });
  const sideOf = ({ customer }: CustomerCall): UserSide => ({
    side: 'customer',
    customerId: customer.customerId,
    customerNo: customer.customerNo,
  });
  const userNoOf = (call: CustomerCall) => {
    rejectParameters(call.requestTarget);
    return call.params.user_no ?? '';
  };
  const [create, ...others] = userOperations(KIND).map(
    ({ verb, path, run, ...described }): Route<CustomerCall> => ({
      ...described,
      path: `${PATH}${path}/`,
      name: NAMES[verb],
      tag,
      ...(path === '' ? {} : { params }),
      answer: { ...described.answer, example: { ...examples.user, ...ADDED[verb] } },
      handle: async (call) => run(users, actingFor(call), sideOf(call), userNoOf(call), call),
    }),
  );
  return [
    listRoute(deps, {
      path: `${PATH}/`,
      name: 'listOwnUsers',
      tag,
      summary: 'List your users',
      description: 'Newest first.',
      list: { name: 'own-users', timed: false, filters: userFilters },
      item: userAnswers.customer,
      example: examples.user,
      open: async (view, call, { filters }) =>
        openList(listUsers(view, sideOf(call), filters), (rows) => rows.map(renderUser)),
    }),
    ...(create === undefined ? [] : [create]),
    {
      method: 'GET',
      path: `${PATH}/{user_no}/`,
      name: 'getOwnUser',
      tag,
      summary: 'Show a user',
      params,
      answer: { status: 200, schema: userAnswers.customer, description: 'The user.', example: examples.user },
      problems: [],
      handle: async (call) => {
        const user = await readUser(sql, sideOf(call), userNoOf(call));
        if (user === undefined) throw notFound();
        return renderUser(user);
      },
    },
    ...others,
  ];
}
