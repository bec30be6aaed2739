// What a user of a customer is told by email, where they choose so.

import { type CustomerRole, scopesOfRole } from '../access/permissions.js';

/** What each is about, and the scope that a role needs to see it. */
const TOPIC_SCOPES = {
  balance: 'finance',
  webhooks: 'webhooks',
  reviews: 'read',
  statements: 'finance',
} as const;

export type NoticeTopic = keyof typeof TOPIC_SCOPES;
export const NOTICE_TOPICS = Object.keys(TOPIC_SCOPES) as NoticeTopic[];

export function topicsOfRole(role: CustomerRole): readonly NoticeTopic[] {
  const scopes = scopesOfRole(role);
  return NOTICE_TOPICS.filter((topic) => scopes.includes(TOPIC_SCOPES[topic]));
}

/** Something that is so now, named after what it is about and what that is like: another state is another notice. */
export interface Notice {
  readonly id: string;
  readonly topic: NoticeTopic;
}
