-- The buckets that a customer can belong to: one on a single PostgreSQL, one a shard on a cluster.
create table bucket (bucket smallint primary key);
insert into bucket values (0);
