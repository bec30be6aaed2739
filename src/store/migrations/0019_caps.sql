-- How often a number may be sent to: what was sent to whom, for as long as a cap counts it, and numbers that no cap applies to.
alter table customer add column caps jsonb not null default '[]';

-- Whether sends of the customer are counted, or were: a rejected number is then taken out of the count.
alter table account add column counts_sends boolean not null default false;

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
