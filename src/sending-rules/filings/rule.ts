// Channels that carry only service accounts that are filed with them. Routing leaves the others out (`Snapshot.usableChannels`).

import type { Rule } from '../rule.js';

export const filings: Rule = {
  code: 'no_route',
  isOfChannel: true,
  recheck: ({ serviceAccountId }, channel, snapshot) =>
    channel === undefined || snapshot.isFiled(channel, serviceAccountId) ? undefined : () => true,
};
