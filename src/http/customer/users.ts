// The customer's own users, for users with the role `admin` and keys with the scope `admin`.

import { Type } from '@sinclair/typebox';
import { CustomerUserChanges, CustomerUserFields, type UserSide } from '../../domain/entities/user.js';
import { listUsers, readUser } from '../../store/user/user.js';
import { checkBody } from '../body/check-body.js';
import { examples } from '../examples.js';
import { notFound } from '../problem/problem.js';
import { rejectParameters } from '../query/list-query.js';
import {
  createInvitedUser,
  createResetLink,
  deleteUser,
  inviteAgain,
  patchUser,
  renderUser,
  type UserDeps,
  userAnswers,
  userFilters,
} from '../resources/user-actions.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps } from './deps.js';
import { listRoute, openList } from './lists.js';

const PATH = '/openapi/v1/users/';
const ONE = `${PATH}{user_no}/`;
const tag = 'Users';
const params = { user_no: Type.String({ description: 'The user.' }) };
const invited = {
  status: 201,
  schema: userAnswers.newCustomer,
  description: 'The user, and the invitation link, shown this once.',
  example: { ...examples.user, invitation_url: 'https://sms.example.com/console/invitations/…' },
} as const;
const shown = (description: string) =>
  ({ status: 200, schema: userAnswers.customer, description, example: examples.user }) as const;

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
  return [
    listRoute(deps, {
      path: PATH,
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
    {
      method: 'POST',
      path: PATH,
      name: 'createOwnUser',
      tag,
      summary: 'Invite a user',
      description: 'The answer has the link with which the person chooses a password.',
      body: { schema: CustomerUserFields, example: { email: 'ann@example.com', name: 'Ann', role: 'sender' } },
      answer: invited,
      problems: ['already_exists', 'rate_limited'],
      handle: async (call) => {
        rejectParameters(call.requestTarget);
        const terms = checkBody(CustomerUserFields, call.body, { defaults: true });
        return createInvitedUser(users, actingFor(call), sideOf(call), terms, call.request);
      },
    },
    {
      method: 'GET',
      path: ONE,
      name: 'getOwnUser',
      tag,
      summary: 'Show a user',
      params,
      answer: shown('The user.'),
      problems: [],
      handle: async (call) => {
        const user = await readUser(sql, sideOf(call), userNoOf(call));
        if (user === undefined) throw notFound();
        return renderUser(user);
      },
    },
    {
      method: 'POST',
      path: `${ONE}invitation/`,
      name: 'inviteOwnUser',
      tag,
      summary: 'Create a new invitation link, for a lost link or a lost second factor',
      description: 'The link before is worth nothing from then on. The password stays until the new link is used.',
      params,
      answer: invited,
      problems: [],
      handle: async (call) => inviteAgain(users, actingFor(call), sideOf(call), userNoOf(call), call.request),
    },
    {
      method: 'POST',
      path: `${ONE}password-reset/`,
      name: 'createOwnUserPasswordReset',
      tag,
      summary: 'Create a link to choose a new password',
      description:
        'A link before is worth nothing from then on. Using it ends all sessions of the user; second factors stay, which a new invitation link removes.',
      params,
      answer: {
        status: 201,
        schema: userAnswers.customerReset,
        description: 'The user, and the link, shown this once.',
        example: {
          ...examples.user,
          password_reset_url: 'https://sms.example.com/console/password-reset/…',
          password_reset_expires_at: '2026-11-14T10:00:00.000Z',
        },
      },
      problems: [],
      handle: async (call) => createResetLink(users, actingFor(call), sideOf(call), userNoOf(call), call.request),
    },
    {
      method: 'PATCH',
      path: ONE,
      name: 'changeOwnUser',
      tag,
      summary: 'Change the name, role or status of a user',
      description: 'It holds from the next request on. Disabling ends the sessions of the user.',
      params,
      body: { schema: CustomerUserChanges, example: { role: 'viewer' } },
      answer: shown('The user as changed.'),
      problems: ['last_admin'],
      handle: async (call) => {
        const userNo = userNoOf(call);
        const patch = checkBody(CustomerUserChanges, call.body, { defaults: false });
        return patchUser(actingFor(call), sideOf(call), userNo, patch);
      },
    },
    {
      method: 'DELETE',
      path: ONE,
      name: 'deleteOwnUser',
      tag,
      summary: 'Remove a user',
      description: "This can't be undone. The user is signed out immediately.",
      params,
      answer: shown('The user as it was.'),
      problems: ['last_admin'],
      handle: async (call) => deleteUser(actingFor(call), sideOf(call), userNoOf(call)),
    },
  ];
}
