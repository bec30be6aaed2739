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
import { notFound } from '../../problem/problem.js';
import { ServiceAccountAnswer } from '../../resources/entity-answers.js';
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

const tag = 'Service accounts';

export function createServiceAccountRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/service-accounts',
      name: 'createServiceAccount',
      permission: 'configure',
      tag,
      summary: 'Create a service account',
      body: { schema: ServiceAccountFields, example: { name: 'Orders', sender: '10690001' } },
      answer: {
        status: 201,
        schema: ServiceAccountAnswer,
        description: 'The service account with its `service_account_no`.',
      },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const body = checkBody(ServiceAccountFields, call.body, { defaults: true });
        const account = await createServiceAccount(
          actorContextFor(deps, call),
          customer,
          formatNo('A', deps.nextId()),
          body,
        );
        await refreshConfiguration(deps);
        return renderServiceAccount(account);
      },
    }),
    defineOperation({
      method: 'PATCH',
      path: '/customers/{customer_no}/service-accounts/{service_account_no}',
      name: 'changeServiceAccount',
      permission: 'configure',
      tag,
      summary: 'Change a service account',
      body: { schema: ServiceAccountChanges, example: { status: 'disabled' } },
      answer: { status: 200, schema: ServiceAccountAnswer, description: 'The service account as it then is.' },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const serviceAccountNo = readParam(call, 'service_account_no');
        const body = checkBody(ServiceAccountChanges, call.body, { defaults: false });
        const account = await changeServiceAccount(actorContextFor(deps, call), customer, serviceAccountNo, body);
        if (account === undefined) throw notFound();
        await refreshConfiguration(deps);
        return renderServiceAccount(account);
      },
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
