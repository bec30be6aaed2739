-- Requests that belong together carry the customer's name for them. The task rows are the truth about a batch; a row of its own
-- only says that it exists and since when, so that batches can be listed newest first without reading all tasks.

alter table task add column batch_id text;
create index task_batch on task (bucket, customer_id, batch_id, task_id) where batch_id is not null;

create table batch (
  bucket smallint not null,
  customer_id bigint not null,
  batch_id text not null,
  -- The task that it began with; carries the time.
  first_task_id bigint not null,
  primary key (bucket, customer_id, batch_id)
);
create index batch_newest on batch (bucket, customer_id, first_task_id);
