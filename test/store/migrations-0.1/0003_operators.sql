-- Operators by name: each has a role and a token of its own, of which only the hash is stored. Those that are removed stay,
-- because the audit log knows operators by name and a name must mean one person for ever.
create table operator (
  operator_id bigint generated always as identity primary key,
  operator_no text not null unique,
  name text not null unique,
  role text not null check (role in ('admin', 'support', 'finance', 'viewer')),
  status text not null check (status in ('active', 'removed')),
  token_hash text not null unique,
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index operator_version on operator (version);

-- What a key may be used for.
alter table credential add column scopes text[] not null default '{send,read,finance,webhooks}';

-- The audit log is asked who did it, what was done, and to what, each within a time.
create index audit_at on audit (at, audit_id);
create index audit_actor on audit (actor, at, audit_id);
create index audit_action on audit (action, at, audit_id);
create index audit_subject on audit (subject, at, audit_id);

-- What waits for a decision, over all customers, the most urgent first.
create index unknown_part_urgent on unknown_part (deadline, customer_id, task_id, seq, part);
