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
