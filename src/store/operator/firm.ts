import { pickFields } from '../../domain/entities/fields.js';
import { type Firm, FirmFields, type FirmTerms } from '../../domain/entities/firm.js';
import { columnsOf, insertOf, updateOf } from '../rows/entity-row.js';
import type { AnySql, Sql } from '../sql.js';
import { type ActorContext, changeConfiguration, describeChange, mergePatch, recordAudit } from './change.js';

/** Undefined when the firm exists. */
export function createFirm(actorContext: ActorContext, terms: FirmTerms): Promise<Firm | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const inserted = await tx`
      insert into firm ${insertOf(tx, FirmFields, terms, { version })} on conflict do nothing returning firm`;
    if (inserted.length === 0) return undefined;
    await recordAudit(tx, actorContext.actor, { action: 'firm.create', subject: terms.firm, change: terms });
    return readFirm(tx, terms.firm);
  });
}

/** Undefined when there is no such firm. */
export function changeFirm(
  actorContext: ActorContext,
  firm: string,
  patch: Partial<FirmTerms>,
): Promise<Firm | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const current = await readFirm(tx, firm);
    if (current === undefined) return undefined;
    const before = pickFields(FirmFields, current) as FirmTerms;
    const next = mergePatch(before, patch);
    const change = describeChange(before, next);
    if (change === undefined) return current;
    await tx`
      update firm set ${updateOf(tx, FirmFields, next)}, version = ${version}, updated_at = now() where firm = ${firm}`;
    await recordAudit(tx, actorContext.actor, { action: 'firm.change', subject: firm, change });
    return readFirm(tx, firm);
  });
}

export async function readFirm(sql: AnySql, firm: string): Promise<Firm | undefined> {
  const [row] = await sql<Firm[]>`
    select ${columnsOf(sql, 'firm', FirmFields)}, created_at, updated_at from firm where firm = ${firm}`;
  return row;
}

/** All of them, newest first: firms are tens, not thousands. */
export async function readFirms(sql: Sql): Promise<readonly Firm[]> {
  return sql<Firm[]>`
    select ${columnsOf(sql, 'firm', FirmFields)}, created_at, updated_at from firm order by created_at desc, firm`;
}

/** Those of the names that no firm has. */
export async function findUnknownFirms(sql: AnySql, firms: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ firm: string }[]>`select firm from firm where firm = any(${[...firms]}::text[])`;
  const known = new Set(rows.map((row) => row.firm));
  return [...new Set(firms)].filter((firm) => !known.has(firm));
}
