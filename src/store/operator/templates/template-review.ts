// Templates that customers submit, and the decisions of operators. A text that waits for its first decision is in no process's memory: its
// row has no version that a process would read.

import type { Static } from '@sinclair/typebox';
import type { Customer, Owner } from '../../../domain/entities/customer.js';
import {
  MAX_PENDING_TEMPLATES,
  type ReviewTerms,
  StoredTemplateFields,
  type SubmittedTemplateFields,
  type Template,
  type TemplateReview,
} from '../../../domain/entities/template.js';
import type { CustomerId } from '../../../domain/id.js';
import { nextRecordId } from '../../../domain/money/ledger.js';
import type { MessageClass } from '../../../domain/rules/message-class.js';
import type { Tenant } from '../../../domain/tenant.js';
import { ownRows } from '../../condition.js';
import type { ListSource } from '../../list.js';
import { lockAccount, writeAccounts } from '../../money/account.js';
import { defineRows } from '../../rows/bulk-rows.js';
import { columnsOf, insertOf } from '../../rows/entity-row.js';
import { runTogether } from '../../run-together.js';
import type { AnySql, Sql } from '../../sql.js';
import type { Span } from '../../webhook/webhook-history.js';
import { type ActorContext, changeConfiguration, describeChange, lockConfiguration, recordAudit } from '../change.js';
import { readServiceAccount } from '../service-account.js';
import { readTemplate, submitText } from './template.js';

/** Below every version that a node asks for. */
const NO_VERSION = 0n;

type SubmittedTerms = Static<typeof SubmittedTemplateFields>;

export type SubmitOutcome =
  | { readonly kind: 'ok'; readonly template: Template; readonly isRepeat: boolean }
  | { readonly kind: 'no_service_account' }
  | { readonly kind: 'too_many' };

/** The same submission again, while it waits, is the one that waits. */
export function submitTemplate(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  { templateNo, submissionId }: { readonly templateNo: string; readonly submissionId: bigint },
  terms: SubmittedTerms,
): Promise<SubmitOutcome> {
  return lockConfiguration<SubmitOutcome>(actorContext, async (tx) => {
    const account = await readServiceAccount(tx, customerId, terms.service_account_no);
    if (account?.status !== 'active') return { kind: 'no_service_account' };
    const { service_account_id } = account;
    const pending = await tx<{ template_no: string; is_same: boolean }[]>`
      select template_no, service_account_id = ${service_account_id} and name = ${terms.name} and body = ${terms.body}
        and class = ${terms.class} and firms is not distinct from ${terms.firms}::text[] as is_same
      from template where customer_id = ${customerId} and review = 'pending' order by template_id`;
    const same = pending.find(({ is_same }) => is_same);
    if (same !== undefined) return found(await readTemplate(tx, customerId, same.template_no), true);
    if (pending.length >= MAX_PENDING_TEMPLATES) return { kind: 'too_many' };
    const stored = { ...terms, status: 'active' as const, upstream_codes: {} };
    const others = { template_no: templateNo, customer_id: customerId, service_account_id, version: NO_VERSION };
    const review = { review: 'pending', submission_id: submissionId };
    await tx`insert into template ${insertOf(tx, StoredTemplateFields, stored, { ...others, ...review })}`;
    const change = { template_no: templateNo, ...terms };
    await recordAudit(tx, actorContext.actor, { action: 'template.submit', subject: customer_no, change });
    return found(await readTemplate(tx, customerId, templateNo), false);
  });
}

export type ResubmitOutcome =
  | { readonly kind: 'ok'; readonly template: Template; readonly isHeard: boolean }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'too_many' };

/** By its customer. Another text waits for review; another name does not. */
export function changeSubmitted(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  templateNo: string,
  patch: { readonly name?: string; readonly body?: string },
  submissionId: bigint,
): Promise<ResubmitOutcome> {
  return lockConfiguration<ResubmitOutcome>(actorContext, async (tx, raise) => {
    const current = await readTemplate(tx, customerId, templateNo);
    if (current === undefined) return { kind: 'not_found' };
    const before = { name: current.name, body: current.body };
    const next = { name: patch.name ?? before.name, body: patch.body ?? before.body };
    const change = describeChange(before, next);
    if (change === undefined) return { kind: 'ok', template: current, isHeard: false };
    const isNewText = next.body !== before.body;
    const isPending = current.review === 'pending';
    if (isNewText && !isPending && (await countPending(tx, customerId)) >= MAX_PENDING_TEMPLATES) {
      return { kind: 'too_many' };
    }
    // Nodes know what could be sent, and must stop; a text that waits or was rejected is nothing to them.
    const isHeard = isNewText && (current.review === null || current.review === 'approved');
    await tx`
      update template set name = ${next.name}, body = ${next.body}, updated_at = now()
        ${isNewText ? tx`, ${submitText(tx, current, submissionId)}` : tx``}
        ${isHeard ? tx`, version = ${await raise()}` : tx``}
      where customer_id = ${customerId} and template_no = ${templateNo}`;
    const audited = { template_no: templateNo, ...change };
    await recordAudit(tx, actorContext.actor, { action: 'template.change', subject: customer_no, change: audited });
    const { template } = found(await readTemplate(tx, customerId, templateNo), false);
    return { kind: 'ok', template, isHeard };
  });
}

async function countPending(tx: AnySql, customerId: CustomerId): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from template where customer_id = ${customerId} and review = 'pending'`;
  return row?.count ?? 0;
}

function found(template: Template | undefined, isRepeat: boolean) {
  if (template === undefined) throw new Error('the template is gone in the transaction that wrote it');
  return { kind: 'ok', template, isRepeat } as const;
}

export type ReviewOutcome =
  | { readonly kind: 'ok'; readonly template: Template }
  | { readonly kind: 'not_found' }
  /** Nothing waits, or the decision was another one. */
  | { readonly kind: 'not_pending' }
  | { readonly kind: 'changed'; readonly revision: number };

/** The decision is a record of the customer, so that webhooks deliver it. The same decision again changes nothing. */
export function reviewTemplate(
  actorContext: ActorContext,
  owner: Customer,
  templateNo: string,
  { decision, reason, revision }: ReviewTerms,
): Promise<ReviewOutcome> {
  const { bucket, customerId, customer_no } = owner;
  return changeConfiguration<ReviewOutcome>(actorContext, async ({ tx, version }) => {
    const current = await readTemplate(tx, customerId, templateNo);
    if (current === undefined) return { kind: 'not_found' };
    if (revision !== undefined && revision !== current.revision) return { kind: 'changed', revision: current.revision };
    if (current.review !== 'pending') {
      return current.review === decision ? { kind: 'ok', template: current } : { kind: 'not_pending' };
    }
    await tx`
      update template set review = ${decision}, reason = ${reason}, reviewed_at = now(), version = ${version},
        updated_at = now() ${decision === 'approved' ? tx`, approved_body = null` : tx``}
      where customer_id = ${customerId} and template_no = ${templateNo}`;
    const change = { template_no: templateNo, revision: current.revision, decision, reason };
    await recordAudit(tx, actorContext.actor, { action: 'template.review', subject: customer_no, change });
    const { account, now } = await lockAccount(tx, owner);
    await tx`
      insert into template_review (bucket, customer_id, review_id, template_id, template_no, name, body, revision, decision,
        reason, actor)
      values (${bucket}, ${customerId}, ${nextRecordId(account, now)}, ${current.template_id}, ${templateNo}, ${current.name},
        ${current.body}, ${current.revision}, ${decision}, ${reason}, ${actorContext.actor})`;
    await runTogether(tx, writeAccounts(tx, bucket, [account]));
    return found(await readTemplate(tx, customerId, templateNo), false);
  });
}

/** A template that waits, with what its reviewer needs to know. */
export interface PendingReview extends Tenant, Omit<Template, 'submission_id'> {
  readonly submission_id: bigint;
  readonly customer_no: string;
  readonly customer_name: string;
  readonly sender: string;
  readonly signature: string | null;
  readonly signature_position: 'head' | 'tail';
}

export interface ReviewFilters {
  readonly customer_no?: string | undefined;
  readonly class?: MessageClass | undefined;
}

/** Oldest first. */
export function listPendingReviews(sql: Sql, filters: ReviewFilters): ListSource<PendingReview> {
  const [customerNo, ofClass] = [filters.customer_no ?? null, filters.class ?? null];
  const matching = () => sql`
    template.review = 'pending' and template.status = 'active'
    and (${customerNo}::text is null or customer.customer_no = ${customerNo})
    and (${ofClass}::text is null or template.class = ${ofClass})`;
  const from = () => sql`
    from template join customer on customer.customer_id = template.customer_id
    join service_account on service_account.service_account_id = template.service_account_id`;
  return {
    keyOf: ({ submission_id }) => String(submission_id),
    rows: ({ after, offset, limit }) => sql<PendingReview[]>`
      select template_id, template_no, ${columnsOf(sql, 'template', StoredTemplateFields)}, service_account_no, review, revision,
        submission_id, reason, reviewed_at, approved_body, template.created_at, template.updated_at, customer_no,
        customer.bucket, customer.customer_id as "customerId", customer.name as customer_name, sender, signature,
        signature_position
      ${from()} where ${matching()} and (${after ?? null}::bigint is null or submission_id > ${after ?? null}::bigint)
      order by submission_id offset ${offset} limit ${limit}`,
    async count(limit) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from (select 1 as one ${from()} where ${matching()} limit ${limit}) as counted`;
      return row?.count ?? 0;
    },
  };
}

const TEMPLATES = defineRows('k', { customerId: 'bigint', template_id: 'bigint' });
/** Of one template, in an answer. */
const MAX_SHOWN = 10;

/** The last decisions on these templates, newest first. */
export async function readReviews(
  sql: Sql,
  bucket: number,
  templates: readonly { readonly customerId: CustomerId; readonly template_id: bigint }[],
): Promise<TemplateReview[]> {
  return await sql<TemplateReview[]>`
    select r.review_id, r.template_id, r.template_no, r.name, r.body, r.revision, r.decision, r.reason, r.actor
    from ${TEMPLATES.unnest(sql, templates)}
    cross join lateral (
      select * from template_review
      where bucket = ${bucket} and customer_id = k.customer_id and template_id = k.template_id
      order by review_id desc limit ${MAX_SHOWN}
    ) as r
    order by r.review_id desc`;
}

/** The next decision of a span of history. */
export async function readReviewIn(sql: Sql, tenant: Tenant, span: Span): Promise<TemplateReview | undefined> {
  const [row] = await sql<TemplateReview[]>`
    select review_id, template_id, template_no, name, body, revision, decision, reason, actor from template_review
    where ${ownRows(sql, tenant)} and review_id > ${span.after} and review_id <= ${span.until}
    order by review_id limit 1`;
  return row;
}
