// What a customer may use.

import { GrantFields } from '../../../domain/entities/terms-of-use.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { createFault } from '../../../domain/fault/fault.js';
import { toPlain } from '../../../domain/plain.js';
import { listFromArray } from '../../../store/list.js';
import { createGrant, readGrants, revokeGrant } from '../../../store/operator/grant.js';
import { checkBody } from '../../body/check-body.js';
import { invalidRequest, notFound, Problem } from '../../problem/problem.js';
import { GrantAnswer } from '../answers.js';
import {
  actorContextFor,
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  refreshConfiguration,
  requireCustomer,
} from '../operator-route.js';

export function createGrantRoutes(deps: OperatorDeps): OperatorRoute[] {
  const tag = 'Grants';
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/grants',
      name: 'createGrant',
      permission: 'configure',
      tag,
      summary: 'Grant a channel to a customer',
      body: { schema: GrantFields },
      answer: { status: 201, schema: GrantAnswer, description: 'The grant.' },
      problems: ['already_exists'],
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const { channel_no } = checkBody(GrantFields, call.body, { defaults: true });
        const outcome = await createGrant(actorContextFor(deps, call), customer, channel_no);
        if (outcome.kind === 'no_channel') {
          throw invalidRequest([createFault('/channel_no', 'out_of_range', errorText('unknown_channel'))]);
        }
        if (outcome.kind === 'exists') throw new Problem('already_exists', errorText('grant_exists'));
        await refreshConfiguration(deps);
        await deps.leaveChannels(customer);
        return toPlain(outcome.grant);
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/customers/{customer_no}/grants/{channel_no}',
      name: 'revokeGrant',
      permission: 'configure',
      tag,
      summary: 'Revoke a channel from a customer',
      description:
        'Nothing more is handed over there for the customer, on every node within two seconds; what is on the wire finishes. What is queued goes to other granted channels of its carrier, or waits for one of them to come up; numbers that none may carry are rejected with `no_route`. Grant the new channel before you revoke the old one.',
      answer: { status: 200, schema: GrantAnswer, description: 'The grant as it was.' },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const grant = await revokeGrant(actorContextFor(deps, call), customer, readParam(call, 'channel_no'));
        if (grant === undefined) throw notFound();
        await refreshConfiguration(deps);
        await deps.leaveChannels(customer);
        return toPlain(grant);
      },
    }),
    defineList({
      path: '/customers/{customer_no}/grants',
      name: 'listGrants',
      item: GrantAnswer,
      tag,
      summary: 'List the channels a customer may use',
      list: { name: 'grants', timed: false, filters: {}, isKey: () => true },
      source: async (call) => {
        const { customerId } = await requireCustomer(deps, call);
        return listFromArray(await readGrants(deps.sql, customerId), (grant) => grant.channel_no);
      },
      render: toPlain,
    }),
  ];
}
