import type { CustomerId } from '../../domain/id.js';
import type { AnySql, Sql } from '../connect.js';
import type { ListSource } from '../list.js';
import { changeConfiguration, describeChange, mergePatch, recordAudit } from './change.js';
import type { Owner } from './credential.js';

export interface ServiceAccountTerms {
  readonly name: string;
  /** The address that handsets see. */
  readonly sender: string;
  readonly status: 'active' | 'disabled';
}

export interface ServiceAccount extends ServiceAccountTerms {
  readonly service_account_id: bigint;
  readonly service_account_no: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export function createServiceAccount(
  sql: Sql,
  { customerId, customer_no }: Owner,
  serviceAccountNo: string,
  terms: ServiceAccountTerms,
): Promise<ServiceAccount> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    await tx`
      insert into service_account (service_account_no, customer_id, name, sender, status, version)
      values (${serviceAccountNo}, ${customerId}, ${terms.name}, ${terms.sender}, ${terms.status}, ${version})`;
    const change = { service_account_no: serviceAccountNo, ...terms };
    await recordAudit(tx, { action: 'service_account.create', subject: customer_no, change });
    const account = await readServiceAccount(tx, customerId, serviceAccountNo);
    if (account === undefined) throw new Error('the service account was not stored');
    return account;
  });
}

/** Undefined when the customer has no such account. */
export function changeServiceAccount(
  sql: Sql,
  { customerId, customer_no }: Owner,
  serviceAccountNo: string,
  patch: Partial<ServiceAccountTerms>,
): Promise<ServiceAccount | undefined> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    const current = await readServiceAccount(tx, customerId, serviceAccountNo);
    if (current === undefined) return undefined;
    const before: ServiceAccountTerms = { name: current.name, sender: current.sender, status: current.status };
    const next = mergePatch(before, patch);
    const change = describeChange(before, next);
    if (change === undefined) return current;
    await tx`
      update service_account
      set name = ${next.name}, sender = ${next.sender}, status = ${next.status}, version = ${version}, updated_at = now()
      where customer_id = ${customerId} and service_account_no = ${serviceAccountNo}`;
    const audited = { service_account_no: serviceAccountNo, ...change };
    await recordAudit(tx, { action: 'service_account.change', subject: customer_no, change: audited });
    return readServiceAccount(tx, customerId, serviceAccountNo);
  });
}

export async function readServiceAccount(
  sql: AnySql,
  customerId: CustomerId,
  serviceAccountNo: string,
): Promise<ServiceAccount | undefined> {
  const [row] = await sql<ServiceAccount[]>`
    select service_account_id, service_account_no, name, sender, status, created_at, updated_at from service_account
    where customer_id = ${customerId} and service_account_no = ${serviceAccountNo}`;
  return row;
}

export function listServiceAccounts(sql: Sql, customerId: CustomerId): ListSource<ServiceAccount> {
  return {
    keyOf: (account) => String(account.service_account_id),
    rows: ({ after, offset, limit }) => sql<ServiceAccount[]>`
      select service_account_id, service_account_no, name, sender, status, created_at, updated_at from service_account
      where customer_id = ${customerId}
        and (${after ?? null}::bigint is null or service_account_id < ${after ?? null}::bigint)
      order by service_account_id desc offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (
          select from service_account where customer_id = ${customerId} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}
