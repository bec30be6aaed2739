-- What each machine was asked for in the last second: requests per second by customer, for limits that hold over all machines.
create table request_demand (
  node text primary key,
  demands jsonb not null,
  seen_at timestamptz not null
);

-- One row a machine, written every second.
alter table request_demand set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
