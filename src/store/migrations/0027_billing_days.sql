-- Days and months of statements and statistics follow it.
alter table customer add column billing_time_zone text not null default 'UTC';

-- Numbers that were cancelled or whose time ran out before they were sent, apart from those that were rejected; and numbers that were
-- handed over, null in sums from before.
alter table receipt_sum add column cancelled bigint not null default 0;
alter table receipt_sum add column handed_over bigint;

-- Sums by code say how many of the others were cancelled. Those by template and firm count them as rejected until now. The rows by
-- code go first: they stay locked, so that both agree.
update receipt_sum set cancelled = rejected, rejected = 0
where series = 'code' and key in ('cancelled', 'expired_unsent');

update receipt_sum s set cancelled = c.cancelled, rejected = s.rejected - c.cancelled
from (
  select bucket, customer_id, grain, at, sum(cancelled)::bigint as cancelled from receipt_sum
  where series = 'code' and key in ('cancelled', 'expired_unsent')
  group by bucket, customer_id, grain, at
) as c
where s.bucket = c.bucket and s.customer_id = c.customer_id and s.series = 'all' and s.grain = c.grain and s.at = c.at;
