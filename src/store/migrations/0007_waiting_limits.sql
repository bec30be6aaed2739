-- What a customer may have waiting: accepted and not sent. Without an end, one without money could fill the disk with tasks for later.
alter table customer
  add column waiting_tasks_limit integer not null default 500000 check (waiting_tasks_limit > 0),
  add column waiting_numbers_limit integer not null default 10000000 check (waiting_numbers_limit > 0),
  add column waiting_mebibytes_limit integer not null default 1024 check (waiting_mebibytes_limit > 0);
