-- Which history of the database the service knows, and whether channels may send on it. A failover or a restore begins another timeline: nothing is
-- sent on it before it is confirmed that no commit was lost, or an operator has released it.
create table recovery (
  only_row boolean default true not null primary key check (only_row),
  -- Null until the first process has started.
  system_identifier text,
  timeline integer,
  state text default 'open' not null check (state in ('open', 'held')),
  -- Since when another timeline is looked at; null while there is none.
  noticed_at timestamp with time zone,
  reason text check (reason in ('lost_commits', 'unproven', 'other_system', 'restored')),
  detail text,
  held_at timestamp with time zone,
  check ((state = 'held') = (held_at is not null and reason is not null))
);
insert into recovery default values;

-- The timeline on which this process has found all of its own commits.
alter table node add column confirmed_timeline integer;
