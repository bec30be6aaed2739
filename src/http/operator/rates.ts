// Price lists: what customers pay for a message part, and what a part costs us on a channel.

import { MAX_PAST_MS, RateChanges, RateFields, type RateTerms, type StoredRate } from '../../domain/entities/rate.js';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../domain/fault/fault.js';
import { toPlain } from '../../domain/plain.js';
import { listFromArray } from '../../store/list.js';
import type { ActorContext } from '../../store/operator/change.js';
import { readChannelId } from '../../store/operator/channel.js';
import { changeRate, createRate, type RateOwner, readRates } from '../../store/operator/rate.js';
import { checkBody } from '../body/check-body.js';
import { notFound, Problem } from '../problem/problem.js';
import { CostAnswer, PriceAnswer } from './answers.js';
import {
  defineChange,
  defineList,
  type OperatorCall,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
} from './operator-route.js';
import { requireFirms } from './routing/require-firms.js';

const CHOICE =
  'Of the rows that apply to a number the longest prefix wins, then the row of its class, then the latest `valid_from` that has come.';

export function createRateRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [...createPriceRoutes(deps), ...createCostRoutes(deps)];
}

function createPriceRoutes(deps: OperatorDeps): OperatorRoute[] {
  const tag = 'Prices';
  const path = '/customers/{customer_no}/prices';
  const ownerOf = async (call: OperatorCall): Promise<RateOwner> => {
    const { customerId, customer_no } = await requireCustomer(deps, call);
    return { kind: 'price', id: customerId, no: customer_no };
  };
  return [
    defineChange(deps, {
      method: 'POST',
      path,
      name: 'createPrice',
      tag,
      summary: 'Set the price of a carrier for a customer',
      description: `${CHOICE} The price of a number is that of the moment its task is prepared, and stays. Without \`valid_from\` it takes the place of the one that applies now.`,
      body: { schema: RateFields, example: { firm: 'cmcc', unit_price: '0.045000' } },
      answer: { status: 201, schema: PriceAnswer, description: 'The price.' },
      problems: ['already_exists', 'firm_unavailable'],
      change: async (call, context) => addRate(deps, call, context, await ownerOf(call)),
    }),
    defineChange(deps, {
      method: 'PATCH',
      path: `${path}/{firm}`,
      name: 'changePrice',
      tag,
      summary: 'Change a price',
      description:
        'The price of a carrier for every class and number that applies now. Numbers that were priced before keep their price.',
      body: { schema: RateChanges },
      answer: { status: 200, schema: PriceAnswer, description: 'The price as it then is.' },
      change: async (call, context) => {
        const owner = await ownerOf(call);
        const { unit_price } = checkBody(RateChanges, call.body, { defaults: true });
        return changeRate(context, owner, { firm: readParam(call, 'firm'), unit_price });
      },
      render: toPlain,
    }),
    defineList({
      path,
      name: 'listPrices',
      item: PriceAnswer,
      tag,
      summary: 'List the prices of a customer',
      description: 'What applies now and what is to come.',
      list: { name: 'prices', timed: false, filters: {}, isKey: () => true },
      source: async (call) => listFromArray(await readRates(deps.sql, await ownerOf(call)), keyOf),
      render: toPlain,
    }),
  ];
}

function createCostRoutes(deps: OperatorDeps): OperatorRoute[] {
  const tag = 'Costs';
  const path = '/channels/{channel_no}/costs';
  const ownerOf = async (call: OperatorCall): Promise<RateOwner> => {
    const no = readParam(call, 'channel_no');
    const id = await readChannelId(deps.sql, no);
    if (id === undefined) throw notFound();
    return { kind: 'cost', id, no };
  };
  return [
    defineChange(deps, {
      method: 'POST',
      path,
      name: 'createCost',
      tag,
      summary: 'Set the cost of a segment on a channel',
      description: `${CHOICE} A number costs what applied when it was handed over, and nothing where the upstream did not accept it. Costs are in the currency of the customers who use the channel.`,
      body: { schema: RateFields, example: { firm: 'cmcc', unit_price: '0.030000' } },
      answer: { status: 201, schema: CostAnswer, description: 'The cost.' },
      problems: ['already_exists', 'firm_unavailable'],
      change: async (call, context) => addRate(deps, call, context, await ownerOf(call)),
    }),
    defineList({
      path,
      name: 'listCosts',
      item: CostAnswer,
      tag,
      summary: 'List the costs of a channel',
      description: 'What applies now and what is to come.',
      list: { name: 'costs', timed: false, filters: {}, isKey: () => true },
      source: async (call) => listFromArray(await readRates(deps.sql, await ownerOf(call)), keyOf),
      render: toPlain,
    }),
  ];
}

async function addRate(deps: OperatorDeps, call: OperatorCall, context: ActorContext, owner: RateOwner) {
  const refine = ({ valid_from }: Partial<RateTerms>) => checkDate(valid_from, deps.now());
  const terms = checkBody(RateFields, call.body, { defaults: true, refine });
  await requireFirms(deps, [terms.firm]);
  const rate = await createRate(context, owner, withStoredPrefix(terms));
  if (rate === undefined) throw existingRate(owner, terms);
  return toPlain(rate);
}

/** Prefixes are stored as numbers are: digits alone. */
export function withStoredPrefix(terms: RateTerms): RateTerms {
  return { ...terms, prefix: terms.prefix?.replace('+', '') ?? null };
}

function existingRate({ kind }: RateOwner, { firm, valid_from }: RateTerms): Problem {
  if (valid_from !== null) return new Problem('already_exists', errorText('rate_exists', { firm }));
  return new Problem('already_exists', errorText(kind === 'cost' ? 'cost_exists' : 'price_exists', { firm }));
}

/** Numbers that were priced in the past keep their price. */
export function checkDate(validFrom: Date | null | undefined, nowMs: number): Fault[] {
  if (validFrom == null || validFrom.getTime() >= nowMs - MAX_PAST_MS) return [];
  return [createFault('/valid_from', 'out_of_range', errorText('in_past'))];
}

function keyOf(rate: StoredRate): string {
  return `${rate.firm} ${rate.class ?? ''} ${rate.prefix ?? ''} ${rate.valid_from.getTime()}`;
}
