-- The schema. Money is bigint millionths of the customer's currency.
-- Ids of tenant rows are `milliseconds << 20 | 20 bits`, so that the one key (bucket, customer_id, id) serves newest-first order,
-- cursors and time filters.

-- A database that is not the embedded one has PostgreSQL's defaults: vacuum comes after a fifth of a table has changed, which is hours for a
-- queue that turns over every second. So the tables that are updated all the time carry the settings of the embedded server.

-- Configuration. Small tables, read everywhere. Each row carries the configuration version that last changed it, so that a process
-- refreshes its snapshot by reading only what is newer than it has seen.

create table config_version (
  only_row boolean default true not null,
  version bigint not null,
  -- A value sealed under the secret key, so that a process with another key is refused also while nothing else is sealed.
  secret_key_check bytea,
  -- The key of the hashes of erased numbers, sealed. It stays the same when the secret key is rotated.
  erasure_key_sealed bytea,
  constraint config_version_only_row_check check (only_row),
  constraint config_version_pkey primary key (only_row)
);
insert into config_version (version) values (0);

-- The buckets that a customer can belong to: one on a single PostgreSQL, one a shard on a cluster.
create table bucket (
  bucket smallint not null,
  constraint bucket_pkey primary key (bucket)
);
insert into bucket values (0);

create table firm (
  firm text not null,
  name text not null,
  prefixes text[] default '{}' not null,
  version bigint not null,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  constraint firm_pkey primary key (firm)
);
create index firm_version on firm (version);

create table channel (
  channel_id bigint generated always as identity not null,
  channel_no text not null,
  name text not null,
  kind text not null,
  firms text[] not null,
  status text not null,
  parts_per_second integer,
  config jsonb not null,
  secret_sealed bytea,
  version bigint not null,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  -- Refusals after which a number goes to the next granted channel of its firm.
  failover_codes text[] default '{}' not null,
  -- Of its callback addresses; null for kinds that have none.
  callback_token text,
  -- The one before, which works until then.
  old_callback_token text,
  old_callback_token_until timestamptz,
  -- It carries only what is filed with it.
  requires_filing boolean default false not null,
  constraint channel_channel_no_key unique (channel_no),
  constraint channel_parts_per_second_check check (parts_per_second > 0),
  constraint channel_pkey primary key (channel_id),
  constraint channel_status_check check (status in ('active', 'disabled'))
);
create index channel_version on channel (version);

create table customer (
  customer_id bigint generated always as identity not null,
  customer_no text not null,
  name text not null,
  status text not null,
  currency text not null,
  billing_mode text not null,
  credit_limit bigint not null,
  charge_on text not null,
  refund_on_failure boolean not null,
  unit_price bigint not null,
  policy_prepare text not null,
  policy_freeze text not null,
  policy_submit text not null,
  requests_per_second integer not null,
  version bigint not null,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  -- The unit in which work is batched and placed on machines. On a single PostgreSQL there is one, number 0. Tenant keys start with it.
  bucket smallint default 0 not null,
  daily_limit bigint,
  low_balance bigint,
  -- What a customer may have waiting: accepted and not sent. Without an end, one without money could fill the disk with tasks for later.
  waiting_tasks_limit integer default 500000 not null,
  waiting_numbers_limit integer default 10000000 not null,
  waiting_mebibytes_limit integer default 1024 not null,
  -- When messages of a class may be handed over.
  send_windows jsonb default '[]' not null,
  -- How often a number may be sent to.
  caps jsonb default '[]' not null,
  -- Days and months of statements and statistics follow it.
  billing_time_zone text default 'UTC' not null,
  constraint customer_billing_mode_check check (billing_mode in ('prepaid', 'postpaid')),
  constraint customer_charge_on_check check (charge_on in ('submit', 'delivery')),
  constraint customer_credit_limit_check check (credit_limit >= 0),
  constraint customer_customer_no_key unique (customer_no),
  constraint customer_daily_limit_check check (daily_limit >= 0),
  constraint customer_pkey primary key (customer_id),
  constraint customer_policy_freeze_check check (policy_freeze in ('by_request', 'always', 'manual')),
  constraint customer_policy_prepare_check check (policy_prepare in ('by_request', 'always', 'manual')),
  constraint customer_policy_submit_check check (policy_submit in ('by_request', 'always', 'manual')),
  constraint customer_requests_per_second_check check (requests_per_second > 0),
  constraint customer_status_check check (status in ('active', 'suspended')),
  constraint customer_unit_price_check check (unit_price >= 0),
  constraint customer_waiting_tasks_limit_check check (waiting_tasks_limit > 0),
  constraint customer_waiting_numbers_limit_check check (waiting_numbers_limit > 0),
  constraint customer_waiting_mebibytes_limit_check check (waiting_mebibytes_limit > 0)
);
create index customer_version on customer (version);
-- Customers by the beginning of their name, in the order of names. Compared by bytes: a range is then a prefix.
create index customer_name_start on customer (lower(name) collate "C", customer_id);

create table credential (
  api_key text not null,
  customer_id bigint not null,
  secret_sealed bytea not null,
  ip_allow text[] default '{}' not null,
  status text not null,
  version bigint not null,
  created_at timestamptz default now() not null,
  revoked_at timestamptz,
  -- What a key may be used for.
  scopes text[] default '{send,read,finance,webhooks}' not null,
  name text,
  expires_at timestamptz,
  last_used_at timestamptz,
  constraint credential_customer_id_fkey foreign key (customer_id) references customer(customer_id),
  constraint credential_pkey primary key (api_key),
  constraint credential_status_check check (status in ('active', 'revoked'))
);
create index credential_customer on credential (customer_id, created_at);
create index credential_version on credential (version);

create table service_account (
  service_account_id bigint generated always as identity not null,
  service_account_no text not null,
  customer_id bigint not null,
  name text not null,
  sender text not null,
  status text not null,
  version bigint not null,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  signature text,
  signature_position text default 'head' not null,
  constraint service_account_customer_id_fkey foreign key (customer_id) references customer(customer_id),
  constraint service_account_pkey primary key (service_account_id),
  constraint service_account_service_account_no_key unique (service_account_no),
  constraint service_account_status_check check (status in ('active', 'disabled')),
  constraint service_account_signature_position_check check (signature_position in ('head', 'tail'))
);
create index service_account_customer on service_account (customer_id, service_account_id);
create index service_account_version on service_account (version);

create table template (
  template_id bigint generated always as identity not null,
  template_no text not null,
  customer_id bigint not null,
  name text not null,
  body text not null,
  service_account_id bigint not null,
  -- Null: approved for every firm.
  firms text[],
  status text not null,
  version bigint not null,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  -- What HTTP upstreams call it.
  upstream_codes jsonb default '{}' not null,
  -- What its messages are for. It decides which go first on a channel.
  class text default 'notice' not null,
  -- Null: made by an operator, nothing to review.
  review text,
  revision integer default 1 not null,
  submission_id bigint,
  reason text,
  reviewed_at timestamptz,
  approved_body text,
  constraint template_customer_id_fkey foreign key (customer_id) references customer(customer_id),
  constraint template_pkey primary key (template_id),
  constraint template_service_account_id_fkey foreign key (service_account_id) references service_account(service_account_id),
  constraint template_status_check check (status in ('active', 'disabled')),
  constraint template_template_no_key unique (template_no),
  constraint template_class_check check (class in ('otp', 'notice', 'promotion')),
  constraint template_review_check check (review in ('pending', 'approved', 'rejected'))
);
create index template_customer on template (customer_id, template_id);
create index template_version on template (version);
create index template_to_review on template (submission_id) where review = 'pending';

-- Decisions, numbered with the records of their customer: webhooks read them.
create table template_review (
  bucket smallint not null default 0,
  customer_id bigint not null,
  review_id bigint not null,
  template_id bigint not null,
  template_no text not null,
  name text not null,
  body text not null,
  revision integer not null,
  decision text not null check (decision in ('approved', 'rejected')),
  reason text,
  actor text not null,
  primary key (bucket, customer_id, review_id)
);
create index template_review_template on template_review (bucket, customer_id, template_id, review_id);

create table channel_grant (
  customer_id bigint not null,
  channel_id bigint not null,
  version bigint not null,
  created_at timestamptz default now() not null,
  -- A revoked grant stays as a row, so that processes that read what has changed since a version learn of it.
  revoked_at timestamptz,
  constraint channel_grant_channel_id_fkey foreign key (channel_id) references channel(channel_id),
  constraint channel_grant_customer_id_fkey foreign key (customer_id) references customer(customer_id),
  constraint channel_grant_pkey primary key (customer_id, channel_id)
);
create index channel_grant_version on channel_grant (version);

-- With which channels the signature of a service account is filed, and words that no text may contain.
create table filing (
  service_account_id bigint not null references service_account (service_account_id),
  channel_id bigint not null references channel (channel_id),
  status text not null check (status in ('pending', 'filed', 'rejected')),
  reason text,
  -- What was filed: a filing holds for this signature only.
  signature text,
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (service_account_id, channel_id)
);
create index filing_version on filing (version);

create table blocked_words (
  blocked_word_no text primary key,
  customer_id bigint references customer (customer_id),
  words text[] not null,
  -- Rows stay, so that every process hears of the removal.
  removed_at timestamptz,
  version bigint not null,
  created_at timestamptz not null default now()
);
create index blocked_words_version on blocked_words (version);

-- Which words numbers of a task were rejected for. Customers do not see it.
create table blocked_content (
  bucket smallint not null default 0,
  customer_id bigint not null,
  task_id bigint not null,
  word text not null,
  numbers integer not null,
  primary key (bucket, customer_id, task_id, word)
);

create table price (
  customer_id bigint not null,
  firm text not null,
  unit_price bigint not null,
  version bigint not null,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  -- An empty class or prefix stands for all of them: both are part of the key.
  class text default '' not null,
  prefix text default '' not null,
  valid_from timestamptz default now() not null,
  constraint price_customer_id_fkey foreign key (customer_id) references customer(customer_id),
  constraint price_firm_fkey foreign key (firm) references firm(firm),
  constraint price_pkey primary key (customer_id, firm, class, prefix, valid_from),
  constraint price_unit_price_check check (unit_price >= 0),
  constraint price_class_check check (class in ('', 'otp', 'notice', 'promotion'))
);
create index price_version on price (version);

-- What a part costs us on a channel.
create table channel_cost (
  channel_id bigint not null references channel (channel_id),
  firm text not null references firm (firm),
  class text not null default '' check (class in ('', 'otp', 'notice', 'promotion')),
  prefix text not null default '',
  valid_from timestamptz not null default now(),
  unit_price bigint not null check (unit_price >= 0),
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (channel_id, firm, class, prefix, valid_from)
);
create index channel_cost_version on channel_cost (version);

-- Operators by name: each has a role and a token of its own, of which only the hash is stored. Those that are removed stay,
-- because the audit log knows operators by name and a name must mean one person for ever.
create table operator (
  operator_id bigint generated always as identity not null,
  operator_no text not null,
  name text not null,
  role text not null,
  status text not null,
  token_hash text not null,
  version bigint not null,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  constraint operator_name_key unique (name),
  constraint operator_operator_no_key unique (operator_no),
  constraint operator_pkey primary key (operator_id),
  constraint operator_role_check check (role in ('admin', 'support', 'finance', 'viewer')),
  constraint operator_status_check check (status in ('active', 'removed')),
  constraint operator_token_hash_key unique (token_hash)
);
create index operator_version on operator (version);

create table audit (
  audit_id bigint generated always as identity not null,
  at timestamptz default now() not null,
  actor text not null,
  action text not null,
  subject text not null,
  change jsonb not null,
  constraint audit_pkey primary key (audit_id)
);
create index audit_action on audit (action, at, audit_id);
create index audit_actor on audit (actor, at, audit_id);
-- The audit log is asked who did it, what was done, and to what, each within a time.
create index audit_at on audit (at, audit_id);
create index audit_subject on audit (subject, at, audit_id);

-- People who sign in to the console, and their sessions.

create table console_user (
  user_id bigint primary key,
  user_no text not null unique,
  side text not null check (side in ('operator', 'customer')),
  -- Null for operators.
  customer_id bigint,
  email text not null,
  name text not null,
  role text not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  -- Null until the invitation is accepted, and for people who sign in elsewhere. Carries its own cost parameters.
  password_hash text,
  accepted_at timestamptz,
  -- SHA-256 of the token in the link; null when none is open.
  invitation_hash text unique,
  invitation_expires_at timestamptz,
  -- As with the invitation, for who has forgotten the password.
  password_reset_hash text unique,
  password_reset_expires_at timestamptz,
  last_signed_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Second factors: codes of an authenticator app, sealed under the secret key, and recovery codes.
  totp_sealed bytea,
  -- Null while a code of the app has not been seen yet.
  totp_confirmed_at timestamptz,
  -- The last step whose code was taken: none is taken twice.
  totp_last_step bigint not null default 0,
  -- SHA-256 of each code that is left.
  recovery_hashes text[] not null default '{}',
  -- Codes that were tried since the last right one, where every process sees them.
  second_factor_tries integer not null default 0,
  second_factor_tried_at timestamptz,
  -- The issuer and its name for the person who signs in with an OpenID provider, set by the first such sign-in.
  oidc_subject text,
  -- The topics of the person's email notifications, and the notices of the last look; null before the first.
  notice_topics text[] not null default '{}',
  noticed text[],
  check ((side = 'customer') = (customer_id is not null))
);
create unique index console_user_email on console_user (side, lower(email));
create unique index console_user_oidc_subject on console_user (side, oidc_subject);
create index console_user_customer on console_user (customer_id, user_id);

create table console_session (
  -- SHA-256 of the token in the cookie.
  token_hash text primary key,
  session_no text not null unique,
  user_id bigint not null,
  -- How the person proved who they are.
  method text not null,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now()
);
create index console_session_user on console_session (user_id, created_at);

-- Passkeys (WebAuthn credentials), and the challenges that were answered.

create table passkey (
  -- As the authenticator names it, in base64url.
  credential_id text primary key,
  passkey_no text not null unique,
  user_id bigint not null,
  name text not null,
  -- In COSE form.
  public_key bytea not null,
  -- How often the authenticator has signed; zero where it does not count.
  sign_count bigint not null,
  -- How browsers reach the authenticator, as a hint.
  transports text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkey_user on passkey (user_id, created_at);

-- Each challenge works once. A row is deleted when the challenge would have expired anyway.
create table passkey_challenge (
  challenge_hash text primary key,
  expires_at timestamptz not null
);
create index passkey_challenge_expiry on passkey_challenge (expires_at);

-- Money. Numbers that follow the order of commits (ledger entries, records, queue positions) come from the account row, under its lock.

-- The account row is also the lock under which everything of one customer that moves money or changes a chunk is written.
create table account (
  customer_id bigint not null,
  available bigint default 0 not null,
  frozen bigint default 0 not null,
  -- What available may fall below zero by; zero for prepaid customers.
  credit_limit bigint default 0 not null,
  entry_seq bigint default 0 not null,
  bucket smallint default 0 not null,
  -- The id of the newest submit, delivery, receipt or uplink: ids of one customer rise in the order of commits.
  record_id bigint default 0 not null,
  -- How many submit records were made: what a bucket has sent.
  submit_seq bigint default 0 not null,
  -- The place of the chunk that was queued last.
  queue_seq bigint default 0 not null,
  -- Money came in: tasks that wait for it are to be tried again.
  wants_refreeze boolean default false not null,
  -- What was frozen on a day (UTC), for customers with a limit.
  frozen_on date,
  frozen_that_day bigint default 0 not null,
  -- Whether the ends of this customer's tasks are numbered, because a webhook notifies of them.
  notifies_finished boolean default false not null,
  -- The daily limit is decided on under the account's lock, so it lies in the account's row, like the credit limit.
  daily_limit bigint,
  -- Whether the customer has cursors: where it has none, recording need not mark any.
  has_webhooks boolean default false not null,
  -- Whether sends of the customer are counted, or were: a rejected number is then taken out of the count.
  counts_sends boolean default false not null,
  -- When a number last opted out: numbers of tasks that were accepted before are checked again when they are sent.
  opted_out_at timestamptz,
  constraint account_credit_limit_check check (credit_limit >= 0),
  constraint account_daily_limit_check check (daily_limit >= 0),
  constraint account_frozen_check check (frozen >= 0),
  constraint account_pkey primary key (bucket, customer_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);
create index account_refreeze on account (bucket, customer_id) where wants_refreeze;

create table ledger_entry (
  customer_id bigint not null,
  seq bigint not null,
  type text not null,
  amount bigint not null,
  task_id bigint,
  numbers integer,
  available_delta bigint not null,
  frozen_delta bigint not null,
  available_after bigint not null,
  frozen_after bigint not null,
  remark text,
  reference text,
  created_at timestamptz not null,
  bucket smallint default 0 not null,
  constraint ledger_entry_check check (type in ('topup', 'adjustment') or (task_id is not null and numbers > 0)),
  constraint ledger_entry_check1 check (type = 'adjustment' or amount > 0),
  constraint ledger_entry_check2 check (case type when 'freeze' then ((available_delta = (- amount)) and frozen_delta = amount) when 'charge' then (available_delta = 0 and (frozen_delta = (- amount))) when 'release' then (available_delta = amount and (frozen_delta = (- amount))) else (available_delta = amount and frozen_delta = 0) end),
  constraint ledger_entry_frozen_after_check check (frozen_after >= 0),
  constraint ledger_entry_pkey primary key (bucket, customer_id, seq),
  constraint ledger_entry_type_check check (type in ('freeze', 'charge', 'release', 'refund', 'topup', 'adjustment'))
) with (autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);
create unique index ledger_entry_reference on ledger_entry (bucket, customer_id, type, reference) where reference is not null;
create index ledger_entry_task on ledger_entry (customer_id, task_id) where task_id is not null;
create index ledger_entry_time on ledger_entry (customer_id, created_at);
create index ledger_entry_type on ledger_entry (customer_id, type, seq);

-- The last entry of each day. Days follow the order of entries: what is written after midnight counts for the new day, also
-- where the clock was set back since.
create table ledger_day (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  day date not null,
  last_seq bigint not null,
  constraint ledger_day_pkey primary key (bucket, customer_id, day)
) with (fillfactor=80);

create table ledger_sum (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  day date not null,
  type text not null,
  -- 0 for entries without a task.
  template_id bigint not null,
  entries bigint not null,
  amount bigint not null,
  constraint ledger_sum_pkey primary key (bucket, customer_id, day, type, template_id)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000);

-- What `postrider audit` has proved of closed history, one row a slice. A slice is read in one statement; the next audit reads what
-- is not in a slice yet, and `--full` reads every slice again and compares.
create table audit_slice (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  kind text not null,
  -- The numbers of entries or the ids of tasks: greater than the one, up to the other.
  after_id bigint not null,
  last_id bigint not null,
  -- Counts, sums, the last balances and hashes over the rows.
  figures jsonb not null,
  proved_at timestamptz not null,
  constraint audit_slice_kind_check check (kind in ('entries', 'tasks')),
  constraint audit_slice_order_check check (last_id > after_id),
  constraint audit_slice_pkey primary key (bucket, customer_id, kind, after_id)
);

-- A full audit that was interrupted continues: slices that were proved since it started are not read again.
create table audit_run (
  started_at timestamptz not null,
  finished_at timestamptz,
  constraint audit_run_pkey primary key (started_at)
);

-- Tasks and what is still to be done for them. What is due lives in the row it is due for, found by a partial index; no index knows the
-- stage, which changes with nearly every update.

-- Tasks and what is still to be done for them.
create table task (
  customer_id bigint not null,
  task_id bigint not null,
  -- 'c:' and the client_request_id, or 's:' and the signature of a request without one.
  request_key text not null,
  fingerprint bytea not null,
  template_id bigint not null,
  service_account_id bigint not null,
  -- The request named no service account and got the template's.
  account_defaulted boolean not null,
  target_firms text[],
  auto_prepare boolean not null,
  auto_freeze boolean not null,
  auto_submit boolean not null,
  -- The numbers and variables as accepted; moves on into chunks and receipts when the task is prepared.
  payload text,
  stage text not null,
  failure text,
  insufficient_funds boolean default false not null,
  frozen_at timestamptz,
  -- What freezing takes: the price of all numbers that can be sent.
  price bigint default 0 not null,
  total integer not null,
  rejected integer default 0 not null,
  unknown integer default 0 not null,
  awaiting integer default 0 not null,
  delivered integer default 0 not null,
  undelivered integer default 0 not null,
  expired integer default 0 not null,
  -- Of the rejected ones: those that were not sent because the task was cancelled or its time was up.
  cancelled integer default 0 not null,
  timeline jsonb not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  bucket smallint default 0 not null,
  -- Accepted and not prepared: `prepare` when it is to be prepared by itself, `manual` when a call asks for it.
  queued_for text,
  -- Set for tasks that ended without going through: few, and looked for.
  ended text,
  frozen bigint default 0 not null,
  charged bigint default 0 not null,
  released bigint default 0 not null,
  refunded bigint default 0 not null,
  -- The terms at the moment of the freeze; a later change of the customer's terms does not reach back.
  charge_on text,
  refund_on_failure boolean,
  -- How often preparing it failed, why it failed last, and when it is tried again.
  prepare_tries integer default 0 not null,
  prepare_error text,
  prepare_after timestamptz,
  -- Requests that belong together carry the customer's name for them. The task rows are the truth about a batch; a row of its own
  -- only says that it exists and since when, so that batches can be listed newest first without reading all tasks.
  batch_id text,
  -- Nothing is handed over before it.
  send_at timestamptz,
  -- What is unsent then is not sent any more.
  expires_at timestamptz,
  -- The same while something is unsent: what the sweeper goes by.
  unsent_until timestamptz,
  -- Its submission is granted, and its chunks are kept out of the queue until then, or until it is resumed.
  submit_at timestamptz,
  -- Null: it never was; false: it was, and goes on.
  paused boolean,
  -- What is unsent, or turns out to be, gets its receipt with this code.
  ending text,
  -- It waits for the next day or a higher limit, not for money.
  over_limit boolean default false not null,
  -- The place of a task's end in the record log. Null for customers without such webhooks: their updates stay within their page.
  finished_id bigint,
  -- What people call it, and what it says: its text with placeholders and the values of each number. Neither changes, so that rows
  -- that outgrow a page keep them aside.
  title text,
  content text,
  constraint task_awaiting_check check (awaiting >= 0),
  constraint task_charge_on_check check (charge_on in ('submit', 'delivery')),
  constraint task_charged_check check (charged >= 0),
  constraint task_check check ((((((rejected + unknown) + awaiting) + delivered) + undelivered) + expired) <= total),
  constraint task_check1 check ((charged + released) <= frozen),
  constraint task_check2 check (refunded <= charged),
  constraint task_delivered_check check (delivered >= 0),
  constraint task_ended_check check (ended in ('failed', 'cancelled')),
  constraint task_ending_check check (ending in ('cancelled', 'expired_unsent', 'outside_window')),
  constraint task_expired_check check (expired >= 0),
  constraint task_frozen_check check (frozen >= 0),
  constraint task_pkey primary key (bucket, customer_id, task_id),
  constraint task_queued_for_check check (queued_for in ('prepare', 'manual')),
  constraint task_refunded_check check (refunded >= 0),
  constraint task_rejected_check check (rejected >= 0),
  constraint task_released_check check (released >= 0),
  constraint task_stage_check check (stage in ('queued', 'prepared', 'submitting', 'waiting_receipt', 'submit_unknown', 'completed', 'failed', 'cancelled')),
  constraint task_total_check check (total > 0),
  constraint task_undelivered_check check (undelivered >= 0),
  constraint task_unknown_check check (unknown >= 0)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000, autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000, toast.autovacuum_vacuum_scale_factor=0.02, toast.autovacuum_vacuum_cost_limit=2000);
create index task_batch on task (bucket, customer_id, batch_id, task_id) where batch_id is not null;
create index task_ended on task (bucket, customer_id, task_id) where ended is not null;
create index task_finished on task (bucket, customer_id, finished_id) where finished_id is not null;
create index task_insufficient on task (bucket, customer_id, task_id) where insufficient_funds;
-- Tasks that wait for another day are found when one begins. No other update of a task changes the column.
create index task_over_limit on task (bucket, customer_id, task_id) where over_limit;
create index task_paused on task (bucket, customer_id, task_id) where paused;
-- Tasks that could not be prepared are looked for by the operator: few, and found without reading those that wait.
create index task_prepare_error on task (task_id) where queued_for is not null and prepare_error is not null;
create index task_queued on task (bucket, customer_id, task_id) where queued_for is not null;
-- The request key comes before the customer: with missing statistics, an index that starts like the primary key is chosen for look-ups by id,
-- which then read all tasks of the customer.
create unique index task_request_key on task (bucket, request_key, customer_id);
create index task_submit_at on task (bucket, submit_at) where submit_at is not null and (paused is not true);
create index task_template on task (customer_id, template_id, task_id);
-- Neither changes for a task without a schedule, so its updates stay within their page.
create index task_unsent_until on task (bucket, unsent_until) where unsent_until is not null;
-- An index of due work holds only due work. Tasks that wait for their customer, or for the next try, are in none of the two
-- that a look reads; a task enters when its customer or the time moves it on. One index for each size: 500 is the size of a chunk.
create index task_to_prepare on task (bucket, customer_id, task_id)
  where queued_for = 'prepare' and prepare_after is null and total <= 500;
create index task_to_prepare_large on task (bucket, customer_id, task_id)
  where queued_for = 'prepare' and prepare_after is null and total > 500;
create index task_prepare_retry on task (bucket, prepare_after)
  where queued_for = 'prepare' and prepare_after is not null;
create index task_title on task (bucket, customer_id, title text_pattern_ops, task_id) where (title is not null);

create table batch (
  bucket smallint not null,
  customer_id bigint not null,
  batch_id text not null,
  -- The task that it began with; carries the time.
  first_task_id bigint not null,
  -- How many of its tasks retention has deleted.
  deleted_tasks integer default 0 not null,
  constraint batch_pkey primary key (bucket, customer_id, batch_id)
);
create index batch_newest on batch (bucket, customer_id, first_task_id);

-- Up to 500 numbers of one task on one channel, with all that is needed to send them, until each has its receipt.
create table chunk (
  customer_id bigint not null,
  task_id bigint not null,
  chunk_no integer not null,
  channel_id bigint not null,
  service_account_id bigint not null,
  firm text not null,
  unit_price bigint not null,
  -- Columns of the numbers as JSON: see store/chunk/chunk.ts.
  numbers text not null,
  -- One byte a part and one byte a number: see domain/chunk-state.ts.
  part_states bytea not null,
  results bytea not null,
  -- When parts of it were last meant to go out.
  intended_at timestamptz,
  bucket smallint default 0 not null,
  -- Its place in the channel's queue while parts of it are to be handed over, counted per customer.
  queue_no bigint,
  -- All its parts have answers, or are never sent: it is not queued again.
  handed_over boolean default false not null,
  -- No receipt of its numbers is overdue before this; null while none is waited for. Moved by the sweep alone.
  due_at timestamptz,
  -- Of its task: no part of it goes out from then on, and carriers get it as the validity.
  expires_at timestamptz,
  -- The channels that refused its numbers before this one.
  tried bigint[],
  -- When it was made, or last queued.
  queued_at timestamptz default now() not null,
  -- Where it was moved while it waited: since when it waits. A move begins no new wait.
  waits_since timestamptz,
  constraint chunk_pkey primary key (bucket, customer_id, task_id, chunk_no)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000, toast.autovacuum_vacuum_scale_factor=0.05, toast.autovacuum_vacuum_cost_limit=2000);
create index chunk_due on chunk (bucket, due_at) where due_at is not null;
create index chunk_queue on chunk (bucket, channel_id, customer_id, queue_no) where queue_no is not null;
-- Queued chunks by time. The condition is one that no statement on the order of a customer's queue implies, so that the planner
-- takes this index for looks by time alone.
create index chunk_queued_at on chunk (bucket, channel_id, queued_at) where queue_no > 0;
create index chunk_waits_since on chunk (bucket, channel_id, waits_since) where queue_no > 0 and waits_since is not null;

create table unknown_part (
  customer_id bigint not null,
  task_id bigint not null,
  seq integer not null,
  part integer not null,
  chunk_no integer not null,
  channel_id bigint not null,
  phone_key bigint not null,
  since timestamptz not null,
  deadline timestamptz not null,
  bucket smallint default 0 not null,
  constraint unknown_part_pkey primary key (bucket, customer_id, task_id, seq, part)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000);
create index unknown_part_deadline on unknown_part (bucket, deadline);
create index unknown_part_phone on unknown_part (channel_id, phone_key);
-- What waits for a decision, over all customers, the most urgent first.
create index unknown_part_urgent on unknown_part (deadline, customer_id, task_id, seq, part);

-- The last committed transaction in each slot of a process, by its number: a retry reads it when the answer to a commit was lost.
create table commit_mark (
  bucket smallint not null,
  process uuid not null,
  slot integer not null,
  number bigint not null,
  marked_at timestamptz not null,
  constraint commit_mark_pkey primary key (bucket, process, slot)
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000);

create table opt_out (
  customer_id bigint not null,
  phone_key bigint not null,
  phone text not null,
  source text not null,
  created_at timestamptz default now() not null,
  bucket smallint default 0 not null,
  constraint opt_out_pkey primary key (bucket, customer_id, phone_key),
  constraint opt_out_source_check check (source in ('uplink', 'operator'))
);

-- What was sent to whom, for as long as a cap counts it, and numbers that no cap applies to.
create table cap_use (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  phone_key bigint not null,
  task_id bigint not null,
  template_id bigint not null,
  class text not null,
  at timestamptz not null,
  expires_at timestamptz not null,
  constraint cap_use_pkey primary key (bucket, customer_id, phone_key, task_id)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_limit = 2000);
create index cap_use_expires on cap_use (bucket, expires_at);

create table cap_exemption (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  phone_key bigint not null,
  phone text not null,
  created_at timestamptz default now() not null,
  constraint cap_exemption_pkey primary key (bucket, customer_id, phone_key)
);

-- Channels and processes.

-- The owner of a channel. The fence is written at a takeover only, and share-locked by every transaction that writes for the
-- channel; the heartbeat is written all the time, and locked by its owner alone.
create table channel_fence (
  channel_id bigint not null,
  owner text not null,
  token bigint not null,
  constraint channel_fence_channel_id_fkey foreign key (channel_id) references channel(channel_id),
  constraint channel_fence_pkey primary key (channel_id)
);

create table channel_heartbeat (
  channel_id bigint not null,
  token bigint not null,
  expires_at timestamptz not null,
  health jsonb default '{}' not null,
  -- Since when the channel has been up without interruption; null while it is down.
  up_since timestamptz,
  -- When the channel was last seen up for a while without interruption, or first owned.
  live_at timestamptz default now() not null,
  constraint channel_heartbeat_channel_id_fkey foreign key (channel_id) references channel(channel_id),
  constraint channel_heartbeat_pkey primary key (channel_id)
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);

-- On a cluster: the token of the owner of a channel, beside the rows of each bucket.
create table bucket_fence (
  bucket smallint not null,
  channel_id bigint not null,
  token bigint not null,
  primary key (bucket, channel_id)
);

-- The latest events of a channel's sessions, as its owner saw them: a fixed number of slots, so that it needs no cleaning.
create table channel_event (
  channel_id bigint not null,
  slot smallint not null,
  event_no bigint not null,
  at timestamptz not null,
  owner text not null,
  event text not null,
  detail text not null,
  constraint channel_event_channel_id_fkey foreign key (channel_id) references channel(channel_id),
  constraint channel_event_event_check check (event in ('opened', 'bound', 'down', 'closed', 'left_out')),
  constraint channel_event_pkey primary key (channel_id, slot)
);

-- What the owners of channels had counted at the beginning of each minute, for a day: two of them tell what went through in
-- between. By minute first, since the oldest are forgotten and the newest are read, whatever the channel.
create table channel_minute (
  minute timestamptz not null,
  channel_id bigint not null,
  since timestamptz not null,
  accepted bigint not null,
  refused bigint not null,
  throttled bigint not null,
  unknown bigint not null,
  reports bigint not null,
  constraint channel_minute_channel_id_fkey foreign key (channel_id) references channel(channel_id),
  constraint channel_minute_pkey primary key (minute, channel_id)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000);

-- Messages that an operator sends through one channel to see whether it works. They belong to no customer and cost none; the last
-- of each channel are kept. One that is `sending` may be on the wire: it is never sent again.
create table channel_test (
  channel_id bigint not null,
  test_id bigint not null,
  phone text not null,
  sender text not null,
  text text not null,
  status text not null,
  code text,
  upstream_message_id text,
  created_by text not null,
  created_at timestamptz default now() not null,
  submitted_at timestamptz,
  answered_at timestamptz,
  report_status text,
  report_code text,
  reported_at timestamptz,
  constraint channel_test_channel_id_fkey foreign key (channel_id) references channel(channel_id),
  constraint channel_test_pkey primary key (channel_id, test_id),
  constraint channel_test_status_check check (status in ('queued', 'sending', 'accepted', 'rejected', 'unknown', 'not_sent'))
);

-- The processes there are. Each renews its row every few seconds, so that an operator sees all of them from any of them; one that
-- was not heard of for a day is forgotten. The row fits its page many times over, and renewing it touches no index.
create table node (
  node text not null,
  roles text[] not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  figures jsonb not null,
  -- The timeline on which this process has found all of its own commits.
  confirmed_timeline integer,
  constraint node_pkey primary key (node)
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);

-- Which history of the database the service knows, and whether channels may send on it. A failover or a restore begins another timeline: nothing is
-- sent on it before it is confirmed that no commit was lost, or an operator has released it.
create table recovery (
  only_row boolean default true not null primary key check (only_row),
  -- Null until the first process has started.
  system_identifier text,
  timeline integer,
  state text default 'open' not null check (state in ('open', 'held')),
  -- Since when another timeline is looked at; null while there is none.
  noticed_at timestamp with time zone,
  reason text check (reason in ('lost_commits', 'unproven', 'other_system', 'restored')),
  detail text,
  held_at timestamp with time zone,
  check ((state = 'held') = (held_at is not null and reason is not null))
);
insert into recovery default values;

create table unmatched_report (
  report_id bigint generated always as identity not null,
  channel_id bigint not null,
  message_key text not null,
  message_id text not null,
  phone text,
  status text not null,
  code text not null,
  done_at timestamptz,
  received_at timestamptz default now() not null,
  -- Our own part, where the report names it: then it is about no other.
  reference text,
  constraint unmatched_report_pkey primary key (report_id)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000);
create index unmatched_report_channel on unmatched_report (channel_id, report_id);
create index unmatched_report_received on unmatched_report (received_at);

-- Reports and uplinks that any process stored before it answered the upstream, until the owner of the channel has recorded them.
create table upstream_callback (
  callback_id bigint generated always as identity primary key,
  channel_id bigint not null,
  feedback jsonb not null,
  received_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000);
create index upstream_callback_channel on upstream_callback (channel_id, callback_id);

create table unclaimed_uplink (
  unclaimed_uplink_id bigint generated always as identity not null,
  channel_id bigint not null,
  sender text not null,
  recipient text not null,
  content text not null,
  received_at timestamptz default now() not null,
  incomplete boolean default false not null,
  -- Equal for a message that its upstream sends again.
  fingerprint text,
  constraint unclaimed_uplink_pkey primary key (unclaimed_uplink_id)
);
create index unclaimed_uplink_received on unclaimed_uplink (received_at);
create index unclaimed_uplink_sender on unclaimed_uplink (channel_id, sender, unclaimed_uplink_id);

-- History: append-only, partitioned by month of the id's time. Lists by status read `…_other_…`: most rows are successes, and a list of
-- those walks the key, so that a success has no entry there. 131 seconds of ids share a key, so that the index deduplicates and stays
-- cheap to write; receipts by firm have half that span, so that an order by it fits this index and no other.

create table submit (
  customer_id bigint not null,
  -- Its time is when the record was made: ids of one customer rise in the order of commits.
  submit_id bigint not null,
  task_id bigint not null,
  seq integer not null,
  part smallint not null,
  parts smallint not null,
  channel_id bigint not null,
  phone_key bigint not null,
  answered_at timestamptz,
  phone text not null,
  firm text not null,
  status text not null,
  code text,
  upstream_message_id text,
  bucket smallint default 0 not null,
  -- When the part went on the wire.
  submitted_at timestamptz default now() not null,
  constraint submit_pkey primary key (bucket, customer_id, submit_id),
  constraint submit_status_check check (status in ('accepted', 'rejected', 'unknown'))
) partition by range (submit_id);
-- From a code of a channel to the parts that it came with. What goes well writes no entry.
create index submit_failure on submit (channel_id, status, code, bucket, ((submit_id >> 37))) where status <> 'accepted';
-- The phone comes first: an operator looks for a number without knowing its customers.
create index submit_phone on submit (phone_key, customer_id, submit_id);
create index submit_task on submit (customer_id, task_id);
create index submit_upstream on submit (ltrim(lower(upstream_message_id), '0'), channel_id) where upstream_message_id is not null;
create index submit_other_status on submit (customer_id, status, bucket, (submit_id >> 37)) where status <> 'accepted';
create table submit_default partition of submit default;

-- Reports that ended no number: of the other parts of a long message, intermediate, late and repeated ones. The report that gave a number its
-- receipt stands in the receipt, which says the same; `delivery_report` has all of them.
create table delivery (
  customer_id bigint not null,
  -- Its time is when we received the report.
  delivery_id bigint not null,
  task_id bigint not null,
  seq integer not null,
  part smallint not null,
  parts smallint not null,
  phone_key bigint not null,
  done_at timestamptz,
  phone text not null,
  firm text not null,
  status text not null,
  code text,
  upstream_message_id text,
  bucket smallint default 0 not null,
  channel_id bigint,
  constraint delivery_pkey primary key (bucket, customer_id, delivery_id),
  constraint delivery_status_check check (status in ('delivered', 'undelivered', 'expired', 'rejected', 'intermediate'))
) partition by range (delivery_id);
-- From a code of a channel to the parts that it came with. What goes well writes no entry.
create index delivery_failure on delivery (channel_id, status, code, bucket, ((delivery_id >> 37))) where status in ('undelivered', 'expired', 'rejected');
create index delivery_phone on delivery (phone_key, customer_id, delivery_id);
create index delivery_task on delivery (customer_id, task_id);
-- Of all: here no status is that of most.
create index delivery_status on delivery (customer_id, status, bucket, (delivery_id >> 37));
create table delivery_default partition of delivery default;

create table receipt (
  customer_id bigint not null,
  -- Its time is when the outcome became known to us.
  receipt_id bigint not null,
  task_id bigint not null,
  seq integer not null,
  parts smallint not null,
  -- The part whose report gave the receipt: the row is that delivery record too. Null where there is none, or where it stands in `delivery`.
  report_part smallint,
  phone_key bigint not null,
  price bigint not null,
  submitted_at timestamptz,
  done_at timestamptz,
  -- The channel that carried the number, and what that cost us. Null where it cost nothing.
  channel_id bigint,
  cost bigint,
  bucket smallint default 0 not null,
  -- How many parts were submitted; a carrier may take a long message as one.
  report_parts smallint,
  -- Whether the number was charged, be it refunded later. Unknown in receipts from before.
  is_charged boolean,
  phone text not null,
  firm text,
  result text not null,
  code text,
  -- Of the report.
  upstream_message_id text,
  constraint receipt_pkey primary key (bucket, customer_id, receipt_id),
  constraint receipt_result_check check (result in ('delivered', 'undelivered', 'expired', 'rejected'))
) partition by range (receipt_id);
-- As `delivery_failure`, of the reports that stand here.
create index receipt_failure on receipt (channel_id, result, code, bucket, ((receipt_id >> 37)))
  where result in ('undelivered', 'expired', 'rejected') and report_part is not null;
create index receipt_phone on receipt (phone_key, customer_id, receipt_id);
create index receipt_task on receipt (customer_id, task_id);
create index receipt_other_result on receipt (customer_id, result, bucket, (receipt_id >> 37)) where result <> 'delivered';
create index receipt_other_firm on receipt (customer_id, firm, result, bucket, (receipt_id >> 36)) where result <> 'delivered';
create table receipt_default partition of receipt default;

-- All delivery records, for people. Statements of the service name the two tables (store/wire/reports.ts).
create view delivery_report as
  select bucket, customer_id, delivery_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status, code, upstream_message_id,
    done_at
  from delivery
  union all
  select bucket, customer_id, receipt_id, task_id, seq, report_part, report_parts, channel_id, phone_key, phone, firm, result, code,
    upstream_message_id, done_at
  from receipt where report_part is not null;

create table uplink (
  customer_id bigint not null,
  uplink_id bigint not null,
  phone_key bigint not null,
  service_account_id bigint not null,
  channel_id bigint not null,
  task_id bigint,
  phone text not null,
  firm text,
  content text not null,
  bucket smallint default 0 not null,
  -- Parts of a long message never came.
  incomplete boolean default false not null,
  -- The same for a message that its upstream sends again: it is not stored twice.
  fingerprint text,
  constraint uplink_pkey primary key (bucket, customer_id, uplink_id)
) partition by range (uplink_id);
create index uplink_account on uplink (customer_id, service_account_id, uplink_id);
create index uplink_phone on uplink (phone_key, customer_id, uplink_id);
create table uplink_default partition of uplink default;

-- Sums and push: readers of the history.

-- Sums over the history, so that totals need not read all of it. They are kept by a reader with a position
-- in the receipts and in the ledger of each customer, in steps: a number costs no update.
create table history_reader (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  -- All receipts up to this id are in the sums.
  receipt_id bigint default 0 not null,
  -- All entries up to this number are in the sums, and the day that the last of them counts for.
  entry_seq bigint default 0 not null,
  entry_day date,
  -- Sums by hour end after some hundred days, those by day stay. Hours before this day are gone for the customer.
  hours_ended_on date,
  constraint history_reader_pkey primary key (bucket, customer_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);

create table receipt_sum (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  -- What they are broken down by.
  series text not null,
  grain text not null,
  -- The hour or day, in UTC, in which the receipts were made.
  at timestamptz not null,
  -- The id of the template, the firm or the code; empty for all, and for those that have none.
  key text not null,
  delivered bigint not null,
  undelivered bigint not null,
  expired bigint not null,
  rejected bigint not null,
  parts bigint not null,
  charged bigint not null,
  -- Numbers that were cancelled or whose time ran out before they were sent, apart from those that were rejected.
  cancelled bigint default 0 not null,
  handed_over bigint,
  constraint receipt_sum_grain_check check (grain in ('hour', 'day')),
  constraint receipt_sum_pkey primary key (bucket, customer_id, series, grain, at, key),
  constraint receipt_sum_series_check check (series in ('all', 'template', 'firm', 'code'))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000);
-- What was rejected lately, of all customers.
create index receipt_sum_hour_code on receipt_sum (bucket, at) where series = 'code' and grain = 'hour';

-- The sums that margins are read from.
create table traffic_sum (
  bucket smallint not null default 0,
  customer_id bigint not null,
  grain text not null check (grain in ('hour', 'day')),
  at timestamptz not null,
  channel_id bigint not null,
  firm text not null,
  class text not null,
  unit_price bigint not null,
  numbers bigint not null,
  parts bigint not null,
  delivered bigint not null,
  charged bigint not null,
  refunded bigint not null,
  cost bigint not null,
  -- Without those that were never charged, such as cancelled ones.
  charged_numbers bigint default 0 not null,
  charged_parts bigint default 0 not null,
  primary key (bucket, customer_id, grain, at, channel_id, firm, class, unit_price)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_limit = 2000);

-- Push. An endpoint is a reader of its customer's own history with a position for each kind of event, not a queue of rows.
create table webhook (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  webhook_id bigint not null,
  url text not null,
  events text[] not null,
  description text,
  status text not null,
  -- Why and since when, where the service disabled it.
  disabled_reason text,
  disabled_at timestamptz,
  -- A record id of the customer, for the other endpoints to hear of it.
  disabled_id bigint,
  secret_sealed bytea not null,
  -- The secret before the last rotation, which signs along until then.
  old_secret_sealed bytea,
  old_secret_until timestamptz,
  -- How many attempts were made; the log keeps the last hundred.
  attempt_seq bigint default 0 not null,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  -- When the endpoint first answered a signed test message with 2xx: nothing else is sent to it before.
  verified_at timestamptz,
  -- Whether the messages to it show masked phone numbers.
  masked boolean default false not null,
  constraint webhook_pkey primary key (bucket, customer_id, webhook_id),
  constraint webhook_status_check check (status in ('active', 'disabled'))
);

create table webhook_cursor (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  webhook_id bigint not null,
  event text not null,
  -- Everything up to here is delivered: an id of the record log, or the number of a ledger entry for `account.low`.
  position bigint not null,
  -- The end of the message under way; it stays the same over its tries.
  message_end bigint,
  message_no bigint default 0 not null,
  failures integer default 0 not null,
  failing_since timestamptz,
  next_try_at timestamptz,
  -- Who delivers: the token rises with every claim, and what is written after a delivery names the token of its claim.
  token bigint default 0 not null,
  lease_until timestamptz,
  -- Null: nothing to tell up to `position`, which is then the head of the history. Infinity: the endpoint is disabled.
  due_at timestamptz,
  -- The end of a replay; null when none is under way.
  replay_until bigint,
  constraint webhook_cursor_pkey primary key (bucket, customer_id, webhook_id, event)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);
-- A look for work reads the cursors that are due instead of all of them.
create index webhook_cursor_due on webhook_cursor (bucket, due_at) where due_at is not null;

-- The last attempts of an endpoint; the slots are written round and round.
create table webhook_attempt (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  webhook_id bigint not null,
  slot smallint not null,
  attempt_no bigint not null,
  event text not null,
  message_id text not null,
  items integer not null,
  at timestamptz not null,
  status integer,
  error text,
  latency_ms integer not null,
  request_body text default '' not null,
  response_body text default '' not null,
  -- What a message was about, so that it can be sent once more: from behind the one place of the history up to the other. Null for tests.
  span_after bigint,
  span_until bigint,
  constraint webhook_attempt_pkey primary key (bucket, customer_id, webhook_id, slot)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);

-- Onboardings with a reference: repeating one makes nothing and answers what the first made.
create table onboarding (
  reference text not null,
  -- The numbers under which it is found.
  made jsonb not null,
  created_at timestamptz default now() not null,
  constraint onboarding_pkey primary key (reference)
);

-- The end of history.

-- The months whose history has ended, or is ending: the audit reads no task of them again.
create table retention_month (
  month date primary key,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  deleted jsonb not null default '{}'
);

-- Requests to erase a phone number. The number is sealed, and gone once it is erased everywhere.
create table erasure (
  erasure_id bigint primary key,
  hash text not null,
  phone_sealed bytea,
  remark text,
  status text not null default 'waiting',
  waits_for text,
  counts jsonb not null default '{}',
  created_by text not null,
  created_at timestamptz not null default now(),
  done_at timestamptz,
  constraint erasure_status_check check (status in ('waiting', 'running', 'done'))
);
create index erasure_open on erasure (erasure_id) where done_at is null;

-- Work that one process does at a time, such as erasing numbers.
create table work_lease (
  work text primary key,
  holder text not null,
  expires_at timestamptz not null
);

-- Counts are read from the index alone where vacuum has marked the pages. Partitions made later get the same (partitions.ts).
do $$
declare
  partition regclass;
begin
  for partition in
    select inhrelid from pg_inherits
    where inhparent in ('submit'::regclass, 'delivery'::regclass, 'receipt'::regclass, 'uplink'::regclass)
  loop
    execute format('alter table %s set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02, '
      'autovacuum_vacuum_cost_limit = 2000)', partition);
  end loop;
end $$;

-- For the planner: statements are short, so that compiling them or spreading them over processes costs more than it gives, and data lies in
-- memory or on flash. What an operator has set for this database stays. Only its owner may set them; without that, the guide says how.
do $$
declare
  setting text;
begin
  foreach setting in array array['jit=off', 'max_parallel_workers_per_gather=0', 'random_page_cost=1.1'] loop
    if not exists (
      select from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
      cross join unnest(s.setconfig) as given
      where d.datname = current_database() and s.setrole = 0 and split_part(given, '=', 1) = split_part(setting, '=', 1)
    ) then
      execute format('alter database %I set %s = %s', current_database(), split_part(setting, '=', 1), split_part(setting, '=', 2));
    end if;
  end loop;
exception when insufficient_privilege then
  raise notice 'the planner settings of this database are left as they are: only its owner may set them';
end $$;
