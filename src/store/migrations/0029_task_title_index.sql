-- concurrently
create index task_title on task (bucket, customer_id, title text_pattern_ops, task_id) where (title is not null);
