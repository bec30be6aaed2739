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
    description: 'The firms it is approved for; null or left out: every firm.',
  }),
  status: words(['active', 'disabled'], { default: 'active', description: 'A disabled one cannot be sent.' }),
  upstream_codes: Type.Record(Type.String(), Type.String(), {
    default: {},
    description:
      'What upstreams call it, by channel number: `{template_code}` of channels over HTTP. Replaced as a whole by a change.',
  }),
});
export const TemplateChanges = changeOf(TemplateFields);

/** A text to be looked at before it is stored. */
export const TemplateDraftFields = closedObject({
  body: TemplateFields.properties.body,
  variable_values: Type.Record(Type.String(), Type.Unknown(), {
    default: {},
    description: 'Values of variables by name, p1 to p18; one without a value stands as its placeholder.',
  }),
});

/** What its customer sees, each by name: a field that is added for operators stays with them. */
export const OwnTemplateFields = Type.Pick(TemplateFields, [
  'name',
  'body',
  'class',
  'service_account_no',
  'firms',
  'status',
]);

/** The service account is stored by its id. */
export const StoredTemplateFields = Type.Omit(TemplateFields, ['service_account_no']);

export type TemplateTerms = Static<typeof TemplateFields>;

export interface Template extends TemplateTerms {
  readonly template_id: bigint;
  readonly template_no: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** As the service uses it. */
export interface TemplateConfig extends Omit<TemplateTerms, 'service_account_no' | 'firms'> {
  readonly templateId: bigint;
  readonly templateNo: string;
  readonly customerId: CustomerId;
  readonly compiled: CompiledTemplate;
  readonly serviceAccountId: bigint;
  /** The firms it is approved for; null is every firm. */
  readonly firms: ReadonlySet<string> | null;
}
