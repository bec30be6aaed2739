import type { AnySql, Sql } from '../connect.js';
import { changeConfiguration, describeChange, mergePatch, recordAudit } from './change.js';

export interface FirmTerms {
  readonly name: string;
  /** E.164 prefixes without the plus sign; empty: any number. */
  readonly prefixes: readonly string[];
}

export interface Firm extends FirmTerms {
  readonly firm: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Undefined when the firm exists. */
export function createFirm(sql: Sql, firm: string, terms: FirmTerms): Promise<Firm | undefined> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    const [row] = await tx<Firm[]>`
      insert into firm (firm, name, prefixes, version) values (${firm}, ${terms.name}, ${[...terms.prefixes]}, ${version})
      on conflict do nothing returning firm, name, prefixes, created_at, updated_at`;
    if (row === undefined) return undefined;
    await recordAudit(tx, { action: 'firm.create', subject: firm, change: { firm, ...terms } });
    return row;
  });
}

/** Undefined when there is no such firm. */
export function changeFirm(sql: Sql, firm: string, patch: Partial<FirmTerms>): Promise<Firm | undefined> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    const current = await readFirm(tx, firm);
    if (current === undefined) return undefined;
    const next = mergePatch<FirmTerms>({ name: current.name, prefixes: current.prefixes }, patch);
    const change = describeChange({ name: current.name, prefixes: current.prefixes }, next);
    if (change === undefined) return current;
    await tx`
      update firm set name = ${next.name}, prefixes = ${[...next.prefixes]}, version = ${version}, updated_at = now()
      where firm = ${firm}`;
    await recordAudit(tx, { action: 'firm.change', subject: firm, change });
    return readFirm(tx, firm);
  });
}

export async function readFirm(sql: AnySql, firm: string): Promise<Firm | undefined> {
  const [row] = await sql<Firm[]>`
    select firm, name, prefixes, created_at, updated_at from firm where firm = ${firm}`;
  return row;
}

/** All of them, newest first: firms are tens, not thousands. */
export async function readFirms(sql: Sql): Promise<readonly Firm[]> {
  return sql<Firm[]>`
    select firm, name, prefixes, created_at, updated_at from firm order by created_at desc, firm`;
}

/** Those of the names that no firm has. */
export async function findUnknownFirms(sql: AnySql, firms: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ firm: string }[]>`select firm from firm where firm = any(${[...firms]}::text[])`;
  const known = new Set(rows.map((row) => row.firm));
  return [...new Set(firms)].filter((firm) => !known.has(firm));
}
