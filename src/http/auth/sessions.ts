// The sessions of the person who asks: look at them, and end one or all.

import { Type } from '@sinclair/typebox';
import { actorOf } from '../../domain/entities/user.js';
import { endSession, endSessions, readSessions } from '../../store/user/session.js';
import { recordSignInAudit } from '../../store/user/sign-in.js';
import { notFound } from '../problem/problem.js';
import { exampleSession, renderPerson, renderSession, SessionAnswer, SessionList } from './answers.js';
import { type AuthCall, type AuthParts, type AuthRoute, sessionRoute } from './auth-route.js';
import { clearCookie } from './cookies.js';
import type { ActiveSession } from './session-auth.js';

export function sessionRoutes(parts: AuthParts): AuthRoute[] {
  const forget = ({ request, reply }: AuthCall, { user }: ActiveSession) =>
    clearCookie(request, reply, `postrider_${user.side}`);
  const end = (session: ActiveSession, sessionNo: string) =>
    parts.sql.begin(async (tx) => {
      const { user } = session;
      if (!(await endSession(tx, user.user_id, sessionNo))) return false;
      await recordSignInAudit(tx, actorOf(user), user, 'session.end', { session_id: sessionNo });
      return true;
    });
  return [
    sessionRoute({
      method: 'GET',
      path: '/auth/session',
      name: 'getSession',
      summary: 'Show who is signed in',
      answer: {
        status: 200,
        schema: SessionAnswer,
        description: 'The user, and the token that requests with this session need to change anything.',
        example: exampleSession,
        headers: { 'X-CSRF-Token': 'The same token.' },
      },
      handle: async ({ reply }, session) => {
        reply.header('x-csrf-token', session.csrfToken);
        const { user, session_no, csrfToken } = session;
        return { user: renderPerson(parts, user), session_id: session_no, csrf_token: csrfToken };
      },
    }),
    sessionRoute({
      method: 'POST',
      path: '/auth/sign-out',
      name: 'signOut',
      summary: 'Sign out of this session',
      answer: { status: 204, description: 'Signed out.' },
      handle: async (call, session) => {
        await end(session, session.session_no);
        forget(call, session);
      },
    }),
    sessionRoute({
      method: 'GET',
      path: '/auth/sessions',
      name: 'listSessions',
      summary: 'List your sessions, newest first',
      answer: { status: 200, schema: SessionList, description: 'Those that have not ended.' },
      handle: async (_, { user, session_no }) => ({
        items: (await readSessions(parts.sql, user.user_id)).map((session) => renderSession(session, session_no)),
      }),
    }),
    sessionRoute({
      method: 'DELETE',
      path: '/auth/sessions',
      name: 'endAllSessions',
      summary: 'Sign out everywhere',
      answer: { status: 204, description: 'All your sessions have ended, this one too.' },
      handle: async (call, session) => {
        const { user } = session;
        await parts.sql.begin(async (tx) => {
          const count = await endSessions(tx, user.user_id);
          await recordSignInAudit(tx, actorOf(user), user, 'session.end_all', { count });
        });
        forget(call, session);
      },
    }),
    sessionRoute({
      method: 'DELETE',
      path: '/auth/sessions/{id}',
      name: 'endSession',
      summary: 'End one of your sessions',
      params: { id: Type.String({ description: 'The session, as the list names it.' }) },
      answer: { status: 204, description: 'It has ended.' },
      handle: async (call, session) => {
        const id = call.params.id ?? '';
        if (!(await end(session, id))) throw notFound();
        if (id === session.session_no) forget(call, session);
      },
    }),
  ];
}
