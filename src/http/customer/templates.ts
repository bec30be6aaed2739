// Templates as their customer sees them, and submits them for review.

import { Type } from '@sinclair/typebox';
import { pickFields } from '../../domain/entities/fields.js';
import {
  MAX_PENDING_TEMPLATES,
  SubmittedTemplateChanges,
  SubmittedTemplateFields,
  TEMPLATE_STATUSES,
  type Template,
  type TemplateReview,
} from '../../domain/entities/template.js';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault } from '../../domain/fault/fault.js';
import { formatNo, timeOfId } from '../../domain/id.js';
import { checkTemplateBody, parseTemplate, VARIABLE_NAMES } from '../../domain/message/template.js';
import { toPlain } from '../../domain/plain.js';
import { MESSAGE_CLASSES } from '../../domain/rules/message-class.js';
import { isStorableText } from '../../domain/text.js';
import { listTemplates, readTemplate } from '../../store/operator/templates/template.js';
import { changeSubmitted, submitTemplate } from '../../store/operator/templates/template-review.js';
import { checkBody } from '../body/check-body.js';
import { examples } from '../examples.js';
import { invalidRequest, notFound, Problem } from '../problem/problem.js';
import { rateLimited } from '../problem/rate-limited.js';
import { oneOf, rejectParameters } from '../query/list-query.js';
import { answerOf, changed, renderReviewState, reviewFields } from '../resources/entity-answers.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps } from './deps.js';
import { listRoute, openList } from './lists.js';

const PATH = '/openapi/v1/templates/';
const ONE = `${PATH}{template_no}/`;
const tag = 'Configuration';
const params = { template_no: Type.String({ description: 'The number of the template.' }) };

const OwnTemplateAnswer = answerOf(
  { $id: 'OwnTemplate', description: 'A template as its customer sees it.' },
  {
    template_no: Type.String(),
    ...reviewFields,
    ...changed,
    variables: Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...VARIABLE_NAMES] }), {
      description: 'Those that need a value.',
    }),
    example: Type.Record(Type.String(), Type.Unknown(), { description: 'A body of a send with this template.' }),
  },
  SubmittedTemplateFields,
);
const shown = (description: string) =>
  ({ schema: OwnTemplateAnswer, description, example: examples.ownTemplate }) as const;
const submitted = { ...examples.ownTemplate, status: 'pending', submitted_at: examples.ownTemplate.created_at };

/** A change holds a lock that operators need, too. */
const CHANGES_PER_SECOND = 20;

export function templateRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  const { sql, templates } = deps;
  const actorContextFor = ({ actor }: CustomerCall) => ({ sql, actor });
  const ownerOf = ({ customer }: CustomerCall) => ({ ...customer, customer_no: customer.customerNo });
  return [
    listRoute(deps, {
      path: PATH,
      name: 'listOwnTemplates',
      tag,
      summary: 'List your templates',
      description: 'With the variables of each and a body to send it with. Only an active one can be sent.',
      list: {
        name: 'own-templates',
        timed: false,
        filters: {
          class: oneOf(MESSAGE_CLASSES, 'Only of this class.'),
          status: oneOf(TEMPLATE_STATUSES, 'Only with this status.'),
        },
      },
      item: OwnTemplateAnswer,
      example: examples.ownTemplate,
      open: async (view, { customer }, { filters }) =>
        openList(listTemplates(view, customer.customerId, filters), (rows) => rows.map(renderOwnTemplate)),
    }),
    {
      method: 'GET',
      path: ONE,
      name: 'getOwnTemplate',
      tag,
      summary: 'Show a template',
      params,
      answer: { status: 200, ...shown('The template.') },
      problems: [],
      handle: async (call) => {
        const template = await readTemplate(deps.readers, call.customer.customerId, templateNoOf(call));
        if (template === undefined) throw notFound();
        return renderOwnTemplate(template);
      },
    },
    {
      method: 'POST',
      path: PATH,
      name: 'submitTemplate',
      tag,
      summary: 'Submit a template for review',
      description: `It is \`pending\`, and cannot be sent until an operator approves it; the webhook event \`template.reviewed\` tells the decision. Submitting the same again while it waits changes nothing. At most ${MAX_PENDING_TEMPLATES} wait at a time.`,
      body: {
        schema: SubmittedTemplateFields,
        example: { name: 'Shipped', body: 'Your order {p1} is on its way.', service_account_no: 'A01K9XJ3Q8ZV4S' },
      },
      answer: {
        status: 201,
        ...shown('The template with its `template_no`.'),
        example: submitted,
        headers: { 'Idempotent-Replayed': '`true` when the same submission waits already.' },
      },
      problems: ['service_account_unavailable', 'firm_unavailable'],
      handle: async (call) => {
        rejectParameters(call.requestTarget);
        const terms = checkBody(SubmittedTemplateFields, call.body, { defaults: true, refine: checkText });
        requireKnownFirms(deps, terms.firms ?? []);
        await requireChangeRate(deps, call);
        const id = templates.nextId();
        const numbers = { templateNo: formatNo('M', id), submissionId: id };
        const outcome = await submitTemplate(actorContextFor(call), ownerOf(call), numbers, terms);
        if (outcome.kind === 'no_service_account') {
          throw new Problem('service_account_unavailable', errorText('service_account_not_active'));
        }
        if (outcome.kind === 'too_many') throw tooManyPending();
        if (outcome.isRepeat) call.reply.header('idempotent-replayed', 'true');
        return renderOwnTemplate(outcome.template);
      },
    },
    {
      method: 'PATCH',
      path: ONE,
      name: 'changeOwnTemplate',
      tag,
      summary: 'Change the name or the text of a template',
      description:
        'Another text is `pending` until an operator approves it. Tasks that were accepted before keep the text they were accepted with.',
      params,
      body: { schema: SubmittedTemplateChanges, example: { body: 'Your order {p1} has been sent.' } },
      answer: { status: 200, ...shown('The template as it then is.'), example: submitted },
      problems: [],
      handle: async (call) => {
        const templateNo = templateNoOf(call);
        if ((await readTemplate(sql, call.customer.customerId, templateNo)) === undefined) throw notFound();
        const patch = checkBody(SubmittedTemplateChanges, call.body, { defaults: false, refine: checkText });
        await requireChangeRate(deps, call);
        const context = actorContextFor(call);
        const outcome = await changeSubmitted(context, ownerOf(call), templateNo, patch, templates.nextId());
        if (outcome.kind === 'not_found') throw notFound();
        if (outcome.kind === 'too_many') throw tooManyPending();
        // When that fails the change stands all the same, and the next look of the snapshot brings it.
        if (outcome.isHeard) await templates.refreshSnapshot().catch(() => undefined);
        return renderOwnTemplate(outcome.template);
      },
    },
  ];
}

/** What cannot be stored names nothing that is stored. */
function templateNoOf(call: CustomerCall): string {
  rejectParameters(call.requestTarget);
  const templateNo = call.params.template_no ?? '';
  if (!isStorableText(templateNo)) throw notFound();
  return templateNo;
}

function checkText({ body }: { readonly body?: string | undefined }) {
  return body === undefined ? [] : checkTemplateBody(body);
}

function requireKnownFirms({ snapshot }: CustomerDeps, firms: readonly string[]): void {
  const known = new Set(
    snapshot
      .current()
      .firms()
      .map(({ firm }) => firm),
  );
  const missing = firms.filter((firm) => !known.has(firm));
  if (missing.length === 0) return;
  throw new Problem('firm_unavailable', errorText('firms_missing', { firms: missing.slice(0, 5).join(', ') }));
}

async function requireChangeRate({ limiter }: CustomerDeps, { customer }: CustomerCall): Promise<void> {
  const { allowed } = await limiter.take(`templates of ${customer.customerId}`, CHANGES_PER_SECOND);
  if (allowed) return;
  const quota = { name: 'template changes', count: CHANGES_PER_SECOND, windowSeconds: 1 };
  throw rateLimited(errorText('template_rate', { max: CHANGES_PER_SECOND }), quota, 1);
}

function tooManyPending(): Problem {
  const message = errorText('too_many_pending_templates', { count: MAX_PENDING_TEMPLATES });
  return invalidRequest([createFault('', 'too_many', message)]);
}

function renderOwnTemplate(template: Template) {
  const { template_no, created_at, updated_at } = template;
  const variables = parseTemplate(template.body).used;
  const values = Object.fromEntries(variables.map((name) => [name, `value of ${name}`]));
  const example = {
    template_no,
    phones: ['13800138000'],
    ...(variables.length === 0 ? {} : { variable_values: values }),
  };
  const fields = { ...pickFields(SubmittedTemplateFields, template), ...renderReviewState(template) };
  return { ...toPlain({ template_no, ...fields, created_at, updated_at }), variables, example };
}

/** The decision as webhooks deliver it. Only operators see who decided. */
export function renderReview(review: TemplateReview) {
  const { template_no, name, body, revision, decision, reason } = review;
  return {
    template_no,
    name,
    body,
    revision,
    decision,
    reason,
    status: decision === 'approved' ? 'active' : 'rejected',
    reviewed_at: timeOfId(review.review_id).toISOString(),
  };
}
