// What can be done with a user, in both APIs and on both sides.

import type { TObject } from '@sinclair/typebox';
import type { UserPatch, UserSide, UserTerms } from '../../domain/entities/user.js';
import type { ActorContext } from '../../store/operator/change.js';
import { checkBody } from '../body/check-body.js';
import type { Call, Operation } from '../route.js';
import {
  createInvitedUser,
  createResetLink,
  deleteUser,
  inviteAgain,
  patchUser,
  type UserDeps,
} from './user-actions.js';

export interface UserKind {
  readonly fields: TObject;
  readonly changes: TObject;
  readonly answer: TObject;
  readonly newAnswer: TObject;
  readonly resetAnswer: TObject;
  /** In the examples. */
  readonly role: string;
  /** At the end of summaries, where it is not clear: ` of a customer`. */
  readonly whose: string;
  /** The last admin of a customer cannot be removed. */
  readonly isCustomers: boolean;
}

type Verb = 'create' | 'invite' | 'reset' | 'change' | 'delete';

interface UserOperation extends Pick<Operation, 'method' | 'summary' | 'description' | 'body' | 'answer' | 'problems'> {
  readonly verb: Verb;
  /** Below the list of users. */
  readonly path: string;
  /** `userNo` is empty where the path has none. */
  readonly run: (deps: UserDeps, acting: ActorContext, side: UserSide, userNo: string, call: Call) => Promise<unknown>;
}

const ONE = '/{user_no}';

export function userOperations(kind: UserKind): readonly UserOperation[] {
  const { answer, whose } = kind;
  const problems: Operation['problems'] = kind.isCustomers ? ['last_admin'] : [];
  const invited = {
    status: 201,
    schema: kind.newAnswer,
    description: 'The user, and the invitation link, shown this once.',
  } as const;
  return [
    {
      verb: 'create',
      method: 'POST',
      path: '',
      summary: `Invite a user${whose}`,
      description: 'The answer has the link with which the person chooses a password.',
      body: { schema: kind.fields, example: { email: 'ann@example.com', name: 'Ann', role: kind.role } },
      answer: invited,
      problems: ['already_exists', 'rate_limited'],
      run: (deps, acting, side, _userNo, { body, request }) => {
        const terms = checkBody(kind.fields, body, { defaults: true }) as UserTerms;
        return createInvitedUser(deps, acting, side, terms, request);
      },
    },
    {
      verb: 'invite',
      method: 'POST',
      path: `${ONE}/invitation`,
      summary: 'Create a new invitation link, for a lost link or a lost second factor',
      description: 'The link before is worth nothing from then on. The password stays until the new link is used.',
      answer: invited,
      problems: [],
      run: (deps, acting, side, userNo, { request }) => inviteAgain(deps, acting, side, userNo, request),
    },
    {
      verb: 'reset',
      method: 'POST',
      path: `${ONE}/password-reset`,
      summary: 'Create a link to choose a new password',
      description:
        'A link before is worth nothing from then on. Using it ends all sessions of the user; second factors stay, which a new invitation link removes.',
      answer: { status: 201, schema: kind.resetAnswer, description: 'The user, and the link, shown this once.' },
      problems: [],
      run: (deps, acting, side, userNo, { request }) => createResetLink(deps, acting, side, userNo, request),
    },
    {
      verb: 'change',
      method: 'PATCH',
      path: ONE,
      summary: `Change the name, role or status of a user${whose}`,
      description: 'It holds from the next request on. Disabling ends the sessions of the user.',
      body: { schema: kind.changes, example: { role: 'viewer' } },
      answer: { status: 200, schema: answer, description: 'The user as changed.' },
      problems,
      run: (_deps, acting, side, userNo, { body }) =>
        patchUser(acting, side, userNo, checkBody(kind.changes, body, { defaults: false }) as UserPatch),
    },
    {
      verb: 'delete',
      method: 'DELETE',
      path: ONE,
      summary: `Remove a user${whose}`,
      description: "This can't be undone. The user is signed out immediately.",
      answer: { status: 200, schema: answer, description: 'The user as it was.' },
      problems,
      run: (_deps, acting, side, userNo) => deleteUser(acting, side, userNo),
    },
  ];
}
