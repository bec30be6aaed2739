// How people and sessions come back.

import { Type } from '@sinclair/typebox';
import { CUSTOMER_ROLES, ROLES } from '../../domain/access/permissions.js';
import { SIDES, type User } from '../../domain/entities/user.js';
import type { Session } from '../../store/user/session.js';
import { oneOf } from '../query/list-query.js';
import { answerOf, orNull, Time } from '../resources/entity-answers.js';
import type { AuthDeps } from './auth-route.js';

const person = {
  user_no: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: oneOf([...new Set([...ROLES, ...CUSTOMER_ROLES])], 'What the user may do.'),
};

export const PersonAnswer = answerOf('SignedInUser', {
  ...person,
  side: oneOf(SIDES, 'Whose pages the user sees.'),
  customer_no: orNull(Type.String({ description: 'Null for operators.' })),
});

export const SessionAnswer = answerOf('CurrentSession', {
  user: PersonAnswer,
  session_id: Type.String(),
  csrf_token: Type.String({ description: 'For the header `X-CSRF-Token` of every request that changes anything.' }),
});

export const SECOND_FACTORS = ['totp', 'passkey'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

export const SecondFactorNeeded = answerOf('SecondFactorNeeded', {
  second_factor: Type.Array(oneOf(SECOND_FACTORS, 'What the user has set up.'), {
    description: 'The password is right. One of these is needed as well, within five minutes.',
  }),
});

export const SessionItem = answerOf('ConsoleSession', {
  id: Type.String(),
  is_current: Type.Boolean({ description: 'Whether this call is made in it.' }),
  method: Type.String({ description: 'How the person signed in.' }),
  address: Type.String(),
  user_agent: Type.String(),
  created_at: Time(),
  last_seen_at: Time(),
  expires_at: Time(),
});

export const SessionList = Type.Object({ items: Type.Array(SessionItem) }, { $id: 'ConsoleSessions' });

export const OpenLinkAnswer = answerOf('OpenLink', {
  email: Type.String(),
  name: Type.String(),
  side: oneOf(SIDES, 'Whose pages the user will see.'),
  expires_at: Time(),
});

export const exampleSession = {
  user: {
    user_no: 'N01KEXAMPLE0A1',
    email: 'ann@example.com',
    name: 'Ann',
    role: 'admin',
    side: 'operator',
    customer_no: null,
  },
  session_id: 'K01KEXAMPLE0B2',
  csrf_token: 'q3v…',
};

export function renderPerson(
  deps: Pick<AuthDeps, 'snapshot'>,
  { user_no, email, name, role, side, customer_id }: User,
) {
  const customer = customer_id === null ? undefined : deps.snapshot.current().customer(customer_id);
  return { user_no, email, name, role, side, customer_no: customer?.customerNo ?? null };
}

export function renderSession({ session_no, ...session }: Session, currentNo: string) {
  return { id: session_no, is_current: session_no === currentNo, ...session };
}
