// Where each table lives on a cluster. A new table goes into one of these lists; a test demands it.

/**
 * Distributed by bucket and colocated: the rows of one customer are on one machine. The last table is distributed last: it shows whether
 * the distribution is complete.
 */
export const DISTRIBUTED = [
  'audit_slice',
  'batch',
  'blocked_content',
  'bucket_fence',
  'cap_exemption',
  'cap_use',
  'chunk',
  'commit_mark',
  'delivery',
  'history_reader',
  'ledger_day',
  'ledger_entry',
  'ledger_sum',
  'opt_out',
  'receipt',
  'receipt_sum',
  'submit',
  'task',
  'template_review',
  'traffic_sum',
  'unknown_part',
  'uplink',
  'webhook',
  'webhook_attempt',
  'webhook_cursor',
  'account',
] as const;

/**
 * Those of them whose rows belong to no customer. Before the distribution there are no fences, and commit marks are of processes that have
 * ended: they stay in bucket 0, which every distribution has.
 */
export const WITHOUT_CUSTOMER: ReadonlySet<string> = new Set<(typeof DISTRIBUTED)[number]>([
  'bucket_fence',
  'commit_mark',
]);

/** Small, read everywhere, written by operators: a copy on every machine. What others refer to comes first. */
export const REFERENCE = [
  'bucket',
  'firm',
  'channel',
  'customer',
  'credential',
  'service_account',
  'template',
  'channel_grant',
  'price',
  'channel_cost',
  'filing',
  'blocked_words',
  'operator',
] as const;

/**
 * On the coordinator, and known to the cluster: a transaction over a table that it does not know and one that is spread out
 * would not be atomic.
 */
export const ON_COORDINATOR = [
  'config_version',
  'channel_fence',
  'channel_heartbeat',
  'channel_event',
  'channel_minute',
  'channel_test',
  'erasure',
  'onboarding',
  'unmatched_report',
  'unclaimed_uplink',
  'upstream_callback',
  'audit',
  'audit_run',
  'console_session',
  'console_user',
  'node',
  'passkey',
  'passkey_challenge',
  'recovery',
  'retention_month',
  'work_lease',
  'migration',
] as const;
