-- A database that is not the embedded one has PostgreSQL's defaults: vacuum comes after a fifth of a table has changed, which is hours for a
-- queue that turns over every second. These are the settings of the embedded server, for the tables that need them.

-- Rows that are updated all the time.
alter table account set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_limit = 2000);
alter table channel_heartbeat set (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_limit = 2000);
alter table node set (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_limit = 2000);
alter table webhook_cursor set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_limit = 2000);
alter table webhook_attempt set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_limit = 2000);
alter table history_reader set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_limit = 2000);
alter table receipt_sum set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_limit = 2000);
alter table ledger_sum set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_limit = 2000);

-- Queues. The numbers of a chunk and the payload of a task lie in their TOAST tables.
alter table chunk set (autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_limit = 2000,
  toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_cost_limit = 2000);
alter table task set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_cost_limit = 2000, toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_cost_limit = 2000);
alter table unknown_part set (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_limit = 2000);
alter table orphan_delivery set (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_limit = 2000);
alter table channel_minute set (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000);

-- History. Counts are read from the index alone where vacuum has marked the pages. Partitions made later get the same (partitions.ts).
alter table ledger_entry set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
do $$
declare
  partition regclass;
begin
  for partition in
    select inhrelid from pg_inherits
    where inhparent in ('submit'::regclass, 'delivery'::regclass, 'receipt'::regclass, 'uplink'::regclass)
  loop
    execute format('alter table %s set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02, '
      'autovacuum_vacuum_cost_limit = 2000)', partition);
  end loop;
end $$;

-- For the planner: statements are short, so that compiling them or spreading them over processes costs more than it gives, and data lies in
-- memory or on flash. What an operator has set for this database stays. Only its owner may set them; without that, the guide says how.
do $$
declare
  setting text;
begin
  foreach setting in array array['jit=off', 'max_parallel_workers_per_gather=0', 'random_page_cost=1.1'] loop
    if not exists (
      select from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
      cross join unnest(s.setconfig) as given
      where d.datname = current_database() and s.setrole = 0 and split_part(given, '=', 1) = split_part(setting, '=', 1)
    ) then
      execute format('alter database %I set %s = %s', current_database(), split_part(setting, '=', 1), split_part(setting, '=', 2));
    end if;
  end loop;
exception when insufficient_privilege then
  raise notice 'the planner settings of this database are left as they are: only its owner may set them';
end $$;
