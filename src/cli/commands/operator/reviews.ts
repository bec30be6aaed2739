import type { ReviewRequest, SubmittedTemplate } from '@postrider/client';
import { SubmittedTemplateChanges, SubmittedTemplateFields } from '../../../domain/entities/template.js';
import { connectAsCustomer } from '../../access/connection.js';
import type { Command } from '../../command.js';
import { changeOptionsOf, optionsOf } from '../../entity-options.js';
import { exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { classOption } from '../../list-filters.js';
import { createListCommand, createRecordCommand, customerArgument } from '../../operator-command.js';
import { ownTemplateShape, reviewShape, templateShape } from '../../output/operator-shapes.js';
import { outputOptions, printRecord } from '../../output/records.js';
import { readBody } from '../../request-body.js';

const templateArgument = { name: 'TEMPLATE', summary: 'number of the template', required: true };
const submitted = optionsOf(SubmittedTemplateFields, { service_account_no: 'service-account', firms: 'firm' });
const resubmitted = changeOptionsOf(SubmittedTemplateChanges);

/** What customers submit. */
export const submitCommands: readonly Command[] = [
  {
    path: ['template', 'submit'],
    summary: 'submit a template of yours for review',
    options: { ...submitted, ...outputOptions },
    examples: [
      {
        command:
          "postrider template submit --name Shipped --body 'Your order {p1} is on its way.' --service-account ACCOUNT",
        shows: 'it can be sent when an operator has approved it',
      },
    ],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const body = (await readBody(invocation, submitted)) as unknown as SubmittedTemplate;
      const { signal } = invocation.terminal;
      await printRecord(invocation, await client.submitTemplate(body, { signal }), ownTemplateShape);
      return exitCodes.ok;
    },
  },
  {
    path: ['template', 'resubmit'],
    summary: 'change the text or the name of a template of yours; another text is reviewed again',
    arguments: [templateArgument],
    options: { ...resubmitted, ...outputOptions },
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const body = await readBody(invocation, resubmitted);
      const { signal } = invocation.terminal;
      const changed = await client.updateTemplate(invocation.argument(0), body, { signal });
      await printRecord(invocation, changed, ownTemplateShape);
      return exitCodes.ok;
    },
  },
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
    filters: {
      customer: { type: 'string', value: 'CUSTOMER', summary: 'of this customer', filter: 'customerNo' },
      class: { ...classOption, summary: 'of this class', filter: 'class' },
    },
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
