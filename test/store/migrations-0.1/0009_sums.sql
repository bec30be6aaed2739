-- Sums over the history, so that nobody has to read it all to know how much it is. They are kept by a reader with a position
-- in the receipts and in the ledger of each customer, in steps: a number costs no update.

create table history_reader (
  bucket smallint not null default 0,
  customer_id bigint not null,
  -- All receipts up to this id are in the sums.
  receipt_id bigint not null default 0,
  -- All entries up to this number are in the sums, and the day that the last of them counts for.
  entry_seq bigint not null default 0,
  entry_day date,
  primary key (bucket, customer_id)
);

create table receipt_sum (
  bucket smallint not null default 0,
  customer_id bigint not null,
  -- What they are broken down by.
  series text not null check (series in ('all', 'template', 'firm', 'code')),
  grain text not null check (grain in ('hour', 'day')),
  -- The hour or day, in UTC, in which the receipts were made.
  at timestamptz not null,
  -- The id of the template, the firm or the code; empty for all, and for those that have none.
  key text not null,
  delivered bigint not null,
  undelivered bigint not null,
  expired bigint not null,
  rejected bigint not null,
  parts bigint not null,
  charged bigint not null,
  primary key (bucket, customer_id, series, grain, at, key)
) with (fillfactor = 80);

create table ledger_sum (
  bucket smallint not null default 0,
  customer_id bigint not null,
  day date not null,
  type text not null,
  -- 0 for entries without a task.
  template_id bigint not null,
  entries bigint not null,
  amount bigint not null,
  primary key (bucket, customer_id, day, type, template_id)
) with (fillfactor = 80);

-- The last entry of each day. Days follow the order of entries: what is written after midnight counts for the new day, also
-- where the clock was set back since.
create table ledger_day (
  bucket smallint not null default 0,
  customer_id bigint not null,
  day date not null,
  last_seq bigint not null,
  primary key (bucket, customer_id, day)
) with (fillfactor = 80);

-- Whether the number was charged, be it refunded later. Unknown in receipts from before.
alter table receipt add column is_charged boolean;
