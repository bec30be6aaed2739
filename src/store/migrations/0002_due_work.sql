-- concurrently
-- An index of due work holds only due work. Tasks that wait for their customer, or for the next try, are in none of the two
-- that a look reads; a task enters when its customer or the time moves it on. One index for each lane: 500 is the size of a chunk.
create index task_to_prepare on task (bucket, customer_id, task_id)
  where queued_for = 'prepare' and prepare_after is null and total <= 500;
create index task_to_prepare_large on task (bucket, customer_id, task_id)
  where queued_for = 'prepare' and prepare_after is null and total > 500;
create index task_prepare_retry on task (bucket, prepare_after)
  where queued_for = 'prepare' and prepare_after is not null;
