// Mails to users of customers: one for all that is new since the last look. Each process looks; the first to write down sends.

import { type CustomerTopic, topicsOfRole } from '../../domain/entities/notice.js';
import { groupBy } from '../../domain/group-by.js';
import type { SendUserMail } from '../../outbound/user-mail.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Sql } from '../../store/sql.js';
import { readCustomerNotices } from '../../store/user/customer-notices.js';
import { noteNoticed, readSubscribers, type Subscriber } from '../../store/user/notices.js';

export interface NoticeDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly sendUserMail: SendUserMail;
  /** Where people reach the console. */
  readonly publicOrigin: string;
  readonly now: () => number;
}

export async function mailNotices(deps: NoticeDeps): Promise<void> {
  const { sql, snapshot, now } = deps;
  const byCustomer = groupBy(await readSubscribers(sql), ({ customerId }) => customerId);
  for (const [customerId, users] of byCustomer) {
    const customer = snapshot().customer(customerId);
    if (customer === undefined) continue;
    const notices = await readCustomerNotices(sql, customer, now());
    for (const user of users) await mailUser(deps, user, notices);
  }
}

async function mailUser(
  { sql, sendUserMail, publicOrigin }: NoticeDeps,
  user: Subscriber,
  notices: Awaited<ReturnType<typeof readCustomerNotices>>,
): Promise<void> {
  const allowed = topicsOfRole(user.role);
  const wanted = notices.filter(({ topic }) => user.topics.includes(topic) && allowed.includes(topic));
  const ids = wanted.map(({ id }) => id).sort();
  const { noticed } = user;
  if (noticed !== null && ids.join('\n') === noticed.join('\n')) return;
  if (!(await noteNoticed(sql, user, ids)) || noticed === null) return;
  const news = wanted.filter(({ id }) => !noticed.includes(id));
  const topics = [...new Set(news.map(({ topic }): CustomerTopic => topic))];
  if (topics.length > 0)
    await sendUserMail({ kind: 'notice', email: user.email, url: `${publicOrigin}/console/`, topics });
}
