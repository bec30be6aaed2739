import type { BlockedWords, BlockedWordsTerms } from '../../../domain/entities/blocked-words.js';
import { formatNo, timeOfId } from '../../../domain/id.js';
import type { AnySql, Sql } from '../../sql.js';
import { type ActorContext, changeConfiguration, recordAudit } from '../change.js';

/** Undefined when there is no such customer. */
export function addBlockedWords(
  actorContext: ActorContext,
  no: string,
  { words, customer_no }: BlockedWordsTerms,
): Promise<BlockedWords | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const customerId = customer_no === null ? null : await findCustomer(tx, customer_no);
    if (customerId === undefined) return undefined;
    const [row] = await tx<{ created_at: Date }[]>`
      insert into blocked_words (blocked_word_no, customer_id, words, version)
      values (${no}, ${customerId}, ${words}, ${version}) returning created_at`;
    if (row === undefined) throw new Error('the words were not stored');
    const change = { blocked_word_no: no, words, customer_no };
    await recordAudit(tx, actorContext.actor, { action: 'blocked_words.create', subject: customer_no ?? no, change });
    return { ...change, created_at: row.created_at };
  });
}

async function findCustomer(tx: AnySql, customerNo: string): Promise<bigint | undefined> {
  const [row] = await tx<{ customer_id: bigint }[]>`select customer_id from customer where customer_no = ${customerNo}`;
  return row?.customer_id;
}

/** Undefined when there are none of this number. */
export function removeBlockedWords(actorContext: ActorContext, no: string): Promise<BlockedWords | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const [removed] = (await readBlockedWords(tx)).filter(({ blocked_word_no }) => blocked_word_no === no);
    if (removed === undefined) return undefined;
    await tx`update blocked_words set removed_at = now(), version = ${version} where blocked_word_no = ${no}`;
    await recordAudit(tx, actorContext.actor, {
      action: 'blocked_words.remove',
      subject: removed.customer_no ?? no,
      change: { blocked_word_no: no, words: removed.words },
    });
    return removed;
  });
}

/** Newest first. */
export async function readBlockedWords(sql: AnySql): Promise<readonly BlockedWords[]> {
  return sql<BlockedWords[]>`
    select b.blocked_word_no, b.words, c.customer_no, b.created_at
    from blocked_words b left join customer c on c.customer_id = b.customer_id
    where b.removed_at is null order by b.created_at desc, b.blocked_word_no desc`;
}

export interface BlockedContent {
  readonly customer_no: string;
  readonly task_no: string;
  readonly word: string;
  readonly numbers: number;
  readonly at: Date;
}

const MAX_SHOWN = 1000;

/** The last ones, newest first. */
export async function readBlockedContent(sql: Sql, buckets: readonly number[]): Promise<readonly BlockedContent[]> {
  const rows: { customer_no: string; task_id: bigint; word: string; numbers: number }[] = [];
  for (const bucket of buckets) {
    rows.push(
      ...(await sql<{ customer_no: string; task_id: bigint; word: string; numbers: number }[]>`
        select c.customer_no, b.task_id, b.word, b.numbers
        from blocked_content b join customer c on c.customer_id = b.customer_id
        where b.bucket = ${bucket} order by b.task_id desc limit ${MAX_SHOWN}`),
    );
  }
  return rows
    .sort((one, other) => (one.task_id > other.task_id ? -1 : 1))
    .slice(0, MAX_SHOWN)
    .map(({ task_id, ...row }) => ({ ...row, task_no: formatNo('T', task_id), at: timeOfId(task_id) }));
}
