import type { ReviewRequest, SubmittedTemplate } from '@postrider/client';
import { SubmittedTemplateChanges, SubmittedTemplateFields } from '../../../domain/entities/template.js';
import { createListCommand, createOwnRecordCommand, createRecordCommand, customerArgument } from '../../api-command.js';
import type { Command } from '../../command.js';
import { changeOptionsOf, optionsOf } from '../../entity-options.js';
import { UsageError } from '../../failure.js';
import { classFilter, customerFilter } from '../../list-filters.js';
import { ownTemplateShape, reviewShape, templateShape } from '../../output/operator-shapes.js';

const templateArgument = { name: 'TEMPLATE', summary: 'number of the template', required: true };

/** What customers submit. */
export const submitCommands: readonly Command[] = [
  createOwnRecordCommand({
    path: ['template', 'submit'],
    summary: 'submit a template of yours for review',
    fields: optionsOf(SubmittedTemplateFields, { service_account_no: 'service-account', firms: 'firm' }),
    shape: ownTemplateShape,
    examples: [
      {
        command:
          "postrider template submit --name Shipped --body 'Your order {p1} is on its way.' --service-account ACCOUNT",
        shows: 'it can be sent when an operator has approved it',
      },
    ],
    call: (client, _args, body, options) => client.submitTemplate(body as unknown as SubmittedTemplate, options),
  }),
  createOwnRecordCommand({
    path: ['template', 'resubmit'],
    summary: 'change the text or the name of a template of yours; another text is reviewed again',
    arguments: [templateArgument],
    fields: changeOptionsOf(SubmittedTemplateChanges),
    shape: ownTemplateShape,
    call: (client, [templateNo = ''], body, options) => client.updateTemplate(templateNo, body, options),
  }),
];

const reason = {
  field: 'reason',
  as: 'text',
  type: 'string',
  value: 'TEXT',
  summary: 'for the customer to read',
} as const;
const revision = {
  field: 'revision',
  as: 'whole number',
  type: 'string',
  value: 'N',
  summary: 'the revision that you read; refused when the text has changed since',
} as const;

/** What operators decide. */
export const reviewCommands: readonly Command[] = [
  createListCommand({
    path: ['review', 'list'],
    summary: 'templates that wait for review, oldest first',
    filters: { customer: customerFilter, class: { ...classFilter, summary: 'of this class' } },
    shape: reviewShape,
    noun: 'templates to review',
    examples: [{ command: 'postrider review list --json', shows: 'with the text before and earlier decisions' }],
    call: (client, _args, options) => client.reviews(options),
  }),
  createDecision('approve', 'approved', 'approve a template: it can be sent'),
  createDecision('reject', 'rejected', 'reject a template, and say why'),
];

function createDecision(word: string, decision: ReviewRequest['decision'], summary: string): Command {
  return createRecordCommand({
    path: ['review', word],
    summary,
    arguments: [customerArgument, templateArgument],
    fields: { reason, revision },
    shape: templateShape,
    call: (client, [customerNo = '', templateNo = ''], body, options) => {
      if (decision === 'rejected' && body.reason === undefined) {
        throw new UsageError('--reason is required.', 'The customer reads it, and can submit a better text.');
      }
      return client.reviewTemplate(customerNo, templateNo, { ...body, decision }, options);
    },
  });
}
