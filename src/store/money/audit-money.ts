// Proof that the money adds up, read in one snapshot so that work going on meanwhile does not disturb it.

import type { AnySql, Sql } from '../connect.js';

/** Something that does not add up: whose, what, and the figures. */
export interface Imbalance {
  readonly customerId: bigint;
  readonly rule: string;
  readonly detail: string;
}

/**
 * Every rule over the whole history: the balance is the sum of the entries, entries are numbered without gaps and carry
 * the balances after them, what is frozen is what tasks hold, every hold is the sum of its entries, and a completed task
 * has exactly its receipts. Cost grows with the history.
 */
export async function auditAll(sql: Sql): Promise<Imbalance[]> {
  return await sql.begin('isolation level repeatable read read only', async (tx) => {
    const found = [];
    found.push(
      ...(await tx<Imbalance[]>`
        select a.customer_id as "customerId", 'balance = sum of entries' as rule,
          format('available %s, entries %s; frozen %s, entries %s; last entry %s of %s, numbered up to %s',
            a.available, coalesce(e.available, 0), a.frozen, coalesce(e.frozen, 0), a.entry_seq, coalesce(e.entries, 0),
            coalesce(e.last, 0)) as detail
        from account a
        left join (
          select customer_id, sum(available_delta) as available, sum(frozen_delta) as frozen, count(*) as entries,
            max(seq) as last
          from ledger_entry group by customer_id
        ) as e on e.customer_id = a.customer_id
        where a.available <> coalesce(e.available, 0) or a.frozen <> coalesce(e.frozen, 0)
          or a.entry_seq <> coalesce(e.entries, 0) or a.entry_seq <> coalesce(e.last, 0)`),
      ...(await tx<Imbalance[]>`
        select customer_id as "customerId", 'each entry carries the balances after it' as rule,
          format('entry %s', seq) as detail
        from (
          select customer_id, seq, available_after, frozen_after,
            sum(available_delta) over history as available, sum(frozen_delta) over history as frozen
          from ledger_entry window history as (partition by customer_id order by seq)
        ) as e
        where available_after <> available or frozen_after <> frozen`),
      ...(await tx<Imbalance[]>`
        select a.customer_id as "customerId", 'frozen = sum of held' as rule,
          format('frozen %s, held %s', a.frozen, coalesce(h.held, 0)) as detail
        from account a
        left join (
          select customer_id, sum(frozen - charged - released) as held from task group by customer_id
        ) as h on h.customer_id = a.customer_id
        where a.frozen <> coalesce(h.held, 0)`),
      ...(await tx<Imbalance[]>`
        select coalesce(h.customer_id, e.customer_id) as "customerId", 'hold = its entries' as rule,
          format('task %s', coalesce(h.task_id, e.task_id)) as detail
        from (select * from task where frozen <> 0) as h
        full join (
          select customer_id, task_id,
            sum(amount) filter (where type = 'freeze') as frozen, sum(amount) filter (where type = 'charge') as charged,
            sum(amount) filter (where type = 'release') as released, sum(amount) filter (where type = 'refund') as refunded
          from ledger_entry where task_id is not null group by customer_id, task_id
        ) as e on e.customer_id = h.customer_id and e.task_id = h.task_id
        where coalesce(h.frozen, 0) <> coalesce(e.frozen, 0) or coalesce(h.charged, 0) <> coalesce(e.charged, 0)
          or coalesce(h.released, 0) <> coalesce(e.released, 0) or coalesce(h.refunded, 0) <> coalesce(e.refunded, 0)`),
      ...(await tx<Imbalance[]>`
        select t.customer_id as "customerId", 'a completed task has its receipts' as rule,
          format('task %s: %s numbers, %s receipts, %s of them distinct', t.task_id, t.total, coalesce(r.receipts, 0),
            coalesce(r.numbers, 0)) as detail
        from task t
        left join (
          select customer_id, task_id, count(*) as receipts, count(distinct seq) as numbers
          from receipt group by customer_id, task_id
        ) as r on r.customer_id = t.customer_id and r.task_id = t.task_id
        where coalesce(r.numbers, 0) <> coalesce(r.receipts, 0)
          or (t.stage = 'completed' and coalesce(r.receipts, 0) <> t.total and t.task_id >= (
            -- Months of receipts that were dropped took the receipts of their tasks with them.
            select coalesce(min(substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\(''(\\d+)')::bigint), 0)
            from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'receipt'::regclass
          ))`),
    );
    return found;
  });
}

/** The rules that cost one look a customer: the account stands where its last entry left it. */
export async function auditLastEntries(sql: AnySql): Promise<Imbalance[]> {
  return await sql<Imbalance[]>`
    select a.customer_id as "customerId", 'the account stands where its last entry left it' as rule,
      format('available %s, after the last entry %s; frozen %s, after the last entry %s', a.available,
        coalesce(e.available_after, 0), a.frozen, coalesce(e.frozen_after, 0)) as detail
    from account a
    left join lateral (
      select seq, available_after, frozen_after from ledger_entry l
      where l.bucket = a.bucket and l.customer_id = a.customer_id order by seq desc limit 1
    ) as e on true
    where a.entry_seq <> coalesce(e.seq, 0) or a.available <> coalesce(e.available_after, 0)
      or a.frozen <> coalesce(e.frozen_after, 0)`;
}
