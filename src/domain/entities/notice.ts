// Email notifications, which people choose.

import { type CustomerRole, scopesOfRole } from '../access/permissions.js';

/** What each is about, and the scope that a role needs to see it. */
const TOPIC_SCOPES = {
  balance: 'finance',
  webhooks: 'webhooks',
  reviews: 'read',
  statements: 'finance',
} as const;

export type CustomerTopic = keyof typeof TOPIC_SCOPES;
const CUSTOMER_TOPICS = Object.keys(TOPIC_SCOPES) as CustomerTopic[];

/** All roles of operators may read what is in it. */
export const OPERATOR_TOPICS = ['digest'] as const;

export type NoticeTopic = CustomerTopic | (typeof OPERATOR_TOPICS)[number];
export const NOTICE_TOPICS: readonly NoticeTopic[] = [...CUSTOMER_TOPICS, ...OPERATOR_TOPICS];

export function topicsOfRole(role: CustomerRole): readonly CustomerTopic[] {
  const scopes = scopesOfRole(role);
  return CUSTOMER_TOPICS.filter((topic) => scopes.includes(TOPIC_SCOPES[topic]));
}

/** Something that is so now, named after what it is about and what that is like: another state is another notice. */
export interface Notice {
  readonly id: string;
  readonly topic: CustomerTopic;
}
