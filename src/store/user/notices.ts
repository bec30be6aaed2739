// The notices that people have chosen, and those that were mailed: a mail goes out once for each.

import type { CustomerRole } from '../../domain/access/permissions.js';
import type { CustomerTopic, NoticeTopic } from '../../domain/entities/notice.js';
import type { CustomerId } from '../../domain/id.js';
import { textArray } from '../array-literal.js';
import type { AnySql } from '../sql.js';

export interface Subscriber {
  readonly userId: bigint;
  readonly customerId: CustomerId;
  readonly email: string;
  readonly role: CustomerRole;
  readonly topics: readonly CustomerTopic[];
  /** The notices that were so at the last look. Null before the first: what is so then is no news. */
  readonly noticed: readonly string[] | null;
}

export async function readNoticeTopics(sql: AnySql, userId: bigint): Promise<readonly NoticeTopic[]> {
  const [row] = await sql<{ topics: NoticeTopic[] }[]>`
    select notice_topics as topics from console_user where user_id = ${userId}`;
  return row?.topics ?? [];
}

/** Notices that are still so at the next look are no news: the console shows them. */
export async function changeNoticeTopics(sql: AnySql, userId: bigint, topics: readonly NoticeTopic[]): Promise<void> {
  await sql`
    update console_user set notice_topics = ${textArray(topics)}::text[], noticed = null, updated_at = now()
    where user_id = ${userId}`;
}

/** Those who can sign in and have chosen anything. */
export async function readSubscribers(sql: AnySql): Promise<readonly Subscriber[]> {
  return await sql<Subscriber[]>`
    select user_id as "userId", customer_id as "customerId", email, role, notice_topics as topics, noticed
    from console_user
    where side = 'customer' and notice_topics <> '{}' and status = 'active' and accepted_at is not null
    order by customer_id, user_id`;
}

export type DigestSubscriber = Pick<Subscriber, 'userId' | 'email' | 'noticed'>;

/** Operators; `noticed` is the day of the last digest. */
export async function readDigestSubscribers(sql: AnySql): Promise<readonly DigestSubscriber[]> {
  return await sql<DigestSubscriber[]>`
    select user_id as "userId", email, noticed from console_user
    where side = 'operator' and 'digest' = any(notice_topics) and status = 'active' and accepted_at is not null
    order by user_id`;
}

/** False if another process was faster. Written before the mail: a lost mail is better than one a minute. */
export async function noteNoticed(
  sql: AnySql,
  { userId, noticed }: Pick<Subscriber, 'userId' | 'noticed'>,
  now: readonly string[],
): Promise<boolean> {
  const rows = await sql`
    update console_user set noticed = ${textArray(now)}::text[]
    where user_id = ${userId}
      and noticed is not distinct from ${noticed === null ? null : textArray(noticed)}::text[]
    returning 1 as noted`;
  return rows.length > 0;
}
