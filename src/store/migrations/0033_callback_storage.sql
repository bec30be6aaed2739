-- Release 0.2.0 created the table of callbacks without these settings.
alter table upstream_callback set (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_limit = 2000);
