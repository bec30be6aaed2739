// "What happened to my message to this number?", asked of the operator, who does not know yet whose message it was.

import { Type } from '@sinclair/typebox';
import { formatNo, timeOfId } from '../../domain/id.js';
import { MAX_PHONE_LENGTH, normalisePhone, phoneKey, type Region } from '../../domain/phone/phone.js';
import type { ListSource } from '../../store/list.js';
import { isNumberCustomerKey, listNumberCustomers, type NumberCustomer } from '../../store/number/number-customers.js';
import { recordAudit } from '../../store/operator/change.js';
import { notFound } from '../problem/problem.js';
import { oneOf } from '../query/list-query.js';
import { answerOf, orNull, Time } from '../resources/entity-answers.js';
import { defineList, type OperatorDeps, type OperatorRoute, readParam } from './operator-route.js';

const NumberCustomerAnswer = answerOf(
  {
    $id: 'NumberCustomer',
    description: 'A customer that sent to a number or got replies from it, and the last event.',
  },
  {
    customer_no: orNull(Type.String()),
    name: orNull(Type.String({ description: 'Of the customer.' })),
    phone: Type.String({ description: 'As the customer wrote it, or the address a reply came from.' }),
    event: oneOf(
      ['receipt', 'submit', 'uplink'],
      'What happened last: the number got its outcome, a segment of a message went out to it, or it wrote back.',
    ),
    status: orNull(
      Type.String({ description: 'The `result` of a receipt, the `status` of a submit record; null for a reply.' }),
    ),
    code: orNull(Type.String({ description: 'The upstream’s own code.' })),
    task_no: orNull(Type.String({ description: 'Null for a reply that answers no task.' })),
    at: Time(),
    opted_out_at: orNull(Time()),
  },
);

export function createNumberRoute(deps: OperatorDeps): OperatorRoute {
  return defineList({
    path: '/numbers/{phone}/customers',
    name: 'listNumberCustomers',
    item: NumberCustomerAnswer,
    tag: 'Records',
    summary: 'List the customers that sent to a number or got replies from it',
    description:
      'Of all customers, the one with the newest news first, each with the last thing that happened. Any spelling of the number will do. A number that is still to be handed over is in no record yet. Each call is in the audit log as `number.find`. Read the rest as the customer: `POST customers/{customer_no}/views`.',
    list: { name: 'number-customers', timed: false, filters: {}, isKey: isNumberCustomerKey },
    source: async (call) => {
      const phone = readParam(call, 'phone');
      if (phone.length > MAX_PHONE_LENGTH) throw notFound();
      const normalised = normaliseAnySpelling(phone, deps.defaultRegion);
      const subject = normalised === undefined ? phone : `+${normalised}`;
      const audited = recordAudit(deps.sql, call.actor, { action: 'number.find', subject, change: {} });
      const list = listNumberCustomers(deps.readers, deps.snapshot.current().buckets(), phoneKey(phone, normalised));
      return showAfter(audited, list);
    },
    render: (found) => renderFound(deps, found),
  });
}

/** Every lookup of a number is in the audit log: it is written during the lookup, and nothing is shown before. */
function showAfter<Row>(audited: Promise<unknown>, list: ListSource<Row>): ListSource<Row> {
  return {
    ...list,
    rows: async (bounds) => {
      const [rows] = await Promise.all([list.rows(bounds), audited]);
      return rows;
    },
  };
}

/** Also as upstreams spell it: the country code without a plus sign, where that is no number at home. */
function normaliseAnySpelling(phone: string, region: Region): string | undefined {
  return normalisePhone(phone, region) ?? (/^\d+$/.test(phone) ? normalisePhone(`+${phone}`, region) : undefined);
}

function renderFound({ snapshot }: OperatorDeps, found: NumberCustomer) {
  const { customerId, phone, event, status, code, taskId, eventId, optedOutAt } = found;
  const customer = snapshot.current().customer(customerId);
  return {
    customer_no: customer?.customerNo ?? null,
    name: customer?.name ?? null,
    phone,
    event,
    status,
    code,
    task_no: taskId === null ? null : formatNo('T', taskId),
    at: timeOfId(eventId).toISOString(),
    opted_out_at: optedOutAt?.toISOString() ?? null,
  };
}
