-- The schema after all migrations. Written by `npm run schema`; never edited by hand.

create table account (
  customer_id bigint not null,
  available bigint default 0 not null,
  frozen bigint default 0 not null,
  credit_limit bigint default 0 not null,
  entry_seq bigint default 0 not null,
  bucket smallint default 0 not null,
  record_id bigint default 0 not null,
  submit_seq bigint default 0 not null,
  queue_seq bigint default 0 not null,
  wants_refreeze boolean default false not null,
  frozen_on date,
  frozen_that_day bigint default 0 not null,
  notifies_finished boolean default false not null,
  daily_limit bigint,
  has_webhooks boolean default false not null,
  counts_sends boolean default false not null,
  opted_out_at timestamp with time zone,
  constraint account_credit_limit_check CHECK ((credit_limit >= 0)),
  constraint account_daily_limit_check CHECK ((daily_limit >= 0)),
  constraint account_frozen_check CHECK ((frozen >= 0)),
  constraint account_pkey PRIMARY KEY (bucket, customer_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX account_refreeze ON public.account USING btree (bucket, customer_id) WHERE wants_refreeze;

create table audit (
  audit_id bigint generated always as identity not null,
  at timestamp with time zone default now() not null,
  actor text not null,
  action text not null,
  subject text not null,
  change jsonb not null,
  constraint audit_pkey PRIMARY KEY (audit_id)
);
CREATE INDEX audit_action ON public.audit USING btree (action, at, audit_id);
CREATE INDEX audit_actor ON public.audit USING btree (actor, at, audit_id);
CREATE INDEX audit_at ON public.audit USING btree (at, audit_id);
CREATE INDEX audit_subject ON public.audit USING btree (subject, at, audit_id);

create table audit_run (
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint audit_run_pkey PRIMARY KEY (started_at)
);

create table audit_slice (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  kind text not null,
  after_id bigint not null,
  last_id bigint not null,
  figures jsonb not null,
  proved_at timestamp with time zone not null,
  constraint audit_slice_kind_check CHECK ((kind = ANY (ARRAY['entries'::text, 'tasks'::text]))),
  constraint audit_slice_order_check CHECK ((last_id > after_id)),
  constraint audit_slice_pkey PRIMARY KEY (bucket, customer_id, kind, after_id)
);

create table batch (
  bucket smallint not null,
  customer_id bigint not null,
  batch_id text not null,
  first_task_id bigint not null,
  deleted_tasks integer default 0 not null,
  constraint batch_pkey PRIMARY KEY (bucket, customer_id, batch_id)
);
CREATE INDEX batch_newest ON public.batch USING btree (bucket, customer_id, first_task_id);

create table blocked_content (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  task_id bigint not null,
  word text not null,
  numbers integer not null,
  constraint blocked_content_pkey PRIMARY KEY (bucket, customer_id, task_id, word)
);

create table blocked_words (
  blocked_word_no text not null,
  customer_id bigint,
  words text[] not null,
  removed_at timestamp with time zone,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  constraint blocked_words_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(customer_id),
  constraint blocked_words_pkey PRIMARY KEY (blocked_word_no)
);
CREATE INDEX blocked_words_version ON public.blocked_words USING btree (version);

create table bucket (
  bucket smallint not null,
  constraint bucket_pkey PRIMARY KEY (bucket)
);

create table bucket_fence (
  bucket smallint not null,
  channel_id bigint not null,
  token bigint not null,
  constraint bucket_fence_pkey PRIMARY KEY (bucket, channel_id)
);

create table cap_exemption (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  phone_key bigint not null,
  phone text not null,
  created_at timestamp with time zone default now() not null,
  constraint cap_exemption_pkey PRIMARY KEY (bucket, customer_id, phone_key)
);

create table cap_use (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  phone_key bigint not null,
  task_id bigint not null,
  template_id bigint not null,
  class text not null,
  at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint cap_use_pkey PRIMARY KEY (bucket, customer_id, phone_key, task_id)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX cap_use_expires ON public.cap_use USING btree (bucket, expires_at);

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
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  failover_codes text[] default '{}'::text[] not null,
  callback_token text,
  old_callback_token text,
  old_callback_token_until timestamp with time zone,
  requires_filing boolean default false not null,
  constraint channel_channel_no_key UNIQUE (channel_no),
  constraint channel_parts_per_second_check CHECK ((parts_per_second > 0)),
  constraint channel_pkey PRIMARY KEY (channel_id),
  constraint channel_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
CREATE INDEX channel_version ON public.channel USING btree (version);

create table channel_cost (
  channel_id bigint not null,
  firm text not null,
  class text default ''::text not null,
  prefix text default ''::text not null,
  valid_from timestamp with time zone default now() not null,
  unit_price bigint not null,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint channel_cost_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channel(channel_id),
  constraint channel_cost_class_check CHECK ((class = ANY (ARRAY[''::text, 'otp'::text, 'notice'::text, 'promotion'::text]))),
  constraint channel_cost_firm_fkey FOREIGN KEY (firm) REFERENCES firm(firm),
  constraint channel_cost_pkey PRIMARY KEY (channel_id, firm, class, prefix, valid_from),
  constraint channel_cost_unit_price_check CHECK ((unit_price >= 0))
);
CREATE INDEX channel_cost_version ON public.channel_cost USING btree (version);

create table channel_event (
  channel_id bigint not null,
  slot smallint not null,
  event_no bigint not null,
  at timestamp with time zone not null,
  owner text not null,
  event text not null,
  detail text not null,
  constraint channel_event_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channel(channel_id),
  constraint channel_event_event_check CHECK ((event = ANY (ARRAY['opened'::text, 'bound'::text, 'down'::text, 'closed'::text, 'left_out'::text]))),
  constraint channel_event_pkey PRIMARY KEY (channel_id, slot)
);

create table channel_fence (
  channel_id bigint not null,
  owner text not null,
  token bigint not null,
  constraint channel_fence_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channel(channel_id),
  constraint channel_fence_pkey PRIMARY KEY (channel_id)
);

create table channel_grant (
  customer_id bigint not null,
  channel_id bigint not null,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  constraint channel_grant_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channel(channel_id),
  constraint channel_grant_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(customer_id),
  constraint channel_grant_pkey PRIMARY KEY (customer_id, channel_id)
);
CREATE INDEX channel_grant_version ON public.channel_grant USING btree (version);

create table channel_heartbeat (
  channel_id bigint not null,
  token bigint not null,
  expires_at timestamp with time zone not null,
  health jsonb default '{}'::jsonb not null,
  up_since timestamp with time zone,
  live_at timestamp with time zone default now() not null,
  constraint channel_heartbeat_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channel(channel_id),
  constraint channel_heartbeat_pkey PRIMARY KEY (channel_id)
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);

create table channel_minute (
  minute timestamp with time zone not null,
  channel_id bigint not null,
  since timestamp with time zone not null,
  accepted bigint not null,
  refused bigint not null,
  throttled bigint not null,
  unknown bigint not null,
  reports bigint not null,
  constraint channel_minute_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channel(channel_id),
  constraint channel_minute_pkey PRIMARY KEY (minute, channel_id)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000);

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
  created_at timestamp with time zone default now() not null,
  submitted_at timestamp with time zone,
  answered_at timestamp with time zone,
  report_status text,
  report_code text,
  reported_at timestamp with time zone,
  constraint channel_test_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channel(channel_id),
  constraint channel_test_pkey PRIMARY KEY (channel_id, test_id),
  constraint channel_test_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'accepted'::text, 'rejected'::text, 'unknown'::text, 'not_sent'::text])))
);

create table chunk (
  customer_id bigint not null,
  task_id bigint not null,
  chunk_no integer not null,
  channel_id bigint not null,
  service_account_id bigint not null,
  firm text not null,
  unit_price bigint not null,
  numbers text not null,
  part_states bytea not null,
  results bytea not null,
  intended_at timestamp with time zone,
  bucket smallint default 0 not null,
  queue_no bigint,
  handed_over boolean default false not null,
  due_at timestamp with time zone,
  expires_at timestamp with time zone,
  tried bigint[],
  queued_at timestamp with time zone default now() not null,
  waits_since timestamp with time zone,
  constraint chunk_pkey PRIMARY KEY (bucket, customer_id, task_id, chunk_no)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX chunk_due ON public.chunk USING btree (bucket, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX chunk_queue ON public.chunk USING btree (bucket, channel_id, customer_id, queue_no) WHERE (queue_no IS NOT NULL);
CREATE INDEX chunk_queued_at ON public.chunk USING btree (bucket, channel_id, queued_at) WHERE (queue_no > 0);
CREATE INDEX chunk_waits_since ON public.chunk USING btree (bucket, channel_id, waits_since) WHERE ((queue_no > 0) AND (waits_since IS NOT NULL));

create table commit_mark (
  bucket smallint not null,
  process uuid not null,
  slot integer not null,
  number bigint not null,
  marked_at timestamp with time zone not null,
  constraint commit_mark_pkey PRIMARY KEY (bucket, process, slot)
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000);

create table config_version (
  only_row boolean default true not null,
  version bigint not null,
  secret_key_check bytea,
  erasure_key_sealed bytea,
  constraint config_version_only_row_check CHECK (only_row),
  constraint config_version_pkey PRIMARY KEY (only_row)
);

create table console_session (
  token_hash text not null,
  session_no text not null,
  user_id bigint not null,
  method text not null,
  address text not null,
  user_agent text not null,
  created_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone default now() not null,
  constraint console_session_pkey PRIMARY KEY (token_hash),
  constraint console_session_session_no_key UNIQUE (session_no)
);
CREATE INDEX console_session_user ON public.console_session USING btree (user_id, created_at);

create table console_user (
  user_id bigint not null,
  user_no text not null,
  side text not null,
  customer_id bigint,
  email text not null,
  name text not null,
  role text not null,
  status text default 'active'::text not null,
  password_hash text,
  accepted_at timestamp with time zone,
  invitation_hash text,
  invitation_expires_at timestamp with time zone,
  password_reset_hash text,
  password_reset_expires_at timestamp with time zone,
  last_signed_in_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  totp_sealed bytea,
  totp_confirmed_at timestamp with time zone,
  totp_last_step bigint default 0 not null,
  recovery_hashes text[] default '{}'::text[] not null,
  second_factor_tries integer default 0 not null,
  second_factor_tried_at timestamp with time zone,
  oidc_subject text,
  notice_topics text[] default '{}'::text[] not null,
  noticed text[],
  constraint console_user_check CHECK (((side = 'customer'::text) = (customer_id IS NOT NULL))),
  constraint console_user_invitation_hash_key UNIQUE (invitation_hash),
  constraint console_user_password_reset_hash_key UNIQUE (password_reset_hash),
  constraint console_user_pkey PRIMARY KEY (user_id),
  constraint console_user_side_check CHECK ((side = ANY (ARRAY['operator'::text, 'customer'::text]))),
  constraint console_user_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint console_user_user_no_key UNIQUE (user_no)
);
CREATE INDEX console_user_customer ON public.console_user USING btree (customer_id, user_id);
CREATE UNIQUE INDEX console_user_email ON public.console_user USING btree (side, lower(email));
CREATE UNIQUE INDEX console_user_oidc_subject ON public.console_user USING btree (side, oidc_subject);

create table credential (
  api_key text not null,
  customer_id bigint not null,
  secret_sealed bytea not null,
  ip_allow text[] default '{}'::text[] not null,
  status text not null,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  scopes text[] default '{send,read,finance,webhooks}'::text[] not null,
  name text,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint credential_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(customer_id),
  constraint credential_pkey PRIMARY KEY (api_key),
  constraint credential_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text])))
);
CREATE INDEX credential_customer ON public.credential USING btree (customer_id, created_at);
CREATE INDEX credential_version ON public.credential USING btree (version);

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
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  bucket smallint default 0 not null,
  daily_limit bigint,
  low_balance bigint,
  waiting_tasks_limit integer default 500000 not null,
  waiting_numbers_limit integer default 10000000 not null,
  waiting_mebibytes_limit integer default 1024 not null,
  send_windows jsonb default '[]'::jsonb not null,
  caps jsonb default '[]'::jsonb not null,
  billing_time_zone text default 'UTC'::text not null,
  constraint customer_billing_mode_check CHECK ((billing_mode = ANY (ARRAY['prepaid'::text, 'postpaid'::text]))),
  constraint customer_charge_on_check CHECK ((charge_on = ANY (ARRAY['submit'::text, 'delivery'::text]))),
  constraint customer_credit_limit_check CHECK ((credit_limit >= 0)),
  constraint customer_customer_no_key UNIQUE (customer_no),
  constraint customer_daily_limit_check CHECK ((daily_limit >= 0)),
  constraint customer_pkey PRIMARY KEY (customer_id),
  constraint customer_policy_freeze_check CHECK ((policy_freeze = ANY (ARRAY['by_request'::text, 'always'::text, 'manual'::text]))),
  constraint customer_policy_prepare_check CHECK ((policy_prepare = ANY (ARRAY['by_request'::text, 'always'::text, 'manual'::text]))),
  constraint customer_policy_submit_check CHECK ((policy_submit = ANY (ARRAY['by_request'::text, 'always'::text, 'manual'::text]))),
  constraint customer_requests_per_second_check CHECK ((requests_per_second > 0)),
  constraint customer_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text]))),
  constraint customer_unit_price_check CHECK ((unit_price >= 0)),
  constraint customer_waiting_mebibytes_limit_check CHECK ((waiting_mebibytes_limit > 0)),
  constraint customer_waiting_numbers_limit_check CHECK ((waiting_numbers_limit > 0)),
  constraint customer_waiting_tasks_limit_check CHECK ((waiting_tasks_limit > 0))
);
CREATE INDEX customer_name_start ON public.customer USING btree (lower(name) COLLATE "C", customer_id);
CREATE INDEX customer_version ON public.customer USING btree (version);

create table delivery (
  customer_id bigint not null,
  delivery_id bigint not null,
  task_id bigint not null,
  seq integer not null,
  part smallint not null,
  parts smallint not null,
  phone_key bigint not null,
  done_at timestamp with time zone,
  phone text not null,
  firm text not null,
  status text not null,
  code text,
  upstream_message_id text,
  bucket smallint default 0 not null,
  channel_id bigint,
  constraint delivery_pkey PRIMARY KEY (bucket, customer_id, delivery_id),
  constraint delivery_status_check CHECK ((status = ANY (ARRAY['delivered'::text, 'undelivered'::text, 'expired'::text, 'rejected'::text, 'intermediate'::text])))
) partition by RANGE (delivery_id);
CREATE INDEX delivery_failure ON ONLY public.delivery USING btree (channel_id, status, code, bucket, ((delivery_id >> 37))) WHERE (status = ANY (ARRAY['undelivered'::text, 'expired'::text, 'rejected'::text]));
CREATE INDEX delivery_phone ON ONLY public.delivery USING btree (phone_key, customer_id, delivery_id);
CREATE INDEX delivery_status ON ONLY public.delivery USING btree (customer_id, status, bucket, ((delivery_id >> 37)));
CREATE INDEX delivery_task ON ONLY public.delivery USING btree (customer_id, task_id);

create table erasure (
  erasure_id bigint not null,
  hash text not null,
  phone_sealed bytea,
  remark text,
  status text default 'waiting'::text not null,
  waits_for text,
  counts jsonb default '{}'::jsonb not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  done_at timestamp with time zone,
  constraint erasure_pkey PRIMARY KEY (erasure_id),
  constraint erasure_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text])))
);
CREATE INDEX erasure_open ON public.erasure USING btree (erasure_id) WHERE (done_at IS NULL);

create table filing (
  service_account_id bigint not null,
  channel_id bigint not null,
  status text not null,
  reason text,
  signature text,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint filing_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channel(channel_id),
  constraint filing_pkey PRIMARY KEY (service_account_id, channel_id),
  constraint filing_service_account_id_fkey FOREIGN KEY (service_account_id) REFERENCES service_account(service_account_id),
  constraint filing_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'filed'::text, 'rejected'::text])))
);
CREATE INDEX filing_version ON public.filing USING btree (version);

create table firm (
  firm text not null,
  name text not null,
  prefixes text[] default '{}'::text[] not null,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint firm_pkey PRIMARY KEY (firm)
);
CREATE INDEX firm_version ON public.firm USING btree (version);

create table history_reader (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  receipt_id bigint default 0 not null,
  entry_seq bigint default 0 not null,
  entry_day date,
  hours_ended_on date,
  constraint history_reader_pkey PRIMARY KEY (bucket, customer_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);

create table ledger_day (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  day date not null,
  last_seq bigint not null,
  constraint ledger_day_pkey PRIMARY KEY (bucket, customer_id, day)
) with (fillfactor=80);

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
  created_at timestamp with time zone not null,
  bucket smallint default 0 not null,
  constraint ledger_entry_check CHECK (((type = ANY (ARRAY['topup'::text, 'adjustment'::text])) OR ((task_id IS NOT NULL) AND (numbers > 0)))),
  constraint ledger_entry_check1 CHECK (((type = 'adjustment'::text) OR (amount > 0))),
  constraint ledger_entry_check2 CHECK (
CASE type
    WHEN 'freeze'::text THEN ((available_delta = (- amount)) AND (frozen_delta = amount))
    WHEN 'charge'::text THEN ((available_delta = 0) AND (frozen_delta = (- amount)))
    WHEN 'release'::text THEN ((available_delta = amount) AND (frozen_delta = (- amount)))
    ELSE ((available_delta = amount) AND (frozen_delta = 0))
END),
  constraint ledger_entry_frozen_after_check CHECK ((frozen_after >= 0)),
  constraint ledger_entry_pkey PRIMARY KEY (bucket, customer_id, seq),
  constraint ledger_entry_type_check CHECK ((type = ANY (ARRAY['freeze'::text, 'charge'::text, 'release'::text, 'refund'::text, 'topup'::text, 'adjustment'::text])))
) with (autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);
CREATE UNIQUE INDEX ledger_entry_reference ON public.ledger_entry USING btree (bucket, customer_id, type, reference) WHERE (reference IS NOT NULL);
CREATE INDEX ledger_entry_task ON public.ledger_entry USING btree (customer_id, task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX ledger_entry_time ON public.ledger_entry USING btree (customer_id, created_at);
CREATE INDEX ledger_entry_type ON public.ledger_entry USING btree (customer_id, type, seq);

create table ledger_sum (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  day date not null,
  type text not null,
  template_id bigint not null,
  entries bigint not null,
  amount bigint not null,
  constraint ledger_sum_pkey PRIMARY KEY (bucket, customer_id, day, type, template_id)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000);

create table node (
  node text not null,
  roles text[] not null,
  version text not null,
  started_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  figures jsonb not null,
  confirmed_timeline integer,
  constraint node_pkey PRIMARY KEY (node)
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);

create table onboarding (
  reference text not null,
  made jsonb not null,
  created_at timestamp with time zone default now() not null,
  constraint onboarding_pkey PRIMARY KEY (reference)
);

create table operator (
  operator_id bigint generated always as identity not null,
  operator_no text not null,
  name text not null,
  role text not null,
  status text not null,
  token_hash text not null,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint operator_name_key UNIQUE (name),
  constraint operator_operator_no_key UNIQUE (operator_no),
  constraint operator_pkey PRIMARY KEY (operator_id),
  constraint operator_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'support'::text, 'finance'::text, 'viewer'::text]))),
  constraint operator_status_check CHECK ((status = ANY (ARRAY['active'::text, 'removed'::text]))),
  constraint operator_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX operator_version ON public.operator USING btree (version);

create table opt_out (
  customer_id bigint not null,
  phone_key bigint not null,
  phone text not null,
  source text not null,
  created_at timestamp with time zone default now() not null,
  bucket smallint default 0 not null,
  constraint opt_out_pkey PRIMARY KEY (bucket, customer_id, phone_key),
  constraint opt_out_source_check CHECK ((source = ANY (ARRAY['uplink'::text, 'operator'::text])))
);

create table passkey (
  credential_id text not null,
  passkey_no text not null,
  user_id bigint not null,
  name text not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone,
  constraint passkey_passkey_no_key UNIQUE (passkey_no),
  constraint passkey_pkey PRIMARY KEY (credential_id)
);
CREATE INDEX passkey_user ON public.passkey USING btree (user_id, created_at);

create table passkey_challenge (
  challenge_hash text not null,
  expires_at timestamp with time zone not null,
  constraint passkey_challenge_pkey PRIMARY KEY (challenge_hash)
);
CREATE INDEX passkey_challenge_expiry ON public.passkey_challenge USING btree (expires_at);

create table price (
  customer_id bigint not null,
  firm text not null,
  unit_price bigint not null,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  class text default ''::text not null,
  prefix text default ''::text not null,
  valid_from timestamp with time zone default now() not null,
  constraint price_class_check CHECK ((class = ANY (ARRAY[''::text, 'otp'::text, 'notice'::text, 'promotion'::text]))),
  constraint price_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(customer_id),
  constraint price_firm_fkey FOREIGN KEY (firm) REFERENCES firm(firm),
  constraint price_pkey PRIMARY KEY (customer_id, firm, class, prefix, valid_from),
  constraint price_unit_price_check CHECK ((unit_price >= 0))
);
CREATE INDEX price_version ON public.price USING btree (version);

create table receipt (
  customer_id bigint not null,
  receipt_id bigint not null,
  task_id bigint not null,
  seq integer not null,
  parts smallint not null,
  report_part smallint,
  phone_key bigint not null,
  price bigint not null,
  submitted_at timestamp with time zone,
  done_at timestamp with time zone,
  channel_id bigint,
  cost bigint,
  bucket smallint default 0 not null,
  report_parts smallint,
  is_charged boolean,
  phone text not null,
  firm text,
  result text not null,
  code text,
  upstream_message_id text,
  constraint receipt_pkey PRIMARY KEY (bucket, customer_id, receipt_id),
  constraint receipt_result_check CHECK ((result = ANY (ARRAY['delivered'::text, 'undelivered'::text, 'expired'::text, 'rejected'::text])))
) partition by RANGE (receipt_id);
CREATE INDEX receipt_failure ON ONLY public.receipt USING btree (channel_id, result, code, bucket, ((receipt_id >> 37))) WHERE ((result = ANY (ARRAY['undelivered'::text, 'expired'::text, 'rejected'::text])) AND (report_part IS NOT NULL));
CREATE INDEX receipt_other_firm ON ONLY public.receipt USING btree (customer_id, firm, result, bucket, ((receipt_id >> 36))) WHERE (result <> 'delivered'::text);
CREATE INDEX receipt_other_result ON ONLY public.receipt USING btree (customer_id, result, bucket, ((receipt_id >> 37))) WHERE (result <> 'delivered'::text);
CREATE INDEX receipt_phone ON ONLY public.receipt USING btree (phone_key, customer_id, receipt_id);
CREATE INDEX receipt_task ON ONLY public.receipt USING btree (customer_id, task_id);

create table receipt_sum (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  series text not null,
  grain text not null,
  at timestamp with time zone not null,
  key text not null,
  delivered bigint not null,
  undelivered bigint not null,
  expired bigint not null,
  rejected bigint not null,
  parts bigint not null,
  charged bigint not null,
  cancelled bigint default 0 not null,
  handed_over bigint,
  constraint receipt_sum_grain_check CHECK ((grain = ANY (ARRAY['hour'::text, 'day'::text]))),
  constraint receipt_sum_pkey PRIMARY KEY (bucket, customer_id, series, grain, at, key),
  constraint receipt_sum_series_check CHECK ((series = ANY (ARRAY['all'::text, 'template'::text, 'firm'::text, 'code'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX receipt_sum_hour_code ON public.receipt_sum USING btree (bucket, at) WHERE ((series = 'code'::text) AND (grain = 'hour'::text));

create table recovery (
  only_row boolean default true not null,
  system_identifier text,
  timeline integer,
  state text default 'open'::text not null,
  noticed_at timestamp with time zone,
  reason text,
  detail text,
  held_at timestamp with time zone,
  constraint recovery_check CHECK (((state = 'held'::text) = ((held_at IS NOT NULL) AND (reason IS NOT NULL)))),
  constraint recovery_only_row_check CHECK (only_row),
  constraint recovery_pkey PRIMARY KEY (only_row),
  constraint recovery_reason_check CHECK ((reason = ANY (ARRAY['lost_commits'::text, 'unproven'::text, 'other_system'::text, 'restored'::text]))),
  constraint recovery_state_check CHECK ((state = ANY (ARRAY['open'::text, 'held'::text])))
);

create table retention_month (
  month date not null,
  started_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  deleted jsonb default '{}'::jsonb not null,
  constraint retention_month_pkey PRIMARY KEY (month)
);

create table service_account (
  service_account_id bigint generated always as identity not null,
  service_account_no text not null,
  customer_id bigint not null,
  name text not null,
  sender text not null,
  status text not null,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  signature text,
  signature_position text default 'head'::text not null,
  constraint service_account_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(customer_id),
  constraint service_account_pkey PRIMARY KEY (service_account_id),
  constraint service_account_service_account_no_key UNIQUE (service_account_no),
  constraint service_account_signature_position_check CHECK ((signature_position = ANY (ARRAY['head'::text, 'tail'::text]))),
  constraint service_account_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
CREATE INDEX service_account_customer ON public.service_account USING btree (customer_id, service_account_id);
CREATE INDEX service_account_version ON public.service_account USING btree (version);

create table submit (
  customer_id bigint not null,
  submit_id bigint not null,
  task_id bigint not null,
  seq integer not null,
  part smallint not null,
  parts smallint not null,
  channel_id bigint not null,
  phone_key bigint not null,
  answered_at timestamp with time zone,
  phone text not null,
  firm text not null,
  status text not null,
  code text,
  upstream_message_id text,
  bucket smallint default 0 not null,
  submitted_at timestamp with time zone default now() not null,
  constraint submit_pkey PRIMARY KEY (bucket, customer_id, submit_id),
  constraint submit_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'rejected'::text, 'unknown'::text])))
) partition by RANGE (submit_id);
CREATE INDEX submit_failure ON ONLY public.submit USING btree (channel_id, status, code, bucket, ((submit_id >> 37))) WHERE (status <> 'accepted'::text);
CREATE INDEX submit_other_status ON ONLY public.submit USING btree (customer_id, status, bucket, ((submit_id >> 37))) WHERE (status <> 'accepted'::text);
CREATE INDEX submit_phone ON ONLY public.submit USING btree (phone_key, customer_id, submit_id);
CREATE INDEX submit_task ON ONLY public.submit USING btree (customer_id, task_id);
CREATE INDEX submit_upstream ON ONLY public.submit USING btree (ltrim(lower(upstream_message_id), '0'::text), channel_id) WHERE (upstream_message_id IS NOT NULL);

create table task (
  customer_id bigint not null,
  task_id bigint not null,
  request_key text not null,
  fingerprint bytea not null,
  template_id bigint not null,
  service_account_id bigint not null,
  account_defaulted boolean not null,
  target_firms text[],
  auto_prepare boolean not null,
  auto_freeze boolean not null,
  auto_submit boolean not null,
  payload text,
  stage text not null,
  failure text,
  insufficient_funds boolean default false not null,
  frozen_at timestamp with time zone,
  price bigint default 0 not null,
  total integer not null,
  rejected integer default 0 not null,
  unknown integer default 0 not null,
  awaiting integer default 0 not null,
  delivered integer default 0 not null,
  undelivered integer default 0 not null,
  expired integer default 0 not null,
  cancelled integer default 0 not null,
  timeline jsonb not null,
  updated_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  bucket smallint default 0 not null,
  queued_for text,
  ended text,
  frozen bigint default 0 not null,
  charged bigint default 0 not null,
  released bigint default 0 not null,
  refunded bigint default 0 not null,
  charge_on text,
  refund_on_failure boolean,
  prepare_tries integer default 0 not null,
  prepare_error text,
  prepare_after timestamp with time zone,
  batch_id text,
  send_at timestamp with time zone,
  expires_at timestamp with time zone,
  unsent_until timestamp with time zone,
  submit_at timestamp with time zone,
  paused boolean,
  ending text,
  over_limit boolean default false not null,
  finished_id bigint,
  title text,
  content text,
  constraint task_awaiting_check CHECK ((awaiting >= 0)),
  constraint task_charge_on_check CHECK ((charge_on = ANY (ARRAY['submit'::text, 'delivery'::text]))),
  constraint task_charged_check CHECK ((charged >= 0)),
  constraint task_check CHECK (((((((rejected + unknown) + awaiting) + delivered) + undelivered) + expired) <= total)),
  constraint task_check1 CHECK (((charged + released) <= frozen)),
  constraint task_check2 CHECK ((refunded <= charged)),
  constraint task_delivered_check CHECK ((delivered >= 0)),
  constraint task_ended_check CHECK ((ended = ANY (ARRAY['failed'::text, 'cancelled'::text]))),
  constraint task_ending_check CHECK ((ending = ANY (ARRAY['cancelled'::text, 'expired_unsent'::text, 'outside_window'::text]))),
  constraint task_expired_check CHECK ((expired >= 0)),
  constraint task_frozen_check CHECK ((frozen >= 0)),
  constraint task_pkey PRIMARY KEY (bucket, customer_id, task_id),
  constraint task_queued_for_check CHECK ((queued_for = ANY (ARRAY['prepare'::text, 'manual'::text]))),
  constraint task_refunded_check CHECK ((refunded >= 0)),
  constraint task_rejected_check CHECK ((rejected >= 0)),
  constraint task_released_check CHECK ((released >= 0)),
  constraint task_stage_check CHECK ((stage = ANY (ARRAY['queued'::text, 'prepared'::text, 'submitting'::text, 'waiting_receipt'::text, 'submit_unknown'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint task_total_check CHECK ((total > 0)),
  constraint task_undelivered_check CHECK ((undelivered >= 0)),
  constraint task_unknown_check CHECK ((unknown >= 0))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000, autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX task_batch ON public.task USING btree (bucket, customer_id, batch_id, task_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX task_ended ON public.task USING btree (bucket, customer_id, task_id) WHERE (ended IS NOT NULL);
CREATE INDEX task_finished ON public.task USING btree (bucket, customer_id, finished_id) WHERE (finished_id IS NOT NULL);
CREATE INDEX task_insufficient ON public.task USING btree (bucket, customer_id, task_id) WHERE insufficient_funds;
CREATE INDEX task_over_limit ON public.task USING btree (bucket, customer_id, task_id) WHERE over_limit;
CREATE INDEX task_paused ON public.task USING btree (bucket, customer_id, task_id) WHERE paused;
CREATE INDEX task_prepare_error ON public.task USING btree (task_id) WHERE ((queued_for IS NOT NULL) AND (prepare_error IS NOT NULL));
CREATE INDEX task_prepare_retry ON public.task USING btree (bucket, prepare_after) WHERE ((queued_for = 'prepare'::text) AND (prepare_after IS NOT NULL));
CREATE INDEX task_queued ON public.task USING btree (bucket, customer_id, task_id) WHERE (queued_for IS NOT NULL);
CREATE UNIQUE INDEX task_request_key ON public.task USING btree (bucket, request_key, customer_id);
CREATE INDEX task_submit_at ON public.task USING btree (bucket, submit_at) WHERE ((submit_at IS NOT NULL) AND (paused IS NOT TRUE));
CREATE INDEX task_template ON public.task USING btree (customer_id, template_id, task_id);
CREATE INDEX task_title ON public.task USING btree (bucket, customer_id, title text_pattern_ops, task_id) WHERE (title IS NOT NULL);
CREATE INDEX task_to_prepare ON public.task USING btree (bucket, customer_id, task_id) WHERE ((queued_for = 'prepare'::text) AND (prepare_after IS NULL) AND (total <= 500));
CREATE INDEX task_to_prepare_large ON public.task USING btree (bucket, customer_id, task_id) WHERE ((queued_for = 'prepare'::text) AND (prepare_after IS NULL) AND (total > 500));
CREATE INDEX task_unsent_until ON public.task USING btree (bucket, unsent_until) WHERE (unsent_until IS NOT NULL);

create table template (
  template_id bigint generated always as identity not null,
  template_no text not null,
  customer_id bigint not null,
  name text not null,
  body text not null,
  service_account_id bigint not null,
  firms text[],
  status text not null,
  version bigint not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  upstream_codes jsonb default '{}'::jsonb not null,
  class text default 'notice'::text not null,
  review text,
  revision integer default 1 not null,
  submission_id bigint,
  reason text,
  reviewed_at timestamp with time zone,
  approved_body text,
  constraint template_class_check CHECK ((class = ANY (ARRAY['otp'::text, 'notice'::text, 'promotion'::text]))),
  constraint template_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(customer_id),
  constraint template_pkey PRIMARY KEY (template_id),
  constraint template_review_check CHECK ((review = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text]))),
  constraint template_service_account_id_fkey FOREIGN KEY (service_account_id) REFERENCES service_account(service_account_id),
  constraint template_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint template_template_no_key UNIQUE (template_no)
);
CREATE INDEX template_customer ON public.template USING btree (customer_id, template_id);
CREATE INDEX template_to_review ON public.template USING btree (submission_id) WHERE (review = 'pending'::text);
CREATE INDEX template_version ON public.template USING btree (version);

create table template_review (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  review_id bigint not null,
  template_id bigint not null,
  template_no text not null,
  name text not null,
  body text not null,
  revision integer not null,
  decision text not null,
  reason text,
  actor text not null,
  constraint template_review_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'rejected'::text]))),
  constraint template_review_pkey PRIMARY KEY (bucket, customer_id, review_id)
);
CREATE INDEX template_review_template ON public.template_review USING btree (bucket, customer_id, template_id, review_id);

create table traffic_sum (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  grain text not null,
  at timestamp with time zone not null,
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
  charged_numbers bigint default 0 not null,
  charged_parts bigint default 0 not null,
  constraint traffic_sum_grain_check CHECK ((grain = ANY (ARRAY['hour'::text, 'day'::text]))),
  constraint traffic_sum_pkey PRIMARY KEY (bucket, customer_id, grain, at, channel_id, firm, class, unit_price)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000);

create table unclaimed_uplink (
  unclaimed_uplink_id bigint generated always as identity not null,
  channel_id bigint not null,
  sender text not null,
  recipient text not null,
  content text not null,
  received_at timestamp with time zone default now() not null,
  incomplete boolean default false not null,
  fingerprint text,
  constraint unclaimed_uplink_pkey PRIMARY KEY (unclaimed_uplink_id)
);
CREATE INDEX unclaimed_uplink_received ON public.unclaimed_uplink USING btree (received_at);
CREATE INDEX unclaimed_uplink_sender ON public.unclaimed_uplink USING btree (channel_id, sender, unclaimed_uplink_id);

create table unknown_part (
  customer_id bigint not null,
  task_id bigint not null,
  seq integer not null,
  part integer not null,
  chunk_no integer not null,
  channel_id bigint not null,
  phone_key bigint not null,
  since timestamp with time zone not null,
  deadline timestamp with time zone not null,
  bucket smallint default 0 not null,
  constraint unknown_part_pkey PRIMARY KEY (bucket, customer_id, task_id, seq, part)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX unknown_part_deadline ON public.unknown_part USING btree (bucket, deadline);
CREATE INDEX unknown_part_phone ON public.unknown_part USING btree (channel_id, phone_key);
CREATE INDEX unknown_part_urgent ON public.unknown_part USING btree (deadline, customer_id, task_id, seq, part);

create table unmatched_report (
  report_id bigint generated always as identity not null,
  channel_id bigint not null,
  message_key text not null,
  message_id text not null,
  phone text,
  status text not null,
  code text not null,
  done_at timestamp with time zone,
  received_at timestamp with time zone default now() not null,
  reference text,
  constraint unmatched_report_pkey PRIMARY KEY (report_id)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX unmatched_report_channel ON public.unmatched_report USING btree (channel_id, report_id);
CREATE INDEX unmatched_report_received ON public.unmatched_report USING btree (received_at);

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
  incomplete boolean default false not null,
  fingerprint text,
  constraint uplink_pkey PRIMARY KEY (bucket, customer_id, uplink_id)
) partition by RANGE (uplink_id);
CREATE INDEX uplink_account ON ONLY public.uplink USING btree (customer_id, service_account_id, uplink_id);
CREATE INDEX uplink_phone ON ONLY public.uplink USING btree (phone_key, customer_id, uplink_id);

create table upstream_callback (
  callback_id bigint generated always as identity not null,
  channel_id bigint not null,
  feedback jsonb not null,
  received_at timestamp with time zone default now() not null,
  constraint upstream_callback_pkey PRIMARY KEY (callback_id)
) with (autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX upstream_callback_channel ON public.upstream_callback USING btree (channel_id, callback_id);

create table webhook (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  webhook_id bigint not null,
  url text not null,
  events text[] not null,
  description text,
  status text not null,
  disabled_reason text,
  disabled_at timestamp with time zone,
  disabled_id bigint,
  secret_sealed bytea not null,
  old_secret_sealed bytea,
  old_secret_until timestamp with time zone,
  attempt_seq bigint default 0 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  verified_at timestamp with time zone,
  masked boolean default false not null,
  constraint webhook_pkey PRIMARY KEY (bucket, customer_id, webhook_id),
  constraint webhook_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);

create table webhook_attempt (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  webhook_id bigint not null,
  slot smallint not null,
  attempt_no bigint not null,
  event text not null,
  message_id text not null,
  items integer not null,
  at timestamp with time zone not null,
  status integer,
  error text,
  latency_ms integer not null,
  request_body text default ''::text not null,
  response_body text default ''::text not null,
  span_after bigint,
  span_until bigint,
  constraint webhook_attempt_pkey PRIMARY KEY (bucket, customer_id, webhook_id, slot)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);

create table webhook_cursor (
  bucket smallint default 0 not null,
  customer_id bigint not null,
  webhook_id bigint not null,
  event text not null,
  position bigint not null,
  message_end bigint,
  message_no bigint default 0 not null,
  failures integer default 0 not null,
  failing_since timestamp with time zone,
  next_try_at timestamp with time zone,
  token bigint default 0 not null,
  lease_until timestamp with time zone,
  due_at timestamp with time zone,
  replay_until bigint,
  constraint webhook_cursor_pkey PRIMARY KEY (bucket, customer_id, webhook_id, event)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX webhook_cursor_due ON public.webhook_cursor USING btree (bucket, due_at) WHERE (due_at IS NOT NULL);

create table work_lease (
  work text not null,
  holder text not null,
  expires_at timestamp with time zone not null,
  constraint work_lease_pkey PRIMARY KEY (work)
);

create view delivery_report as
 SELECT delivery.bucket,
    delivery.customer_id,
    delivery.delivery_id,
    delivery.task_id,
    delivery.seq,
    delivery.part,
    delivery.parts,
    delivery.channel_id,
    delivery.phone_key,
    delivery.phone,
    delivery.firm,
    delivery.status,
    delivery.code,
    delivery.upstream_message_id,
    delivery.done_at
   FROM delivery
UNION ALL
 SELECT receipt.bucket,
    receipt.customer_id,
    receipt.receipt_id AS delivery_id,
    receipt.task_id,
    receipt.seq,
    receipt.report_part AS part,
    receipt.report_parts AS parts,
    receipt.channel_id,
    receipt.phone_key,
    receipt.phone,
    receipt.firm,
    receipt.result AS status,
    receipt.code,
    receipt.upstream_message_id,
    receipt.done_at
   FROM receipt
  WHERE (receipt.report_part IS NOT NULL);
