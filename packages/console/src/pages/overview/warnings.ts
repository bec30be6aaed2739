// What will stop sends or events soon, or has stopped them: money, webhooks, keys, templates. These change by the day, so they are
// read less often than what waits.

import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCustomer } from '../../api/clients.js';
import { isExpiring, mayCall, mayManageKeys } from '../../api/customer-scopes.js';
import { readOr } from '../../api/query-client.js';
import { readStatistics } from '../../api/statistics.js';
import { addAmounts, findFree, toMillionths } from '../../format/money.js';
import { currentSessions } from '../../session/session.js';

const DAY_MS = 86_400_000;
const PAGE = { pageSize: 100 } as const;

export interface Warnings {
  /** The balance covers less than what the last 24 hours cost. */
  readonly isBalanceLow: boolean;
  readonly failingWebhooks: number;
  readonly expiringKeys: number;
  readonly rejectedTemplates: readonly string[];
  /** Nothing was ever sent: the steps to the first message are shown, those that are done marked. */
  readonly firstSteps: FirstSteps | undefined;
}

export interface FirstSteps {
  /** Undefined for a user who may not see money. */
  readonly hasFunds: boolean | undefined;
  readonly hasTemplate: boolean;
  readonly hasWebhook: boolean;
}

export function warningsQuery(client: PostriderClient) {
  return queryOptions({
    queryKey: ['warnings'],
    queryFn: async ({ signal }): Promise<Warnings> => {
      const { customer } = currentSessions();
      const nowMs = Date.now();
      const lastDay = { startAt: new Date(nowMs - DAY_MS), endAt: new Date(nowMs) };
      const none = { items: [] };
      const [account, spent, webhooks, keys, templates, tasks] = await Promise.all([
        mayCall(customer, 'finance') ? readOr(client.account({ signal }), undefined) : undefined,
        readOr(readStatistics(client, 'firm', lastDay, signal), []),
        mayCall(customer, 'webhooks') ? readOr(client.webhooks({ signal }).page(), none) : none,
        mayManageKeys(customer) ? readOr(client.credentials({ ...PAGE, signal }).page(), none) : none,
        readOr(client.templates({ ...PAGE, signal }).page(), none),
        readOr(client.tasks({ pageSize: 1, signal }).page(), undefined),
      ]);
      const cost = toMillionths(addAmounts('0', ...spent.map(({ charged }) => charged)));
      const free = account === undefined ? undefined : toMillionths(findFree(account));
      return {
        isBalanceLow: free !== undefined && cost > 0n && free < cost,
        failingWebhooks: webhooks.items.filter(
          ({ status, disabled_reason: reason, progress }) =>
            (status === 'disabled' && reason !== null) ||
            (status === 'active' && progress.some(({ failing_since: since }) => since !== null)),
        ).length,
        expiringKeys: keys.items.filter((key) => isExpiring(key, nowMs)).length,
        rejectedTemplates: templates.items.filter(({ status }) => status === 'rejected').map(({ name }) => name),
        firstSteps:
          tasks?.total === 0
            ? {
                hasFunds: free === undefined ? undefined : free > 0n,
                hasTemplate: templates.items.some(({ status }) => status === 'active'),
                hasWebhook: webhooks.items.length > 0,
              }
            : undefined,
      };
    },
  });
}

export function useWarnings() {
  return useQuery({ ...warningsQuery(useCustomer()), refetchInterval: 60_000 });
}
