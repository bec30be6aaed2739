import type { CountedOutcome } from '../../design/outcomes.js';

type Search = Readonly<Record<string, string>>;

/** Where the rows behind a count are on the page of a task: receipts for what is settled, submitted parts for what is open. */
export const ROWS_BEHIND: Readonly<Record<CountedOutcome, Search>> = {
  delivered: { tab: 'receipts', result: 'delivered' },
  undelivered: { tab: 'receipts', result: 'undelivered' },
  expired: { tab: 'receipts', result: 'expired' },
  rejected: { tab: 'receipts', result: 'rejected' },
  cancelled: { tab: 'receipts', result: 'cancelled' },
  awaiting: { tab: 'submits', status: 'accepted' },
  unknown: { tab: 'submits', status: 'unknown' },
  unsent: { tab: 'unsent' },
};
