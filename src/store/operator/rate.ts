// Rows of price lists: what customers pay, and what channels charge us. Both tables have the same columns but for the owner.

import type { RateTerms, StoredRate } from '../../domain/entities/rate.js';
import type { AnySql, Sql } from '../sql.js';
import { type ActorContext, changeConfiguration, describeChange, recordAudit } from './change.js';

/** Whose list it is, and how the audit log speaks of it. */
export interface RateOwner {
  readonly kind: 'price' | 'cost';
  readonly id: bigint;
  /** The customer_no or channel_no. */
  readonly no: string;
}

const TABLES = {
  price: { table: 'price', owner: 'customer_id' },
  cost: { table: 'channel_cost', owner: 'channel_id' },
} as const;

/**
 * Undefined when the list has this row: one with the same `valid_from`, or, where none is given, one that applies now with the
 * same price. The firm must exist.
 */
export function createRate(
  actorContext: ActorContext,
  owner: RateOwner,
  terms: RateTerms,
): Promise<StoredRate | undefined> {
  const { table } = TABLES[owner.kind];
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    if (terms.valid_from === null && (await readCurrent(tx, owner, terms))?.unit_price === terms.unit_price) {
      return undefined;
    }
    const valid_from = terms.valid_from ?? (await readClock(tx));
    const values = {
      [TABLES[owner.kind].owner]: owner.id,
      firm: terms.firm,
      class: terms.class ?? '',
      prefix: terms.prefix ?? '',
      unit_price: terms.unit_price,
      valid_from,
      version,
    };
    const [row] = await tx<StoredRate[]>`
      insert into ${tx(table)} ${tx(values as Readonly<Record<string, string>>)}
      on conflict do nothing returning ${shownColumns(tx)}`;
    if (row === undefined) return undefined;
    const change = { ...terms, valid_from };
    await recordAudit(tx, actorContext.actor, { action: `${owner.kind}.create`, subject: owner.no, change });
    return row;
  });
}

/** Changes the row of a firm, for every class and number, that applies now; undefined where there is none. */
export function changeRate(
  actorContext: ActorContext,
  owner: RateOwner,
  { firm, unit_price }: Pick<RateTerms, 'firm' | 'unit_price'>,
): Promise<StoredRate | undefined> {
  const { table } = TABLES[owner.kind];
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const plain = { firm, class: null, prefix: null };
    const current = await readCurrent(tx, owner, plain);
    const change = current && describeChange({ unit_price: current.unit_price }, { unit_price });
    if (current === undefined || change === undefined) return current;
    const [row = current] = await tx<StoredRate[]>`
      update ${tx(table)} set unit_price = ${unit_price}, version = ${version}, updated_at = now()
      where ${isRow(tx, owner, plain)} and valid_from = ${current.valid_from} returning ${shownColumns(tx)}`;
    const audited = { firm, ...change };
    await recordAudit(tx, actorContext.actor, { action: `${owner.kind}.change`, subject: owner.no, change: audited });
    return row;
  });
}

type RateKey = Pick<RateTerms, 'firm' | 'class' | 'prefix'>;

async function readCurrent(tx: AnySql, owner: RateOwner, key: RateKey): Promise<StoredRate | undefined> {
  const [row] = await tx<StoredRate[]>`
    select ${shownColumns(tx)} from ${tx(TABLES[owner.kind].table)}
    where ${isRow(tx, owner, key)} and valid_from <= now()
    order by valid_from desc limit 1`;
  return row;
}

function isRow(tx: AnySql, owner: RateOwner, { firm, class: messageClass, prefix }: RateKey) {
  return tx`
    ${tx(TABLES[owner.kind].owner)} = ${owner.id} and firm = ${firm} and class = ${messageClass ?? ''}
      and prefix = ${prefix ?? ''}`;
}

/** To the millisecond, as the API shows it: a row is found again by what was shown. */
async function readClock(tx: AnySql): Promise<Date> {
  const [row] = await tx<{ now: Date }[]>`select date_trunc('milliseconds', now()) as now`;
  if (row === undefined) throw new Error('the database does not tell its time');
  return row.now;
}

/**
 * What applies now and what will: for each firm, class and prefix the latest row whose time has come, and all later ones. Ordered by
 * the columns as they are shown: Citus takes a name in `order by` for the output column, whatever table it is prefixed with.
 */
export async function readRates(sql: Sql, owner: RateOwner): Promise<readonly StoredRate[]> {
  const { table, owner: ownerColumn } = TABLES[owner.kind];
  return sql<StoredRate[]>`
    select ${shownColumns(sql)}
    from (
      select *, lead(valid_from) over (partition by firm, class, prefix order by valid_from) as replaced_at
      from ${sql(table)} where ${sql(ownerColumn)} = ${owner.id}
    ) as rate
    where replaced_at is null or replaced_at > now()
    order by firm, prefix nulls first, class nulls first, valid_from`;
}

function shownColumns(sql: AnySql) {
  return sql`
    firm, nullif(class, '') as class, nullif(prefix, '') as prefix, unit_price, valid_from, created_at, updated_at`;
}
