// The email notifications of a person: their own choice, among those of their role.

import { Type } from '@sinclair/typebox';
import type { CustomerRole } from '../../domain/access/permissions.js';
import { closedObject } from '../../domain/entities/fields.js';
import { NOTICE_TOPICS, type NoticeTopic, OPERATOR_TOPICS, topicsOfRole } from '../../domain/entities/notice.js';
import type { User } from '../../domain/entities/user.js';
import { changeNoticeTopics, readNoticeTopics } from '../../store/user/notices.js';
import { oneOf } from '../query/list-query.js';
import { answerOf } from '../resources/entity-answers.js';
import { type AuthParts, type AuthRoute, readAuthBody, sessionRoute } from './auth-route.js';

const TOPICS = Type.Array(oneOf(NOTICE_TOPICS, 'What a notice is about.'), {
  uniqueItems: true,
  maxItems: NOTICE_TOPICS.length,
});

const NoticesBody = closedObject({ topics: TOPICS });

const NoticesAnswer = answerOf(
  { $id: 'NoticeChoice', description: 'Your email notifications.' },
  {
    topics: TOPICS,
    offered: Type.Array(oneOf(NOTICE_TOPICS, 'What your role may see.')),
    is_mailed: Type.Boolean({ description: 'Whether this service has a mail server.' }),
  },
);

const example = {
  topics: ['balance', 'webhooks'],
  offered: ['balance', 'webhooks', 'reviews', 'statements'],
  is_mailed: true,
};

export function noticeRoutes(parts: AuthParts): AuthRoute[] {
  const show = (user: User, topics: readonly NoticeTopic[]) => {
    const offered = offeredTo(user);
    return {
      topics: topics.filter((topic) => offered.includes(topic)),
      offered,
      is_mailed: parts.sendUserMail !== undefined,
    };
  };
  const answer = { status: 200, schema: NoticesAnswer, description: 'Your choice.', example } as const;
  return [
    sessionRoute({
      method: 'GET',
      path: '/auth/notices',
      name: 'getNotices',
      summary: 'Show your email notifications',
      answer,
      handle: async (_, { user }) => show(user, await readNoticeTopics(parts.sql, user.user_id)),
    }),
    sessionRoute({
      method: 'PATCH',
      path: '/auth/notices',
      name: 'changeNotices',
      summary: 'Choose your email notifications',
      description:
        'Users of a customer: one mail for all that is new, within a minute; what is so already is no news. Operators: `digest`, one mail each morning.',
      body: { schema: NoticesBody, example: { topics: example.topics } },
      answer,
      handle: async (call, { user }) => {
        const { topics } = readAuthBody(NoticesBody, call);
        const chosen = offeredTo(user).filter((topic) => topics.includes(topic));
        await changeNoticeTopics(parts.sql, user.user_id, chosen);
        return show(user, chosen);
      },
    }),
  ];
}

function offeredTo(user: User): readonly NoticeTopic[] {
  return user.side === 'customer' ? topicsOfRole(user.role as CustomerRole) : OPERATOR_TOPICS;
}
