// The operator revokes a grant in the middle of traffic, and restores it a little later: what is unsent goes over the other channel, and
// messages in progress wait.

import { setTimeout as sleep } from 'node:timers/promises';
import { PostriderError } from '@postrider/client';
import { operatorAt } from '../../support/campaign.js';
import type { Action } from './action.js';
import type { CampaignCustomer } from './customers.js';

const MAX_REVOKED_MS = 4000;

export const revokeAndGrant: Action = {
  name: 'revoke-and-grant',
  weight: 1,
  async run({ pickNode, dice, customers }) {
    for (const { customerNo, revocable } of customers) {
      const node = pickNode();
      if (revocable === undefined || !node.isAwake()) continue;
      // Either call may fail, and take effect all the same: `restoreGrants` comes in the end.
      const operator = operatorAt(node.url(), 3);
      await operator.revokeGrant(customerNo, revocable).catch(() => undefined);
      await sleep(dice.next() * MAX_REVOKED_MS);
      await operator.grantChannel(customerNo, revocable).catch(() => undefined);
    }
  },
};

export async function restoreGrants(url: string, customers: readonly CampaignCustomer[]): Promise<void> {
  for (const { customerNo, revocable } of customers) {
    if (revocable === undefined) continue;
    await operatorAt(url)
      .grantChannel(customerNo, revocable)
      .catch((error: unknown) => {
        // It is there.
        if (!(error instanceof PostriderError && error.status === 409)) throw error;
      });
  }
}
