-- The months whose history has ended, or is ending: the audit reads no task of them again.
create table retention_month (
  month date primary key,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  deleted jsonb not null default '{}'
);
