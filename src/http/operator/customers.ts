import { formatNo } from '../../domain/id.js';
import { formatMoney } from '../../domain/money.js';
import { type Customer, changeCustomer, createCustomer, listCustomers } from '../../store/operator/customer.js';
import { oneOf } from '../list-query.js';
import { invalidRequest, notFound } from '../problem.js';
import { toMoney } from './amount.js';
import { CustomerAnswer } from './answers.js';
import { checkBody } from './check-body.js';
import {
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
  takeIn,
} from './operator-route.js';
import { ChangeCustomer, CreateCustomer } from './schemas.js';

const tag = 'Customers';

export function makeCustomerRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/customers',
      name: 'createCustomer',
      tag,
      summary: 'Create a customer',
      description: 'Its account is opened with it, empty.',
      body: { schema: CreateCustomer, example: { name: 'Ann', unit_price: '0.050000' } },
      answer: { status: 201, schema: CustomerAnswer, description: 'The customer with its `customer_no`.' },
      handle: async (call) => {
        const body = checkBody(CreateCustomer, call.body, { defaults: true });
        const customer = await createCustomer(deps.sql, formatNo('C', deps.nextId()), {
          ...body,
          credit_limit: toMoney(body.credit_limit),
          unit_price: toMoney(body.unit_price),
        });
        await takeIn(deps);
        return renderCustomer(customer);
      },
    }),
    defineOperation({
      method: 'PATCH',
      path: '/customers/{customer_no}',
      name: 'changeCustomer',
      tag,
      summary: 'Change a customer',
      description: 'A suspended customer is refused on every node within two seconds.',
      body: { schema: ChangeCustomer, example: { status: 'suspended' } },
      answer: { status: 200, schema: CustomerAnswer, description: 'The customer as it then is.' },
      handle: async (call) => {
        await requireCustomer(deps, call);
        const { credit_limit, unit_price, ...body } = checkBody(ChangeCustomer, call.body, { defaults: false });
        const changed = await changeCustomer(deps.sql, readParam(call, 'customer_no'), {
          ...body,
          ...(credit_limit === undefined ? {} : { credit_limit: toMoney(credit_limit) }),
          ...(unit_price === undefined ? {} : { unit_price: toMoney(unit_price) }),
        });
        if (changed.kind === 'not_found') throw notFound();
        if (changed.kind === 'currency_in_use') {
          const message = 'cannot change once money has moved: the ledger is in the old currency';
          throw invalidRequest([{ pointer: '/currency', code: 'out_of_range', message }]);
        }
        await takeIn(deps);
        deps.onCredited();
        return renderCustomer(changed.customer);
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/customers/{customer_no}',
      name: 'getCustomer',
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
        filters: { status: oneOf(['active', 'suspended'], 'Only with this status.') },
      },
      source: async (_, { filters }) => listCustomers(deps.sql, filters),
      render: renderCustomer,
    }),
  ];
}

function renderCustomer({ customer_no, terms, available, frozen, created_at, updated_at }: Customer) {
  return {
    customer_no,
    ...terms,
    credit_limit: formatMoney(terms.credit_limit),
    unit_price: formatMoney(terms.unit_price),
    account: { available: formatMoney(available), frozen: formatMoney(frozen) },
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
