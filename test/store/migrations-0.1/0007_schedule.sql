-- Tasks that wait for a time, for somebody, or for nothing any more.

alter table task
  -- Nothing is handed over before it.
  add column send_at timestamptz,
  -- What is unsent then is not sent any more.
  add column expires_at timestamptz,
  -- The same while something is unsent: what the sweeper goes by.
  add column unsent_until timestamptz,
  -- Its submission is granted, and its chunks are kept out of the queue until then, or until it is resumed.
  add column submit_at timestamptz,
  -- Null: it never was; false: it was, and goes on.
  add column paused boolean,
  -- What is unsent, or turns out to be, gets its receipt with this code.
  add column ending text check (ending in ('cancelled', 'expired_unsent')),
  -- It waits for the next day or a higher limit, not for money.
  add column over_limit boolean not null default false;
-- Neither changes for a task without a schedule, so its updates stay within their page.
create index task_unsent_until on task (bucket, unsent_until) where unsent_until is not null;
create index task_submit_at on task (bucket, submit_at) where submit_at is not null and paused is not true;
create index task_paused on task (bucket, customer_id, task_id) where paused;

alter table chunk
  -- Of its task: no part of it goes out from then on, and carriers are told.
  add column expires_at timestamptz,
  -- The channels that refused its numbers before this one.
  add column tried bigint[];

alter table account
  -- What was frozen on a day (UTC), for customers with a limit.
  add column frozen_on date,
  add column frozen_that_day bigint not null default 0;
