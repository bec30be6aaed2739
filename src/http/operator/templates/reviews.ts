// Templates that wait for review, and the decisions on them.

import { Type } from '@sinclair/typebox';
import {
  REVIEW_DECISIONS,
  ReviewFields,
  SubmittedTemplateFields,
  type TemplateReview,
} from '../../../domain/entities/template.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { groupBy } from '../../../domain/group-by.js';
import { timeOfId } from '../../../domain/id.js';
import { splitIntoParts } from '../../../domain/message/parts.js';
import { parseTemplate, renderTemplate as renderText, VARIABLE_NAMES } from '../../../domain/message/template.js';
import { toPlain } from '../../../domain/plain.js';
import { MESSAGE_CLASSES } from '../../../domain/rules/message-class.js';
import { addSenderSignature } from '../../../domain/rules/signature.js';
import { type ListSource, readList } from '../../../store/list.js';
import {
  listPendingReviews,
  type PendingReview,
  readReviews,
  reviewTemplate,
} from '../../../store/operator/templates/template-review.js';
import { checkBody } from '../../body/check-body.js';
import { notFound, Problem } from '../../problem/problem.js';
import { listOf, oneOf, parseListQuery, renderList } from '../../query/list-query.js';
import { answerOf, orNull, TemplateAnswer, Time } from '../../resources/entity-answers.js';
import {
  actorContextFor,
  defineOperation,
  describePath,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  refreshConfiguration,
  requireCustomer,
} from '../operator-route.js';
import { renderTemplate } from './templates.js';

const tag = 'Reviews';

const ReviewAnswer = answerOf(
  { $id: 'Review', description: 'A template that waits for review.' },
  {
    customer_no: Type.String(),
    customer_name: Type.String(),
    template_no: Type.String(),
    revision: Type.Integer({ minimum: 1, description: 'Of the text that waits: goes with the decision.' }),
    submitted_at: Time(),
    sender: Type.String({ description: 'Of the service account.' }),
    example: Type.Object(
      {
        text: Type.String({ description: 'With the signature, and with made-up values for variables.' }),
        encoding: oneOf(['gsm7', 'ucs2'], 'The alphabet on a channel that carries the GSM alphabet.'),
        parts: Type.Integer({ minimum: 1 }),
      },
      { description: 'What a handset would show.' },
    ),
    approved_body: orNull(Type.String({ description: 'The last text that could be sent; null where there is none.' })),
    decisions: Type.Array(
      Type.Object({
        decision: oneOf(REVIEW_DECISIONS, 'What was decided.'),
        reason: orNull(Type.String()),
        revision: Type.Integer({ minimum: 1 }),
        body: Type.String({ description: 'The text that was decided on.' }),
        reviewed_by: Type.String({ description: 'The operator.' }),
        reviewed_at: Time(),
      }),
      { description: 'Earlier decisions on this template, newest first, at most ten.' },
    ),
  },
  SubmittedTemplateFields,
);

const reviewList = {
  name: 'reviews',
  timed: false,
  filters: {
    customer_no: Type.String({ minLength: 1, maxLength: 64, description: 'Only of this customer.' }),
    class: oneOf(MESSAGE_CLASSES, 'Only of this class.'),
  },
} as const;

export function createReviewRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    {
      ...describePath('/reviews'),
      method: 'GET',
      name: 'listReviews',
      permission: 'read',
      tag,
      summary: 'List templates that wait for review',
      description: 'Oldest first, each with an example, the text it replaces and the decisions before.',
      list: reviewList,
      answer: { status: 200, schema: listOf(ReviewAnswer), description: 'A page of the list.' },
      problems: [],
      handle: async (call) => {
        const { position, filters } = parseListQuery(reviewList, call);
        const source: ListSource<PendingReview> = listPendingReviews(deps.readers, filters);
        return renderList(reviewList.name, call, await readList(source, position, (rows) => showReviews(deps, rows)));
      },
    },
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/templates/{template_no}/review',
      name: 'reviewTemplate',
      permission: 'configure',
      tag,
      summary: 'Approve or reject a template',
      description:
        'From the approval on it can be sent. The customer sees the reason. The same decision again changes nothing; another one, or one on a text that has changed since, is 409 `invalid_stage`.',
      body: { schema: ReviewFields, example: { decision: 'approved', revision: 1 } },
      answer: { status: 200, schema: TemplateAnswer, description: 'The template as it then is.' },
      problems: ['invalid_stage'],
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const terms = checkBody(ReviewFields, call.body, { defaults: true });
        const templateNo = readParam(call, 'template_no');
        const outcome = await reviewTemplate(actorContextFor(deps, call), customer, templateNo, terms);
        if (outcome.kind === 'not_found') throw notFound();
        if (outcome.kind === 'not_pending') throw new Problem('invalid_stage', errorText('template_not_pending'));
        if (outcome.kind === 'changed') {
          throw new Problem('invalid_stage', errorText('template_changed_since', { revision: outcome.revision }));
        }
        await refreshConfiguration(deps);
        deps.webhooks.onChanged();
        return renderTemplate(outcome.template);
      },
    }),
  ];
}

async function showReviews(deps: OperatorDeps, rows: readonly PendingReview[]) {
  const buckets = [...groupBy(rows, ({ bucket }) => bucket)];
  const decided = await Promise.all(buckets.map(([bucket, own]) => readReviews(deps.readers, bucket, own)));
  const byTemplate = groupBy(decided.flat(), ({ template_id }) => template_id);
  return rows.map((row) => renderPending(row, byTemplate.get(row.template_id) ?? []));
}

function renderPending(row: PendingReview, decisions: readonly TemplateReview[]) {
  return toPlain({
    customer_no: row.customer_no,
    customer_name: row.customer_name,
    template_no: row.template_no,
    name: row.name,
    body: row.body,
    class: row.class,
    service_account_no: row.service_account_no,
    firms: row.firms,
    revision: row.revision,
    submitted_at: timeOfId(row.submission_id),
    sender: row.sender,
    example: exampleOf(row),
    approved_body: row.approved_body,
    decisions: decisions.map(({ decision, reason, revision, body, actor, review_id }) => ({
      decision,
      reason,
      revision,
      body,
      reviewed_by: actor,
      reviewed_at: timeOfId(review_id),
    })),
  });
}

function exampleOf({ body, class: ofClass, signature, signature_position }: PendingReview) {
  const sample = (name: string) => (ofClass === 'otp' ? '123456' : `value of ${name}`);
  const values = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, sample(name)]));
  const signed = addSenderSignature(body, { signature, signaturePosition: signature_position });
  const text = renderText(parseTemplate(signed), values);
  const { encoding, parts } = splitIntoParts(text, 'gsm7');
  return { text, encoding, parts: parts.length };
}
