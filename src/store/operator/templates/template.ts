import type { Owner } from '../../../domain/entities/customer.js';
import { pickFields } from '../../../domain/entities/fields.js';
import {
  StoredTemplateFields,
  type Template,
  TemplateFields,
  type TemplateStatus,
  type TemplateTerms,
} from '../../../domain/entities/template.js';
import type { CustomerId } from '../../../domain/id.js';
import type { MessageClass } from '../../../domain/rules/message-class.js';
import { walkOf } from '../../condition.js';
import type { ListSource } from '../../list.js';
import { columnsOf, insertOf, updateOf } from '../../rows/entity-row.js';
import type { AnySql } from '../../sql.js';
import { type ActorContext, changeConfiguration, describeChange, mergePatch, recordAudit } from '../change.js';
import { readServiceAccount } from '../service-account.js';

export type TemplateOutcome =
  | { readonly kind: 'ok'; readonly template: Template }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'no_service_account' };

export function createTemplate(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  templateNo: string,
  terms: TemplateTerms,
): Promise<TemplateOutcome> {
  return changeConfiguration<TemplateOutcome>(actorContext, async ({ tx, version }) => {
    const account = await readServiceAccount(tx, customerId, terms.service_account_no);
    if (account === undefined) return { kind: 'no_service_account' };
    const { service_account_id } = account;
    const others = { template_no: templateNo, customer_id: customerId, service_account_id, version };
    await tx`insert into template ${insertOf(tx, StoredTemplateFields, terms, others)}`;
    const change = { template_no: templateNo, ...terms };
    await recordAudit(tx, actorContext.actor, { action: 'template.create', subject: customer_no, change });
    return toOutcome(await readTemplate(tx, customerId, templateNo));
  });
}

/**
 * Tasks accepted before keep the text they were accepted with. Another text of a template that was submitted is submitted, too: two
 * people see it.
 */
export function changeTemplate(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  templateNo: string,
  patch: Partial<TemplateTerms>,
  submissionId: bigint,
): Promise<TemplateOutcome> {
  return changeConfiguration<TemplateOutcome>(actorContext, async ({ tx, version }) => {
    const current = await readTemplate(tx, customerId, templateNo);
    if (current === undefined) return { kind: 'not_found' };
    const before = pickFields(TemplateFields, current);
    const next = mergePatch(before, patch);
    const account = await readServiceAccount(tx, customerId, next.service_account_no);
    if (account === undefined) return { kind: 'no_service_account' };
    const change = describeChange(before, next);
    if (change === undefined) return { kind: 'ok', template: current };
    await tx`
      update template set ${updateOf(tx, StoredTemplateFields, next)}, service_account_id = ${account.service_account_id},
        version = ${version}, updated_at = now() ${next.body === before.body ? tx`` : tx`, ${newText(tx, current, submissionId)}`}
      where customer_id = ${customerId} and template_no = ${templateNo}`;
    await recordAudit(tx, actorContext.actor, {
      action: 'template.change',
      subject: customer_no,
      change: { template_no: templateNo, ...change },
    });
    return toOutcome(await readTemplate(tx, customerId, templateNo));
  });
}

/** What a change of the text means for the review of a template. */
function newText(tx: AnySql, { review }: Template, submissionId: bigint) {
  return review === null ? tx`revision = revision + 1` : submitText(tx, { review }, submissionId);
}

/** The text that is being replaced is kept to compare with, where it could be sent. */
export function submitText(tx: AnySql, { review }: Pick<Template, 'review'>, submissionId: bigint) {
  const wasSendable = review === null || review === 'approved';
  return tx`
    revision = revision + 1, review = 'pending', submission_id = ${submissionId}, reason = null, reviewed_at = null
    ${wasSendable ? tx`, approved_body = body` : tx``}`;
}

export async function readTemplate(
  sql: AnySql,
  customerId: CustomerId,
  templateNo: string,
): Promise<Template | undefined> {
  const [row] = await sql<Template[]>`
    ${selectTemplate(sql)} where template.customer_id = ${customerId} and template_no = ${templateNo}`;
  return row;
}

export function listTemplates(
  sql: AnySql,
  customerId: CustomerId,
  filters: { readonly class?: MessageClass | undefined; readonly status?: TemplateStatus | undefined } = {},
): ListSource<Template> {
  const ofClass = filters.class ?? null;
  const status = filters.status ?? null;
  const matching = () => sql`
    template.customer_id = ${customerId} and (${ofClass}::text is null or template.class = ${ofClass})
    and (${status}::text is null or ${status} = ${statusColumn(sql)})`;
  return {
    keyOf: (template) => String(template.template_id),
    rows: ({ after, offset, limit, oldestFirst }) => sql<Template[]>`
      ${selectTemplate(sql)}
      where ${matching()}
        and (${after ?? null}::bigint is null or template_id ${walkOf(sql, oldestFirst).beyond} ${after ?? null}::bigint)
      order by template_id ${walkOf(sql, oldestFirst).direction} offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (
          select from template where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

/** As `templateStatusOf` has it. */
function statusColumn(sql: AnySql) {
  return sql`
    case when template.status = 'disabled' then 'disabled' when template.review in ('pending', 'rejected') then template.review
      else 'active' end`;
}

function selectTemplate(sql: AnySql) {
  return sql`
    select template_id, template_no, ${columnsOf(sql, 'template', StoredTemplateFields)}, service_account_no, review, revision,
      submission_id, reason, reviewed_at, approved_body, template.created_at, template.updated_at
    from template join service_account on service_account.service_account_id = template.service_account_id`;
}

function toOutcome(template: Template | undefined): TemplateOutcome {
  if (template === undefined) throw new Error('the template is gone in the transaction that wrote it');
  return { kind: 'ok', template };
}
