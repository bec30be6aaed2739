import { Type } from '@sinclair/typebox';
import { type Customer, CustomerChanges, NewCustomerFields } from '../../../domain/entities/customer.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../../domain/fault/fault.js';
import { formatNo } from '../../../domain/id.js';
import { toPlain } from '../../../domain/plain.js';
import { checkSendWindows } from '../../../domain/rules/check-send-windows.js';
import { NoSuchBucketError } from '../../../store/operator/choose-bucket.js';
import { changeCustomer, createCustomer, knowsTimeZone, listCustomers } from '../../../store/operator/customer.js';
import { checkBody } from '../../body/check-body.js';
import { invalidRequest, notFound } from '../../problem/problem.js';
import { oneOf } from '../../query/list-query.js';
import { requirePermission } from '../admit.js';
import { CustomerAnswer } from '../answers.js';
import {
  actorContextFor,
  defineChange,
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  refreshConfiguration,
  requireCustomer,
} from '../operator-route.js';

const tag = 'Customers';

export function createCustomerRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineChange(deps, {
      method: 'POST',
      path: '/customers',
      name: 'createCustomer',
      tag,
      summary: 'Create a customer',
      description: 'Its account is opened with it, empty.',
      body: { schema: NewCustomerFields, example: { name: 'Ann', unit_price: '0.050000' } },
      answer: { status: 201, schema: CustomerAnswer, description: 'The customer with its `customer_no`.' },
      change: async (call, context) => {
        const { bucket, ...terms } = checkBody(NewCustomerFields, call.body, {
          defaults: true,
          refine: () => checkRules(call.body),
        });
        await requireTimeZone(deps, terms.billing_time_zone);
        const customerNo = formatNo('C', deps.nextId());
        return createCustomer(context, customerNo, terms, bucket).catch((error) => explainBucket(error));
      },
      render: renderCustomer,
    }),
    defineOperation({
      method: 'PATCH',
      path: '/customers/{customer_no}',
      name: 'changeCustomer',
      permission: 'suspend',
      tag,
      summary: 'Change a customer',
      description:
        'A suspended customer is refused on every node within two seconds. `support` may change the status; everything else takes `admin`.',
      body: { schema: CustomerChanges, example: { status: 'suspended' } },
      answer: { status: 200, schema: CustomerAnswer, description: 'The customer as it then is.' },
      handle: async (call) => {
        await requireCustomer(deps, call);
        const body = checkBody(CustomerChanges, call.body, { defaults: false, refine: () => checkRules(call.body) });
        if (Object.keys(body).some((field) => field !== 'status')) requirePermission(call, 'configure');
        if (body.billing_time_zone !== undefined) await requireTimeZone(deps, body.billing_time_zone);
        const changed = await changeCustomer(actorContextFor(deps, call), readParam(call, 'customer_no'), body);
        if (changed.kind === 'not_found') throw notFound();
        if (changed.kind === 'currency_in_use') {
          const message = errorText('currency_fixed');
          throw invalidRequest([createFault('/currency', 'out_of_range', message)]);
        }
        await refreshConfiguration(deps);
        deps.onCredited();
        return renderCustomer(changed.customer);
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/customers/{customer_no}',
      name: 'getCustomer',
      permission: 'read',
      tag,
      summary: 'Show a customer',
      answer: { status: 200, schema: CustomerAnswer, description: 'The customer.' },
      handle: async (call) => renderCustomer(await requireCustomer(deps, call)),
    }),
    defineList({
      path: '/customers',
      name: 'listCustomers',
      item: CustomerAnswer,
      tag,
      summary: 'List customers',
      list: {
        name: 'customers',
        timed: false,
        filters: {
          status: oneOf(['active', 'suspended'], 'Only with this status.'),
          name: Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'Only with a name that begins so, in upper or lower case; in the order of names.',
          }),
        },
      },
      source: async (_, { filters: { status, name } }) => listCustomers(deps.sql, { status, nameStart: name }),
      render: renderCustomer,
    }),
  ];
}

function checkRules(body: unknown): readonly Fault[] {
  return checkSendWindows(body);
}

async function requireTimeZone(deps: OperatorDeps, name: string): Promise<void> {
  const faults = await findTimeZoneFaults(deps, name);
  if (faults.length > 0) throw invalidRequest(faults);
}

export async function findTimeZoneFaults({ sql }: OperatorDeps, name: string): Promise<Fault[]> {
  if (name === 'UTC' || (await knowsTimeZone(sql, name))) return [];
  return [createFault('/billing_time_zone', 'out_of_range', errorText('unknown_time_zone'))];
}

export function explainBucket(error: unknown, parent = ''): never {
  if (!(error instanceof NoSuchBucketError)) throw error;
  throw invalidRequest([createFault(`${parent}/bucket`, 'out_of_range', errorText('unknown_bucket'))]);
}

export function renderCustomer({ bucket, customer_no, terms, available, frozen, created_at, updated_at }: Customer) {
  return toPlain({ customer_no, ...terms, bucket, account: { available, frozen }, created_at, updated_at });
}
