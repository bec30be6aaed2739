// Money comes in while tasks wait for it. The reference makes repeating it harmless.

import { operatorAt } from '../../support/campaign.js';
import type { Action } from './action.js';
import { priceOfParts } from './customers.js';

export const topUp: Action = {
  name: 'top-up',
  weight: 1,
  async run({ pickNode, dice, customers, createRequestId }) {
    const poor = customers.at(-1);
    const node = pickNode();
    if (poor === undefined || !node.isAwake()) return;
    const amount = priceOfParts(poor.unitPrice, dice.pick([5, 10, 30]));
    const body = { amount, remark: 'More', reference: createRequestId() };
    // Not counted on: that the ledger shows it once or not at all is for the rules to find.
    await operatorAt(node.url(), 3)
      .topUp(poor.customerNo, body)
      .catch(() => undefined);
  },
};
