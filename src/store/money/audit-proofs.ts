// What the audit remembers of closed history: a proof a slice, and the start of a full run that is not finished.

import { numericArray } from '../array-literal.js';
import type { AnySql } from '../sql.js';

export type SliceKind = 'entries' | 'tasks';

/** Counts, sums and hashes of a slice, as text: JSON has no 64-bit integers. */
export type Figures = Readonly<Record<string, string>>;

export interface Proof {
  readonly customerId: bigint;
  readonly kind: SliceKind;
  readonly afterId: bigint;
  readonly lastId: bigint;
  readonly figures: Figures;
  readonly provedAt: Date;
}

/** In the order of their ranges. */
export async function readProofs(sql: AnySql, bucket: number, customerIds: readonly bigint[]): Promise<Proof[]> {
  return await sql<Proof[]>`
    select customer_id as "customerId", kind, after_id as "afterId", last_id as "lastId", figures, proved_at as "provedAt"
    from audit_slice where bucket = ${bucket} and customer_id = any(${numericArray(customerIds)}::bigint[])
    order by customer_id, kind, after_id`;
}

/** A second audit at the same time may have stored the same slice: the first proof stays. */
export async function storeProof(sql: AnySql, bucket: number, proof: Omit<Proof, 'provedAt'>): Promise<void> {
  const { customerId, kind, afterId, lastId, figures } = proof;
  await sql`
    insert into audit_slice (bucket, customer_id, kind, after_id, last_id, figures, proved_at)
    values (${bucket}, ${customerId}, ${kind}, ${afterId}, ${lastId}, ${sql.json(figures)}, now())
    on conflict (bucket, customer_id, kind, after_id) do nothing`;
}

/** The slice was read again and is unchanged. */
export async function renewProof(sql: AnySql, bucket: number, proof: Proof): Promise<void> {
  const { customerId, kind, afterId } = proof;
  await sql`
    update audit_slice set proved_at = now()
    where bucket = ${bucket} and customer_id = ${customerId} and kind = ${kind} and after_id = ${afterId}`;
}

/** The figures that differ from those that were proved before. */
export function compareFigures(before: Figures, now: Figures, ignored: readonly string[]): string[] {
  return Object.keys(now)
    .filter((name) => !ignored.includes(name) && before[name] !== now[name])
    .map((name) => `${name} ${now[name]}, proved before ${before[name] ?? 'nothing'}`);
}

/** What an interrupted run proved too long ago is read again. */
const CONTINUED_WITHIN = '7 days';

/** Starts a full run, or continues the one that was interrupted. */
export async function startFullRun(sql: AnySql): Promise<{ readonly startedAt: Date; readonly isContinued: boolean }> {
  const [open] = await sql<{ startedAt: Date }[]>`
    select started_at as "startedAt" from audit_run
    where finished_at is null and started_at > now() - ${CONTINUED_WITHIN}::interval order by started_at desc limit 1`;
  if (open !== undefined) return { startedAt: open.startedAt, isContinued: true };
  // Milliseconds: the time is compared here with those of proofs, and a Date has no more.
  const [started] = await sql<{ startedAt: Date }[]>`
    insert into audit_run (started_at) values (date_trunc('milliseconds', now()))
    on conflict (started_at) do update set finished_at = null
    returning started_at as "startedAt"`;
  if (started === undefined) throw new Error('the audit run was not stored');
  return { startedAt: started.startedAt, isContinued: false };
}

export async function finishFullRun(sql: AnySql, startedAt: Date): Promise<void> {
  await sql`update audit_run set finished_at = now() where started_at <= ${startedAt} and finished_at is null`;
}
