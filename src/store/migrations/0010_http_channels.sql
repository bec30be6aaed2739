-- Channels over HTTP: what their upstreams call templates, the token of their callback addresses, and what was called back.

alter table template add column upstream_codes jsonb not null default '{}';

-- Null for kinds that have no callbacks.
alter table channel add column callback_token text;

-- Reports and uplinks that any process stored before it answered the upstream, until the owner of the channel has recorded them.
create table upstream_callback (
  callback_id bigint generated always as identity primary key,
  channel_id bigint not null,
  feedback jsonb not null,
  received_at timestamptz not null default now()
);
create index upstream_callback_channel on upstream_callback (channel_id, callback_id);
alter table upstream_callback set (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_limit = 2000);
