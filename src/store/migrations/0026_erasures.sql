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
-- The key of the hashes, sealed. It stays the same when the secret key is rotated.
alter table config_version add column erasure_key_sealed bytea;
