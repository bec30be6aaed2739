// More room in a day, while tasks wait for it. A limit only rises, so that what was frozen tells whether it was kept.

import { operatorAt } from '../../support/campaign.js';
import type { Action } from './action.js';
import { priceOfParts } from './customers.js';

/** What the limits are raised to, one after another, in parts. */
const STEP_PARTS = 5;

export const raiseLimit: Action = {
  name: 'raise-limit',
  weight: 0.7,
  async run({ pickNode, customers, history }) {
    const limited = customers.find(({ dailyLimit }) => dailyLimit !== null);
    const node = pickNode();
    if (limited === undefined || !node.isAwake()) return;
    const { customerNo, name: customer, unitPrice, dailyLimit } = limited;
    const raised = history.calls('raise-limit').length + 1;
    const request = {
      daily_limit: (Number(dailyLimit) + Number(priceOfParts(unitPrice, raised * STEP_PARTS))).toFixed(6),
    };
    const startMs = history.nowMs();
    const status = await operatorAt(node.url(), 1)
      .updateCustomer(customerNo, request)
      .then(
        () => 200,
        () => 0,
      );
    const about = {
      kind: 'call',
      action: 'raise-limit',
      node: node.name,
      customer,
      method: 'PATCH',
      target: '',
    } as const;
    // Without an answer it may have been raised or not; the rule takes it for raised.
    history.add({ ...about, request, startMs, endMs: history.nowMs(), status });
  },
};
