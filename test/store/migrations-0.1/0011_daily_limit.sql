-- The daily limit is decided on under the account's lock, so it lies in the account's row, like the credit limit.
alter table account add column daily_limit bigint check (daily_limit >= 0);
update account a set daily_limit = c.daily_limit
from customer c where c.bucket = a.bucket and c.customer_id = a.customer_id and c.daily_limit is not null;

-- Tasks that wait for another day are found when one begins. No other update of a task changes the column.
create index task_over_limit on task (bucket, customer_id, task_id) where over_limit;
