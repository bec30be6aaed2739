-- concurrently
-- Queued chunks by time. The condition is one that no statement on the order of a customer's queue implies, so that the planner
-- takes this index for looks by time alone.
create index chunk_queued_at on chunk (bucket, channel_id, queued_at) where queue_no > 0;
