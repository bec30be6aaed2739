import {
  type ServiceAccount,
  ServiceAccountChanges,
  ServiceAccountFields,
} from '../../../domain/entities/service-account.js';
import { formatNo } from '../../../domain/id.js';
import { toPlain } from '../../../domain/plain.js';
import {
  changeServiceAccount,
  createServiceAccount,
  listServiceAccounts,
  readServiceAccount,
} from '../../../store/operator/service-account.js';
import { checkBody } from '../../body/check-body.js';
import { ServiceAccountAnswer } from '../../resources/entity-answers.js';
import {
  defineChange,
  defineShowAndList,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
} from '../operator-route.js';

const tag = 'Service accounts';

export function createServiceAccountRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineChange(deps, {
      method: 'POST',
      path: '/customers/{customer_no}/service-accounts',
      name: 'createServiceAccount',
      tag,
      summary: 'Create a service account',
      body: { schema: ServiceAccountFields, example: { name: 'Orders', sender: '10690001' } },
      answer: {
        status: 201,
        schema: ServiceAccountAnswer,
        description: 'The service account with its `service_account_no`.',
      },
      change: async (call, context) => {
        const customer = await requireCustomer(deps, call);
        const body = checkBody(ServiceAccountFields, call.body, { defaults: true });
        return createServiceAccount(context, customer, formatNo('A', deps.nextId()), body);
      },
      render: renderServiceAccount,
    }),
    defineChange(deps, {
      method: 'PATCH',
      path: '/customers/{customer_no}/service-accounts/{service_account_no}',
      name: 'changeServiceAccount',
      tag,
      summary: 'Change a service account',
      body: { schema: ServiceAccountChanges, example: { status: 'disabled' } },
      answer: { status: 200, schema: ServiceAccountAnswer, description: 'The service account as it then is.' },
      change: async (call, context) => {
        const customer = await requireCustomer(deps, call);
        const serviceAccountNo = readParam(call, 'service_account_no');
        const body = checkBody(ServiceAccountChanges, call.body, { defaults: false });
        return changeServiceAccount(context, customer, serviceAccountNo, body);
      },
      render: renderServiceAccount,
    }),
    ...defineShowAndList({
      tag,
      path: '/customers/{customer_no}/service-accounts',
      key: 'service_account_no',
      item: ServiceAccountAnswer,
      render: renderServiceAccount,
      show: {
        name: 'getServiceAccount',
        summary: 'Show a service account',
        answer: 'The service account.',
        find: async (call, serviceAccountNo) =>
          readServiceAccount(deps.sql, (await requireCustomer(deps, call)).customerId, serviceAccountNo),
      },
      list: {
        name: 'listServiceAccounts',
        summary: 'List the service accounts of a customer',
        definition: { name: 'service-accounts', timed: false, filters: {} },
        source: async (call) => listServiceAccounts(deps.sql, (await requireCustomer(deps, call)).customerId),
      },
    }),
  ];
}

export function renderServiceAccount({ service_account_id: _, ...account }: ServiceAccount) {
  return toPlain(account);
}
