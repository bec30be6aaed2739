-- Tasks that could not be prepared are looked for by the operator: few, and found without reading those that wait.
create index task_prepare_error on task (task_id) where queued_for is not null and prepare_error is not null;
