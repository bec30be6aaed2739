-- Money is bigint millionths of the customer's currency. Ids of tenant rows are `milliseconds << 20 | 20 bits`, so that the
-- one key (customer_id, id) serves newest-first order, cursors and time filters. Tenant tables lead with customer_id.

-- Small shared tables. Each row carries the configuration version that last changed it, so that a node refreshes its
-- snapshot by reading only what is newer than it has seen.

create table config_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
insert into config_version (version) values (0);

create table firm (
  firm text primary key,
  name text not null,
  prefixes text[] not null default '{}',
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index firm_version on firm (version);

create table channel (
  channel_id bigint generated always as identity primary key,
  channel_no text not null unique,
  name text not null,
  kind text not null check (kind in ('simulator', 'smpp')),
  firms text[] not null,
  status text not null check (status in ('active', 'disabled')),
  parts_per_second integer check (parts_per_second > 0),
  config jsonb not null,
  secret_sealed bytea,
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index channel_version on channel (version);

create table customer (
  customer_id bigint generated always as identity primary key,
  customer_no text not null unique,
  name text not null,
  status text not null check (status in ('active', 'suspended')),
  currency text not null,
  billing_mode text not null check (billing_mode in ('prepaid', 'postpaid')),
  credit_limit bigint not null check (credit_limit >= 0),
  charge_on text not null check (charge_on in ('submit', 'delivery')),
  refund_on_failure boolean not null,
  unit_price bigint not null check (unit_price >= 0),
  policy_prepare text not null check (policy_prepare in ('by_request', 'always', 'manual')),
  policy_freeze text not null check (policy_freeze in ('by_request', 'always', 'manual')),
  policy_submit text not null check (policy_submit in ('by_request', 'always', 'manual')),
  requests_per_second integer not null check (requests_per_second > 0),
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index customer_version on customer (version);

create table credential (
  api_key text primary key,
  customer_id bigint not null references customer,
  secret_sealed bytea not null,
  ip_allow text[] not null default '{}',
  status text not null check (status in ('active', 'revoked')),
  version bigint not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index credential_version on credential (version);
create index credential_customer on credential (customer_id, created_at);

create table service_account (
  service_account_id bigint generated always as identity primary key,
  service_account_no text not null unique,
  customer_id bigint not null references customer,
  name text not null,
  sender text not null,
  status text not null check (status in ('active', 'disabled')),
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index service_account_version on service_account (version);
create index service_account_customer on service_account (customer_id, service_account_id);

create table template (
  template_id bigint generated always as identity primary key,
  template_no text not null unique,
  customer_id bigint not null references customer,
  name text not null,
  body text not null,
  service_account_id bigint not null references service_account,
  -- Null: approved for every firm.
  firms text[],
  status text not null check (status in ('active', 'disabled')),
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index template_version on template (version);
create index template_customer on template (customer_id, template_id);

create table channel_grant (
  customer_id bigint not null references customer,
  channel_id bigint not null references channel,
  version bigint not null,
  created_at timestamptz not null default now(),
  primary key (customer_id, channel_id)
);
create index channel_grant_version on channel_grant (version);

create table price (
  customer_id bigint not null references customer,
  firm text not null references firm,
  unit_price bigint not null check (unit_price >= 0),
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (customer_id, firm)
);
create index price_version on price (version);

create table audit (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  change jsonb not null
);

create table opt_out (
  customer_id bigint not null,
  phone_key bigint not null,
  phone text not null,
  source text not null check (source in ('uplink', 'operator')),
  created_at timestamptz not null default now(),
  primary key (customer_id, phone_key)
);

-- Money.

-- The account row is also the lock under which everything of one customer that moves money or changes a chunk is written.
create table account (
  customer_id bigint primary key,
  available bigint not null default 0,
  frozen bigint not null default 0 check (frozen >= 0),
  -- What available may fall below zero by; zero for prepaid customers.
  credit_limit bigint not null default 0 check (credit_limit >= 0),
  entry_seq bigint not null default 0
) with (fillfactor = 50);

create table hold (
  customer_id bigint not null,
  task_id bigint not null,
  frozen bigint not null check (frozen >= 0),
  charged bigint not null default 0 check (charged >= 0),
  released bigint not null default 0 check (released >= 0),
  refunded bigint not null default 0 check (refunded >= 0),
  -- The terms at the moment of the freeze; a later change of the customer's terms does not reach back.
  charge_on text not null check (charge_on in ('submit', 'delivery')),
  refund_on_failure boolean not null,
  primary key (customer_id, task_id),
  check (charged + released <= frozen),
  check (refunded <= charged)
) with (fillfactor = 70);

create table ledger_entry (
  customer_id bigint not null,
  seq bigint not null,
  type text not null check (type in ('freeze', 'charge', 'release', 'refund', 'topup', 'adjustment')),
  amount bigint not null,
  task_id bigint,
  numbers integer,
  available_delta bigint not null,
  frozen_delta bigint not null,
  available_after bigint not null,
  frozen_after bigint not null check (frozen_after >= 0),
  remark text,
  reference text,
  created_at timestamptz not null,
  primary key (customer_id, seq),
  check (type in ('topup', 'adjustment') or (task_id is not null and numbers > 0)),
  check (type = 'adjustment' or amount > 0),
  check (case type
    when 'freeze' then available_delta = -amount and frozen_delta = amount
    when 'charge' then available_delta = 0 and frozen_delta = -amount
    when 'release' then available_delta = amount and frozen_delta = -amount
    else available_delta = amount and frozen_delta = 0 end)
);
create index ledger_entry_task on ledger_entry (customer_id, task_id) where task_id is not null;
create index ledger_entry_type on ledger_entry (customer_id, type, seq);
create index ledger_entry_time on ledger_entry (customer_id, created_at);
create unique index ledger_entry_reference on ledger_entry (customer_id, type, reference) where reference is not null;

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
  stage text not null check (stage in ('queued', 'prepared', 'submitting', 'waiting_receipt', 'submit_unknown', 'completed', 'failed', 'cancelled')),
  failure text,
  insufficient_funds boolean not null default false,
  frozen_at timestamptz,
  -- What freezing takes: the price of all numbers that can be sent.
  price bigint not null default 0,
  total integer not null check (total > 0),
  rejected integer not null default 0 check (rejected >= 0),
  unknown integer not null default 0 check (unknown >= 0),
  awaiting integer not null default 0 check (awaiting >= 0),
  delivered integer not null default 0 check (delivered >= 0),
  undelivered integer not null default 0 check (undelivered >= 0),
  expired integer not null default 0 check (expired >= 0),
  timeline jsonb not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  primary key (customer_id, task_id),
  check (rejected + unknown + awaiting + delivered + undelivered + expired <= total)
) with (fillfactor = 80);
create unique index task_request_key on task (customer_id, request_key);
create index task_stage on task (customer_id, stage, task_id);
create index task_template on task (customer_id, template_id, task_id);

-- Up to 500 numbers of one task on one channel, with all that is needed to send them, until each has its receipt.
create table chunk (
  customer_id bigint not null,
  task_id bigint not null,
  chunk_no integer not null,
  job_id bigint not null,
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
  primary key (customer_id, task_id, chunk_no)
) with (fillfactor = 50);

create table job (
  job_id bigint generated always as identity primary key,
  kind text not null check (kind in ('prepare', 'freeze', 'refreeze', 'dispatch', 'expire')),
  customer_id bigint not null,
  task_id bigint not null,
  chunk_no integer not null default 0,
  channel_id bigint,
  due_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000);
create index job_prepare on job (customer_id, job_id) where kind = 'prepare';
create index job_freeze on job (customer_id, job_id) where kind = 'freeze';
create index job_refreeze on job (job_id) where kind = 'refreeze';
create index job_dispatch on job (channel_id, customer_id, job_id) where kind = 'dispatch';
create index job_expire on job (due_at) where kind = 'expire';

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
  primary key (customer_id, task_id, seq, part)
);
create index unknown_part_phone on unknown_part (channel_id, phone_key);
create index unknown_part_deadline on unknown_part (deadline);

create table orphan_delivery (
  orphan_id bigint generated always as identity primary key,
  channel_id bigint not null,
  message_key text not null,
  message_id text not null,
  phone text,
  status text not null,
  code text not null,
  done_at timestamptz,
  received_at timestamptz not null default now()
);
create index orphan_delivery_channel on orphan_delivery (channel_id, orphan_id);

create table unclaimed_uplink (
  unclaimed_uplink_id bigint generated always as identity primary key,
  channel_id bigint not null,
  sender text not null,
  recipient text not null,
  content text not null,
  received_at timestamptz not null default now()
);

-- Which process speaks for a channel. The token rises with every change of owner: writes that carry an older one are refused.
create table channel_lease (
  channel_id bigint primary key references channel,
  owner text not null,
  token bigint not null,
  expires_at timestamptz not null,
  health jsonb not null default '{}'
);

-- History: append-only, partitioned by month of the id's time.

create sequence history_seq cache 64;

create table submit (
  customer_id bigint not null,
  -- Its time is when the part went on the wire.
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
  status text not null check (status in ('accepted', 'rejected', 'unknown')),
  code text,
  upstream_message_id text,
  primary key (customer_id, submit_id)
) partition by range (submit_id);
create index submit_task on submit (customer_id, task_id);
create index submit_phone on submit (customer_id, phone_key, submit_id);
-- 131 seconds of ids share a key, so that the index deduplicates and stays cheap to write.
create index submit_status on submit (customer_id, status, (submit_id >> 37));
create index submit_upstream on submit (ltrim(lower(upstream_message_id), '0'), channel_id) where upstream_message_id is not null;
create table submit_default partition of submit default;

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
  status text not null check (status in ('delivered', 'undelivered', 'expired', 'rejected', 'intermediate')),
  code text,
  upstream_message_id text,
  primary key (customer_id, delivery_id)
) partition by range (delivery_id);
create index delivery_task on delivery (customer_id, task_id);
create index delivery_status on delivery (customer_id, status, (delivery_id >> 37));
create table delivery_default partition of delivery default;

create table receipt (
  customer_id bigint not null,
  -- Its time is when the outcome became known to us.
  receipt_id bigint not null,
  task_id bigint not null,
  seq integer not null,
  parts smallint not null,
  phone_key bigint not null,
  price bigint not null,
  submitted_at timestamptz,
  done_at timestamptz,
  phone text not null,
  firm text,
  result text not null check (result in ('delivered', 'undelivered', 'expired', 'rejected')),
  code text,
  primary key (customer_id, receipt_id)
) partition by range (receipt_id);
create index receipt_task on receipt (customer_id, task_id);
create index receipt_phone on receipt (customer_id, phone_key, receipt_id);
create index receipt_result on receipt (customer_id, result, (receipt_id >> 37));
create table receipt_default partition of receipt default;

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
  primary key (customer_id, uplink_id)
) partition by range (uplink_id);
create index uplink_phone on uplink (customer_id, phone_key, uplink_id);
create index uplink_account on uplink (customer_id, service_account_id, uplink_id);
create table uplink_default partition of uplink default;
