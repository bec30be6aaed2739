// What a customer may use and what it pays for it: grants and prices.

import { GrantFields, PriceChanges, PriceFields } from '../../domain/entities/terms-of-use.js';
import { toPlain } from '../../domain/plain.js';
import { listFromArray } from '../../store/list.js';
import { createGrant, readGrants } from '../../store/operator/grant.js';
import { changePrice, createPrice, readPrices } from '../../store/operator/price.js';
import { checkBody } from '../check-body.js';
import { invalidRequest, notFound, Problem } from '../problem.js';
import { GrantAnswer, PriceAnswer } from './answers.js';
import {
  actorContextFor,
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  refreshConfiguration,
  requireCustomer,
} from './operator-route.js';
import { requireFirms } from './require-firms.js';

export function createTermsRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [...createGrantRoutes(deps), ...createPriceRoutes(deps)];
}

function createGrantRoutes(deps: OperatorDeps): OperatorRoute[] {
  const tag = 'Grants';
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/grants',
      name: 'createGrant',
      permission: 'configure',
      tag,
      summary: 'Let a customer use a channel',
      body: { schema: GrantFields },
      answer: { status: 201, schema: GrantAnswer, description: 'The grant.' },
      problems: ['already_exists'],
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const { channel_no } = checkBody(GrantFields, call.body, { defaults: true });
        const outcome = await createGrant(actorContextFor(deps, call), customer, channel_no);
        if (outcome.kind === 'no_channel') {
          throw invalidRequest([{ pointer: '/channel_no', code: 'out_of_range', message: 'there is no such channel' }]);
        }
        if (outcome.kind === 'exists')
          throw new Problem('already_exists', 'The customer may use this channel already.');
        await refreshConfiguration(deps);
        return toPlain(outcome.grant);
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

function createPriceRoutes(deps: OperatorDeps): OperatorRoute[] {
  const tag = 'Prices';
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/prices',
      name: 'createPrice',
      permission: 'configure',
      tag,
      summary: 'Price a firm for a customer',
      body: { schema: PriceFields, example: { firm: 'cmcc', unit_price: '0.045000' } },
      answer: { status: 201, schema: PriceAnswer, description: 'The price.' },
      problems: ['already_exists', 'firm_unavailable'],
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const terms = checkBody(PriceFields, call.body, { defaults: true });
        const { firm } = terms;
        await requireFirms(deps, [firm]);
        const price = await createPrice(actorContextFor(deps, call), customer, terms);
        if (price === undefined) {
          throw new Problem(
            'already_exists',
            `The customer has a price at ${firm}. Change it with PATCH prices/${firm}.`,
          );
        }
        await refreshConfiguration(deps);
        return toPlain(price);
      },
    }),
    defineOperation({
      method: 'PATCH',
      path: '/customers/{customer_no}/prices/{firm}',
      name: 'changePrice',
      permission: 'configure',
      tag,
      summary: 'Change a price',
      description: 'Numbers that were priced before keep their price.',
      body: { schema: PriceChanges },
      answer: { status: 200, schema: PriceAnswer, description: 'The price as it then is.' },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const { unit_price } = checkBody(PriceChanges, call.body, { defaults: true });
        const price = await changePrice(actorContextFor(deps, call), customer, {
          firm: readParam(call, 'firm'),
          unit_price,
        });
        if (price === undefined) throw notFound();
        await refreshConfiguration(deps);
        return toPlain(price);
      },
    }),
    defineList({
      path: '/customers/{customer_no}/prices',
      name: 'listPrices',
      item: PriceAnswer,
      tag,
      summary: 'List the prices of a customer',
      list: { name: 'prices', timed: false, filters: {}, isKey: () => true },
      source: async (call) => {
        const { customerId } = await requireCustomer(deps, call);
        return listFromArray(await readPrices(deps.sql, customerId), (price) => price.firm);
      },
      render: toPlain,
    }),
  ];
}
