// What was sent to which number, for customers with caps, while some cap counts it.

import type { CustomerId } from '../../domain/id.js';
import { type CapRule, ruleKeyOf } from '../../domain/rules/caps.js';
import type { MessageClass } from '../../domain/rules/message-class.js';
import type { TaskKey } from '../../domain/task/task.js';
import { bucketRow } from '../../store/bucket.js';
import { defineRows } from '../../store/rows/bulk-rows.js';
import type { AnySql, Sql, Statement } from '../../store/sql.js';

const NUMBERS = defineRows('n', { phoneKey: 'bigint', storedKey: 'bigint' });
const RULES = defineRows('r', { ruleNo: 'int', templateId: 'bigint', class: 'text', since: 'timestamptz' });
const USES = defineRows('u', {
  customerId: 'bigint',
  phoneKey: 'bigint',
  taskId: 'bigint',
  templateId: 'bigint',
  class: 'text',
  at: 'timestamptz',
  expiresAt: 'timestamptz',
});
const KEYS = defineRows('k', { customerId: 'bigint', phoneKey: 'bigint', taskId: 'bigint' });

export interface CapUse extends TaskKey {
  readonly phoneKey: string;
  readonly templateId: bigint;
  readonly class: MessageClass;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** How often each number was sent to within each rule, as `ruleKey/phoneKey`, and the numbers that are exempt. Exact under the account's lock. */
export async function readCapUse(
  sql: AnySql,
  bucket: number,
  customerId: CustomerId,
  rules: readonly CapRule[],
  phoneKeys: readonly string[],
  now: Date,
  /** The key of a number that was erased since it was sent to. */
  erasedKeyOf?: ((phoneKey: string) => string) | undefined,
): Promise<{ readonly used: ReadonlyMap<string, number>; readonly exempt: ReadonlySet<string> }> {
  const distinct = [...new Map(rules.map((rule) => [ruleKeyOf(rule), rule])).values()];
  const asked = distinct.map(({ cap, periodMs, templateId }, ruleNo) => ({
    ruleNo,
    templateId,
    class: cap.class,
    since: new Date(now.getTime() - periodMs),
  }));
  const numbers = phoneKeys.flatMap((phoneKey) => [
    { phoneKey, storedKey: phoneKey },
    ...(erasedKeyOf === undefined ? [] : [{ phoneKey, storedKey: erasedKeyOf(phoneKey) }]),
  ]);
  const [rows, exempt] = await Promise.all([
    sql<{ ruleNo: number; phoneKey: string; used: number }[]>`
      select r.rule_no as "ruleNo", n.phone_key::text as "phoneKey", count(*)::int as used
      from ${NUMBERS.unnest(sql, numbers)}
      join cap_use u on u.bucket = ${bucket} and u.customer_id = ${customerId} and u.phone_key = n.stored_key
      join ${RULES.unnest(sql, asked)} on u.at > r.since
        and (r.template_id is null or u.template_id = r.template_id) and (r.class is null or u.class = r.class)
      group by r.rule_no, n.phone_key`,
    sql<{ phoneKey: string }[]>`
      select n.phone_key::text as "phoneKey" from ${NUMBERS.unnest(sql, numbers)}
      join cap_exemption e on e.bucket = ${bucket} and e.customer_id = ${customerId} and e.phone_key = n.stored_key`,
  ]);
  const keyOf = (ruleNo: number) => {
    const rule = distinct[ruleNo];
    return rule === undefined ? '' : ruleKeyOf(rule);
  };
  return {
    used: new Map(rows.map(({ ruleNo, phoneKey, used }) => [`${keyOf(ruleNo)}/${phoneKey}`, used])),
    exempt: new Set(exempt.map(({ phoneKey }) => phoneKey)),
  };
}

export function insertCapUse(tx: AnySql, bucket: number, uses: readonly CapUse[]): Statement {
  return tx`
    insert into cap_use (bucket, ${USES.names(tx)})
    select b.bucket, ${USES.values(tx)} from ${bucketRow(tx, bucket)} cross join ${USES.unnest(tx, uses)}`;
}

/** Rejected numbers do not count. */
export function deleteCapUse(
  tx: AnySql,
  bucket: number,
  numbers: readonly (TaskKey & { readonly phoneKey: string })[],
): Statement {
  return tx`
    delete from cap_use c using ${KEYS.unnest(tx, numbers)}
    where c.bucket = ${bucket} and c.customer_id = k.customer_id and c.phone_key = k.phone_key and c.task_id = k.task_id`;
}

/** Deletes what no cap counts any more; true when there may be more. */
export async function deleteExpiredCapUse(sql: Sql, bucket: number, limit: number): Promise<boolean> {
  const deleted = await sql`
    delete from cap_use c
    using (
      select customer_id, phone_key, task_id from cap_use
      where bucket = ${bucket} and expires_at < now() order by expires_at limit ${limit}
    ) as old
    where c.bucket = ${bucket} and c.customer_id = old.customer_id and c.phone_key = old.phone_key and c.task_id = old.task_id`;
  return deleted.count >= limit;
}
