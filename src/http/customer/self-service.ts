// What the caller may send with: templates, service accounts and firms, and the numbers that want nothing more.

import { Type } from '@sinclair/typebox';
import type { CustomerConfig } from '../../domain/entities/customer.js';
import { FirmFields } from '../../domain/entities/firm.js';
import type { Template } from '../../domain/entities/template.js';
import { MAX_PHONE_LENGTH, normalisePhone, phoneKey } from '../../domain/phone.js';
import { toPlain } from '../../domain/plain.js';
import { parseTemplate, VARIABLE_NAMES } from '../../domain/template.js';
import { listFromArray, readList } from '../../store/list.js';
import { listOptOuts } from '../../store/operator/opt-out.js';
import { listServiceAccounts } from '../../store/operator/service-account.js';
import { listTemplates } from '../../store/operator/template.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { answerOf, OptOutAnswer, ServiceAccountAnswer, TemplateAnswer } from '../entity-answers.js';
import { type FilterSchemas, type ListDefinition, parseListQuery, renderList } from '../list-query.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './admit.js';
import type { CustomerDeps } from './deps.js';
import { exampleList, examples } from './examples.js';
import { listOf } from './schemas.js';

const OwnTemplateAnswer = answerOf(
  'OwnTemplate',
  {
    variables: Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...VARIABLE_NAMES] }), {
      description: 'Those that need a value.',
    }),
    example: Type.Record(Type.String(), Type.Unknown(), { description: 'A body of a send with this template.' }),
  },
  TemplateAnswer,
);

const UsableFirmAnswer = answerOf(
  'UsableFirm',
  { unit_price: Type.String({ description: 'Of one message part for the caller.' }), currency: Type.String() },
  FirmFields,
);

const templateList = { name: 'own-templates', timed: false, filters: {} } as const;
const accountList = { name: 'own-service-accounts', timed: false, filters: {} } as const;
const firmList = { name: 'own-firms', timed: false, filters: {}, isKey: () => true } as const;
const optOutList = {
  name: 'own-opt-outs',
  timed: false,
  filters: { phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH, description: 'Any spelling of it.' }) },
  isKey: (text: string) => /^-?\d{1,18}$/.test(text),
} as const;

export function selfServiceRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  const { sql, snapshot } = deps;
  return [
    {
      ...describe('templates', 'listOwnTemplates', 'List your templates', templateList),
      description: 'With the variables of each and a body to send it with. A disabled one cannot be sent.',
      answer: answerWith(OwnTemplateAnswer, examples.ownTemplate),
      handle: async ({ customer, requestTarget }) => {
        const { position } = parseListQuery(templateList, requestTarget);
        const templates = await readList(listTemplates(sql, customer.customerId), position);
        return renderList(templateList.name, templates, renderTemplate);
      },
    },
    {
      ...describe('service-accounts', 'listOwnServiceAccounts', 'List your service accounts', accountList),
      description: 'The addresses that your messages can come from.',
      answer: answerWith(ServiceAccountAnswer, examples.serviceAccount),
      handle: async ({ customer, requestTarget }) => {
        const { position } = parseListQuery(accountList, requestTarget);
        const accounts = await readList(listServiceAccounts(sql, customer.customerId), position);
        return renderList(accountList.name, accounts, ({ service_account_id: _, ...account }) => toPlain(account));
      },
    },
    {
      ...describe('firms', 'listUsableFirms', 'List the firms you can use', firmList),
      description:
        'Those that an active channel granted to you serves, by name, with what a message part costs you there.',
      answer: answerWith(UsableFirmAnswer, examples.usableFirm),
      handle: async ({ customer, requestTarget }) => {
        const { position } = parseListQuery(firmList, requestTarget);
        const firms = findUsableFirms(snapshot.current(), customer);
        return renderList(
          firmList.name,
          await readList(
            listFromArray(firms, ({ firm }) => firm),
            position,
          ),
          toPlain,
        );
      },
    },
    {
      ...describe('opt-outs', 'listOwnOptOuts', 'List the numbers that have opted out', optOutList),
      description: 'They are rejected with `opted_out` in every send of yours. In the order of the numbers.',
      answer: answerWith(OptOutAnswer, examples.optOut),
      handle: async ({ customer, requestTarget }) => {
        const { position, filters } = parseListQuery(optOutList, requestTarget);
        const { phone } = filters;
        const key = phone === undefined ? undefined : phoneKey(phone, normalisePhone(phone, deps.defaultRegion));
        const optOuts = await readList(listOptOuts(sql, customer, key), position);
        return renderList(optOutList.name, optOuts, ({ phone_key: _, ...optOut }) => toPlain(optOut));
      },
    },
  ];
}

function describe(noun: string, name: string, summary: string, list: ListDefinition<FilterSchemas>) {
  const path = `/openapi/v1/${noun}/`;
  return { method: 'GET', path, name, tag: 'Configuration', summary, list, problems: [] } as const;
}

function answerWith(item: typeof TemplateAnswer, example: object): Route<CustomerCall>['answer'] {
  return { status: 200, description: 'A page of the list.', schema: listOf(item), example: exampleList(example) };
}

function renderTemplate({ template_id: _, ...template }: Template) {
  const { template_no } = template;
  const variables = parseTemplate(template.body).used;
  const values = Object.fromEntries(variables.map((name) => [name, `value of ${name}`]));
  const example = {
    template_no,
    phones: ['13800138000'],
    ...(variables.length === 0 ? {} : { variable_values: values }),
  };
  return { ...toPlain(template), variables, example };
}

function findUsableFirms(snapshot: Snapshot, { customerId, currency }: CustomerConfig) {
  const served = new Set(snapshot.grantedChannels(customerId).flatMap((channel) => channel.firms));
  return snapshot
    .firms()
    .filter(({ firm }) => served.has(firm))
    .map((firm) => ({ ...firm, unit_price: snapshot.unitPrice(customerId, firm.firm), currency }))
    .sort((one, other) => (one.firm < other.firm ? -1 : 1));
}
