import { pickFields } from '../../domain/entities/fields.js';
import { type Operator, OperatorFields, type OperatorTerms } from '../../domain/entities/operator.js';
import type { ListSource } from '../list.js';
import { columnsOf, insertOf, updateOf } from '../rows/entity-row.js';
import type { AnySql, Sql } from '../sql.js';
import { type ActorContext, changeConfiguration, describeChange, mergePatch, recordAudit } from './change.js';

/** Undefined if the name is or was in use. */
export function createOperator(
  actorContext: ActorContext,
  operatorNo: string,
  terms: OperatorTerms,
  tokenHash: string,
): Promise<Operator | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const others = { operator_no: operatorNo, status: 'active', token_hash: tokenHash, version };
    const inserted = await tx`
      insert into operator ${insertOf(tx, OperatorFields, terms, others)}
      on conflict (name) do nothing returning operator_no`;
    if (inserted.length === 0) return undefined;
    await recordAudit(tx, actorContext.actor, { action: 'operator.create', subject: operatorNo, change: terms });
    return readOperator(tx, operatorNo);
  });
}

/** Undefined when there is no such operator, or no longer. */
export function changeOperator(
  actorContext: ActorContext,
  operatorNo: string,
  patch: Partial<OperatorTerms>,
): Promise<Operator | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const current = await readOperator(tx, operatorNo);
    if (current?.status !== 'active') return undefined;
    const before = pickFields(OperatorFields, current);
    const next = mergePatch(before, patch);
    const change = describeChange(before, next);
    if (change === undefined) return current;
    await tx`
      update operator set ${updateOf(tx, OperatorFields, next)}, version = ${version}, updated_at = now()
      where operator_no = ${operatorNo}`;
    await recordAudit(tx, actorContext.actor, { action: 'operator.change', subject: operatorNo, change });
    return readOperator(tx, operatorNo);
  });
}

/** Permanent. Undefined if there is no such operator; idempotent. */
export function removeOperator(actorContext: ActorContext, operatorNo: string): Promise<Operator | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const removed = await tx`
      update operator set status = 'removed', version = ${version}, updated_at = now()
      where operator_no = ${operatorNo} and status = 'active' returning name`;
    if (removed.length > 0) {
      const change = { status: { before: 'active', after: 'removed' } };
      await recordAudit(tx, actorContext.actor, { action: 'operator.remove', subject: operatorNo, change });
    }
    return readOperator(tx, operatorNo);
  });
}

export async function readOperator(sql: AnySql, operatorNo: string): Promise<Operator | undefined> {
  const [row] = await sql<Operator[]>`${selectOperator(sql)} where operator_no = ${operatorNo}`;
  return row;
}

/** Newest first. */
export function listOperators(sql: Sql, { status }: { readonly status?: string }): ListSource<Operator> {
  const matching = () => (status === undefined ? sql`true` : sql`status = ${status}`);
  return {
    keyOf: (operator) => String(operator.operator_id),
    rows: ({ after, offset, limit }) => sql<Operator[]>`
      ${selectOperator(sql)} where ${matching()} ${after === undefined ? sql`` : sql`and operator_id < ${after}`}
      order by operator_id desc offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select 1 from operator where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

function selectOperator(sql: AnySql) {
  return sql`
    select operator_id, operator_no, ${columnsOf(sql, 'operator', OperatorFields)}, status, created_at, updated_at
    from operator`;
}
