-- Push. An endpoint is a reader of its customer's own history with a position for each kind of event, not a queue of rows.

create table webhook (
  bucket smallint not null default 0,
  customer_id bigint not null,
  webhook_id bigint not null,
  url text not null,
  events text[] not null,
  description text,
  status text not null check (status in ('active', 'disabled')),
  -- Why and since when, where the service disabled it.
  disabled_reason text,
  disabled_at timestamptz,
  secret_sealed bytea not null,
  -- The secret before the last rotation, which signs along until then.
  old_secret_sealed bytea,
  old_secret_until timestamptz,
  -- How many attempts were made; the log keeps the last hundred.
  attempt_seq bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (bucket, customer_id, webhook_id)
);

create table webhook_cursor (
  bucket smallint not null default 0,
  customer_id bigint not null,
  webhook_id bigint not null,
  event text not null,
  -- Everything up to here is delivered: an id of the record log, or the number of a ledger entry for `account.low`.
  position bigint not null,
  -- The end of the message under way; it stays the same over its tries.
  message_end bigint,
  message_no bigint not null default 0,
  failures integer not null default 0,
  failing_since timestamptz,
  next_try_at timestamptz,
  -- Who delivers: the token rises with every claim, and what is written after a delivery names the token of its claim.
  token bigint not null default 0,
  lease_until timestamptz,
  primary key (bucket, customer_id, webhook_id, event)
);

-- The last attempts of an endpoint; the slots are written round and round.
create table webhook_attempt (
  bucket smallint not null default 0,
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
  primary key (bucket, customer_id, webhook_id, slot)
);

-- Whether the ends of this customer's tasks are numbered, because somebody is told of them.
alter table account add column tells_finished boolean not null default false;
-- The place of a task's end in the record log. Null for customers who are not told: their updates stay within their page.
alter table task add column finished_id bigint;
create index task_finished on task (bucket, customer_id, finished_id) where finished_id is not null;
