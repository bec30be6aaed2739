-- Push. A look for work reads the cursors that are due instead of all of them; endpoints are verified before their first event;
-- one replay at a time; the log of attempts shows what was sent and answered.

-- Whether the customer has cursors: where it has none, recording need not mark any.
alter table account add column has_webhooks boolean not null default false;
update account a set has_webhooks = true
where exists (select from webhook_cursor c where c.bucket = a.bucket and c.customer_id = a.customer_id);

-- Null: nothing to tell up to `position`, which is then the head of the history. Infinity: the endpoint is disabled.
alter table webhook_cursor add column due_at timestamptz;
-- The end of a replay; null when none is under way.
alter table webhook_cursor add column replay_until bigint;
update webhook_cursor c set due_at = case when w.status = 'active' then now() else 'infinity' end
from webhook w
where w.bucket = c.bucket and w.customer_id = c.customer_id and w.webhook_id = c.webhook_id;
create index webhook_cursor_due on webhook_cursor (bucket, due_at) where due_at is not null;

-- When the endpoint first answered a signed test message with 2xx. Endpoints from before have been called already.
alter table webhook add column verified_at timestamptz;
update webhook set verified_at = now();

alter table webhook_attempt add column request_body text not null default '';
alter table webhook_attempt add column response_body text not null default '';
