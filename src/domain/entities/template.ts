// A text that a customer may send.

import { type Static, Type } from '@sinclair/typebox';
import type { CustomerId } from '../id.js';
import { type CompiledTemplate, MAX_TEMPLATE_CHARACTERS } from '../message/template.js';
import { MESSAGE_CLASSES } from '../rules/message-class.js';
import { changeOf, closedObject, line, nullable, words } from './fields.js';
import { firmName } from './firm.js';

export const TemplateFields = closedObject({
  name: line(200, 'What people call it.'),
  body: Type.String({
    minLength: 1,
    maxLength: MAX_TEMPLATE_CHARACTERS,
    description: 'The text, with placeholders {p1} to {p18} for variables.',
  }),
  class: words(MESSAGE_CLASSES, {
    default: 'notice',
    description: 'What its messages are for. Every channel sends `otp` before `notice` before `promotion`.',
  }),
  service_account_no: line(64, 'Who it comes from: a service account of the same customer.'),
  firms: nullable(Type.Array(firmName, { minItems: 1, maxItems: 1000 }), {
    default: null,
    description: 'The carriers it is approved for; null or left out: every carrier.',
  }),
  status: words(['active', 'disabled'], { default: 'active', description: 'A disabled one cannot be sent.' }),
  upstream_codes: Type.Record(Type.String(), Type.String(), {
    default: {},
    description:
      'What upstreams call it, by channel number: `{template_code}` of channels over HTTP. Replaced as a whole by a change.',
  }),
});
export const TemplateChanges = changeOf(TemplateFields);

/** What its customer submits for review, and sees: a field that is added for operators stays with them. */
const { name, body, class: ofClass, service_account_no, firms } = TemplateFields.properties;
export const SubmittedTemplateFields = closedObject({ name, body, class: ofClass, service_account_no, firms });
/** The rest decides priority and routes of tasks under way: it changes by the operator alone. */
export const SubmittedTemplateChanges = changeOf(closedObject({ name, body }));

/** Templates of one customer that wait for review. */
export const MAX_PENDING_TEMPLATES = 100;

export const REVIEW_DECISIONS = ['approved', 'rejected'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

export const ReviewFields = closedObject({
  decision: words(REVIEW_DECISIONS, { description: 'Whether the text may be sent.' }),
  reason: nullable(line(500, 'Why.'), { default: null, description: 'Why, for the customer to read; null: none.' }),
  revision: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 31 - 1,
      description:
        'The `revision` that was reviewed: a text that has changed since is not decided on. Left out: whichever waits.',
    }),
  ),
});
export type ReviewTerms = Static<typeof ReviewFields>;

/** Null: made by an operator and not changed by its customer since, so that nothing waits for review. */
export type ReviewState = 'pending' | ReviewDecision | null;

export const TEMPLATE_STATUSES = ['active', 'disabled', 'pending', 'rejected'] as const;
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** An operator's `disabled` stands above every review. */
export function templateStatusOf(template: {
  readonly status: 'active' | 'disabled';
  readonly review: ReviewState;
}): TemplateStatus {
  const { status, review } = template;
  if (status === 'disabled') return 'disabled';
  return review === null || review === 'approved' ? 'active' : review;
}

/** A text to be looked at before it is stored. */
export const TemplateDraftFields = closedObject({
  body: TemplateFields.properties.body,
  variable_values: Type.Record(Type.String(), Type.Unknown(), {
    default: {},
    description: 'Values of variables by name, p1 to p18; one without a value stands as its placeholder.',
  }),
});

/** The service account is stored by its id. */
export const StoredTemplateFields = Type.Omit(TemplateFields, ['service_account_no']);

export type TemplateTerms = Static<typeof TemplateFields>;

export interface Template extends TemplateTerms {
  readonly template_id: bigint;
  readonly template_no: string;
  readonly review: ReviewState;
  /** Counts the texts it has had. */
  readonly revision: number;
  /** When its text was last submitted for review, as an id. */
  readonly submission_id: bigint | null;
  /** Of the decision on its text. */
  readonly reason: string | null;
  readonly reviewed_at: Date | null;
  /** The last text that could be sent, where the present one is another. */
  readonly approved_body: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** One decision of an operator, with what it was about. */
export interface TemplateReview {
  readonly review_id: bigint;
  readonly template_id: bigint;
  readonly template_no: string;
  readonly name: string;
  readonly body: string;
  readonly revision: number;
  readonly decision: ReviewDecision;
  readonly reason: string | null;
  readonly actor: string;
}

/** As the service uses it. */
export interface TemplateConfig extends Omit<TemplateTerms, 'service_account_no' | 'firms' | 'status'> {
  readonly status: TemplateStatus;
  readonly templateId: bigint;
  readonly templateNo: string;
  readonly customerId: CustomerId;
  readonly compiled: CompiledTemplate;
  readonly serviceAccountId: bigint;
  /** The firms it is approved for; null is every firm. */
  readonly firms: ReadonlySet<string> | null;
}
