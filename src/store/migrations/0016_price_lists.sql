-- Prices by prefix, class and date; what a part costs us on a channel; and the sums that margins are read from. An empty class
-- or prefix stands for all of them: both are part of the key.
alter table price
  add column class text not null default '',
  add column prefix text not null default '',
  add column valid_from timestamptz not null default now();
update price set valid_from = date_trunc('milliseconds', created_at);
alter table price drop constraint price_pkey;
alter table price add constraint price_pkey primary key (customer_id, firm, class, prefix, valid_from);
alter table price add constraint price_class_check check (class in ('', 'otp', 'notice', 'promotion'));

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

-- The channel that carried a number, and what that cost us. Null where it cost nothing, and in older receipts.
alter table receipt add column channel_id bigint;
alter table receipt add column cost bigint;

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
  primary key (bucket, customer_id, grain, at, channel_id, firm, class, unit_price)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_limit = 2000);
