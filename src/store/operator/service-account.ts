import type { Owner } from '../../domain/entities/customer.js';
import { pickFields } from '../../domain/entities/fields.js';
import {
  type ServiceAccount,
  ServiceAccountFields,
  type ServiceAccountTerms,
} from '../../domain/entities/service-account.js';
import type { CustomerId } from '../../domain/id.js';
import { walkOf } from '../condition.js';
import type { ListSource } from '../list.js';
import { columnsOf, insertOf, updateOf } from '../rows/entity-row.js';
import type { AnySql } from '../sql.js';
import { type ActorContext, changeConfiguration, describeChange, mergePatch, recordAudit } from './change.js';

export function createServiceAccount(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  serviceAccountNo: string,
  terms: ServiceAccountTerms,
): Promise<ServiceAccount> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const others = { service_account_no: serviceAccountNo, customer_id: customerId, version };
    await tx`insert into service_account ${insertOf(tx, ServiceAccountFields, terms, others)}`;
    const change = { service_account_no: serviceAccountNo, ...terms };
    await recordAudit(tx, actorContext.actor, { action: 'service_account.create', subject: customer_no, change });
    const account = await readServiceAccount(tx, customerId, serviceAccountNo);
    if (account === undefined) throw new Error('the service account was not stored');
    return account;
  });
}

/** Undefined when the customer has no such account. */
export function changeServiceAccount(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  serviceAccountNo: string,
  patch: Partial<ServiceAccountTerms>,
): Promise<ServiceAccount | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const current = await readServiceAccount(tx, customerId, serviceAccountNo);
    if (current === undefined) return undefined;
    const before = pickFields(ServiceAccountFields, current);
    const next = mergePatch(before, patch);
    const change = describeChange(before, next);
    if (change === undefined) return current;
    await tx`
      update service_account
      set ${updateOf(tx, ServiceAccountFields, next)}, version = ${version}, updated_at = now()
      where customer_id = ${customerId} and service_account_no = ${serviceAccountNo}`;
    const audited = { service_account_no: serviceAccountNo, ...change };
    await recordAudit(tx, actorContext.actor, {
      action: 'service_account.change',
      subject: customer_no,
      change: audited,
    });
    return readServiceAccount(tx, customerId, serviceAccountNo);
  });
}

export async function readServiceAccount(
  sql: AnySql,
  customerId: CustomerId,
  serviceAccountNo: string,
): Promise<ServiceAccount | undefined> {
  const [row] = await sql<ServiceAccount[]>`
    ${selectServiceAccount(sql)}
    where customer_id = ${customerId} and service_account_no = ${serviceAccountNo}`;
  return row;
}

export function listServiceAccounts(sql: AnySql, customerId: CustomerId): ListSource<ServiceAccount> {
  return {
    keyOf: (account) => String(account.service_account_id),
    rows: ({ after, offset, limit, oldestFirst }) => sql<ServiceAccount[]>`
      ${selectServiceAccount(sql)}
      where customer_id = ${customerId}
        and (${after ?? null}::bigint is null or service_account_id ${walkOf(sql, oldestFirst).beyond} ${after ?? null}::bigint)
      order by service_account_id ${walkOf(sql, oldestFirst).direction} offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (
          select from service_account where customer_id = ${customerId} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

function selectServiceAccount(sql: AnySql) {
  return sql`
    select service_account_id, service_account_no, ${columnsOf(sql, 'service_account', ServiceAccountFields)}, created_at,
      updated_at
    from service_account`;
}
