// The notices of a customer for its users: money that runs out, webhooks that fail, decided templates, months
// that are over.

import type { CustomerConfig } from '../../domain/entities/customer.js';
import type { Notice } from '../../domain/entities/notice.js';
import { firstIdAt, formatNo } from '../../domain/id.js';
import { dayAt, shiftDay } from '../../domain/local-time.js';
import { bucketSql } from '../cluster/distribution.js';
import { ownRows } from '../condition.js';
import { readBalance } from '../money/balance.js';
import type { Sql } from '../sql.js';
import { readWebhooks } from '../webhook/webhook.js';

/** A call that fails once is no news. */
const FAILING_MS = 5 * 60_000;
/** Older decisions are no news. */
const REVIEWED_MS = 7 * 24 * 3_600_000;

export async function readCustomerNotices(
  sql: Sql,
  customer: CustomerConfig,
  nowMs: number,
): Promise<readonly Notice[]> {
  const own = bucketSql(sql, customer.bucket);
  const [balance, webhooks, reviews] = await Promise.all([
    customer.lowBalance === null ? undefined : readBalance(own, customer),
    readWebhooks(own, customer),
    own<{ review_id: bigint }[]>`
      select review_id from template_review
      where ${ownRows(own, customer)} and review_id >= ${firstIdAt(new Date(nowMs - REVIEWED_MS))}`,
  ]);
  const notices: Notice[] = [];
  if (balance !== undefined && customer.lowBalance !== null && balance.available < customer.lowBalance)
    notices.push({ topic: 'balance', id: `balance ${customer.lowBalance}` });
  for (const { webhook_id: webhookId, status, disabled_reason: reason, progress } of webhooks) {
    const since = progress
      .flatMap(({ failing_since: at }) => (at === null ? [] : [at.getTime()]))
      .reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY);
    const isFailing = status === 'active' && since <= nowMs - FAILING_MS;
    const state = isFailing ? 'failing' : status === 'disabled' && reason !== null ? 'disabled' : undefined;
    if (state !== undefined) notices.push({ topic: 'webhooks', id: `webhook ${formatNo('W', webhookId)} ${state}` });
  }
  for (const { review_id: id } of reviews) notices.push({ topic: 'reviews', id: `review ${id}` });
  const thisMonth = `${dayAt(customer.billingTimeZone, nowMs).slice(0, 7)}-01`;
  notices.push({ topic: 'statements', id: `statement ${shiftDay(thisMonth, -1).slice(0, 7)}` });
  return notices;
}
