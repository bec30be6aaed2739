import { pickFields } from '../../../domain/entities/fields.js';
import {
  TEMPLATE_STATUSES,
  type Template,
  TemplateChanges,
  TemplateFields,
} from '../../../domain/entities/template.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { formatNo } from '../../../domain/id.js';
import { checkTemplateBody } from '../../../domain/message/template.js';
import { toPlain } from '../../../domain/plain.js';
import { MESSAGE_CLASSES } from '../../../domain/rules/message-class.js';
import {
  changeTemplate,
  createTemplate,
  listTemplates,
  readTemplate,
  type TemplateOutcome,
} from '../../../store/operator/templates/template.js';
import { checkBody } from '../../body/check-body.js';
import { notFound, Problem } from '../../problem/problem.js';
import { oneOf } from '../../query/list-query.js';
import { renderReviewState, TemplateAnswer } from '../../resources/entity-answers.js';
import {
  actorContextFor,
  defineOperation,
  defineShowAndList,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  refreshConfiguration,
  requireCustomer,
} from '../operator-route.js';
import { requireFirms } from '../routing/require-firms.js';

const tag = 'Templates';

export function createTemplateRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/templates',
      name: 'createTemplate',
      permission: 'configure',
      tag,
      summary: 'Create a template',
      body: {
        schema: TemplateFields,
        example: { name: 'Hello', body: 'Hello {p1}', service_account_no: 'A…', firms: ['cmcc'] },
      },
      answer: { status: 201, schema: TemplateAnswer, description: 'The template with its `template_no`.' },
      problems: ['service_account_unavailable', 'firm_unavailable'],
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const body = checkBody(TemplateFields, call.body, { defaults: true, refine: checkText });
        await requireFirms(deps, body.firms ?? []);
        const outcome = await createTemplate(actorContextFor(deps, call), customer, formatNo('M', deps.nextId()), body);
        return answer(deps, outcome);
      },
    }),
    defineOperation({
      method: 'PATCH',
      path: '/customers/{customer_no}/templates/{template_no}',
      name: 'changeTemplate',
      permission: 'configure',
      tag,
      summary: 'Change a template',
      description:
        'Another `class` also applies to what is queued and not sent yet; what is reserved keeps its price. Another `body` of a template that its customer submitted waits for review again.',
      body: { schema: TemplateChanges, example: { status: 'disabled' } },
      answer: { status: 200, schema: TemplateAnswer, description: 'The template as it then is.' },
      problems: ['service_account_unavailable', 'firm_unavailable'],
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const templateNo = readParam(call, 'template_no');
        if ((await readTemplate(deps.sql, customer.customerId, templateNo)) === undefined) throw notFound();
        const body = checkBody(TemplateChanges, call.body, { defaults: false, refine: checkText });
        await requireFirms(deps, body.firms ?? []);
        const context = actorContextFor(deps, call);
        const outcome = await changeTemplate(context, customer, templateNo, body, deps.nextId());
        const changed = await answer(deps, outcome);
        if (outcome.kind === 'ok' && body.class !== undefined) {
          await deps.requeueTemplate(customer, outcome.template.template_id, body.class);
        }
        return changed;
      },
    }),
    ...defineShowAndList({
      tag,
      path: '/customers/{customer_no}/templates',
      key: 'template_no',
      item: TemplateAnswer,
      render: renderTemplate,
      show: {
        name: 'getTemplate',
        summary: 'Show a template',
        answer: 'The template.',
        find: async (call, templateNo) =>
          readTemplate(deps.sql, (await requireCustomer(deps, call)).customerId, templateNo),
      },
      list: {
        name: 'listTemplates',
        summary: 'List the templates of a customer',
        definition: {
          name: 'templates',
          timed: false,
          filters: {
            class: oneOf(MESSAGE_CLASSES, 'Only of this class.'),
            status: oneOf(TEMPLATE_STATUSES, 'Only with this status.'),
          },
        },
        source: async (call, { filters }) =>
          listTemplates(deps.sql, (await requireCustomer(deps, call)).customerId, filters),
      },
    }),
  ];
}

export function checkText({ body }: { readonly body?: string | undefined }) {
  return body === undefined ? [] : checkTemplateBody(body);
}

async function answer(deps: OperatorDeps, outcome: TemplateOutcome) {
  if (outcome.kind === 'not_found') throw notFound();
  if (outcome.kind === 'no_service_account') {
    throw new Problem('service_account_unavailable', errorText('service_account_missing'));
  }
  await refreshConfiguration(deps);
  return renderTemplate(outcome.template);
}

/** Field by field, as the answer has them. */
export function renderTemplate(template: Template) {
  const { template_no, created_at, updated_at } = template;
  const fields = { ...pickFields(TemplateFields, template), ...renderReviewState(template) };
  return toPlain({ template_no, ...fields, created_at, updated_at });
}
