-- Every customer belongs to a bucket: the unit in which work is batched, and in which it can be placed on one of several
-- machines. On a single PostgreSQL there is one, number 0. Tenant keys lead with it.
--
-- What is due lives in the rows it is due for, not in a queue beside them: a task waits to be prepared, a chunk waits to be
-- handed over and then for its receipts. The money held for a task lives in the task. Numbers that must follow the order of
-- commits (ledger entries, records, places in a queue) come from the account row, under its lock.

alter table customer add column bucket smallint not null default 0;

-- Money.

alter table account
  add column bucket smallint not null default 0,
  -- The id of the newest delivery, receipt or uplink: ids of one customer rise in the order of commits.
  add column record_id bigint not null default 0,
  -- How many submit records were made; their ids carry the time of the wire and take their low bits from here.
  add column submit_seq bigint not null default 0,
  -- The place of the chunk that was put up for dispatch last.
  add column queue_seq bigint not null default 0,
  -- Money came in: tasks that wait for it are to be tried again.
  add column wants_refreeze boolean not null default false,
  drop constraint account_pkey,
  add primary key (bucket, customer_id);
create index account_refreeze on account (bucket, customer_id) where wants_refreeze;

update account a set record_id = greatest(
    (select coalesce(max(delivery_id), 0) from delivery where customer_id = a.customer_id),
    (select coalesce(max(receipt_id), 0) from receipt where customer_id = a.customer_id),
    (select coalesce(max(uplink_id), 0) from uplink where customer_id = a.customer_id)),
  -- Far from the low bits that records of the last milliseconds have taken.
  submit_seq = (select coalesce(max(submit_id), 0) & 1048575 from submit where customer_id = a.customer_id) + 524288,
  queue_seq = (select coalesce(max(job_id), 0) from job),
  wants_refreeze = exists (select 1 from job where kind = 'refreeze' and customer_id = a.customer_id);

alter table ledger_entry
  add column bucket smallint not null default 0,
  drop constraint ledger_entry_pkey,
  add primary key (bucket, customer_id, seq);
drop index ledger_entry_reference;
create unique index ledger_entry_reference on ledger_entry (bucket, customer_id, type, reference) where reference is not null;

-- Tasks.

alter table task
  add column bucket smallint not null default 0,
  -- Accepted and not prepared: `prepare` when it is to be prepared by itself, `manual` when somebody has to ask for it.
  add column queued_for text check (queued_for in ('prepare', 'manual')),
  -- Set for tasks that ended without going through: few, and looked for.
  add column ended text check (ended in ('failed', 'cancelled')),
  add column frozen bigint not null default 0 check (frozen >= 0),
  add column charged bigint not null default 0 check (charged >= 0),
  add column released bigint not null default 0 check (released >= 0),
  add column refunded bigint not null default 0 check (refunded >= 0),
  -- The terms at the moment of the freeze; a later change of the customer's terms does not reach back.
  add column charge_on text check (charge_on in ('submit', 'delivery')),
  add column refund_on_failure boolean,
  -- How often preparing it failed, why it failed last, and when it is tried again.
  add column prepare_tries integer not null default 0,
  add column prepare_error text,
  add column prepare_after timestamptz,
  drop constraint task_pkey,
  add primary key (bucket, customer_id, task_id),
  add check (charged + released <= frozen),
  add check (refunded <= charged);

update task t set frozen = h.frozen, charged = h.charged, released = h.released, refunded = h.refunded,
  charge_on = h.charge_on, refund_on_failure = h.refund_on_failure
from hold h where h.customer_id = t.customer_id and h.task_id = t.task_id;
update task set ended = stage where stage in ('failed', 'cancelled');
update task t set queued_for = case when exists (
    select 1 from job j where j.kind = 'prepare' and j.customer_id = t.customer_id and j.task_id = t.task_id
  ) then 'prepare' else 'manual' end
where stage = 'queued';

drop table hold;
drop index task_request_key;
create unique index task_request_key on task (bucket, customer_id, request_key);
-- The stage changes with nearly every update, so no index may know it: the updates stay within their page.
drop index task_stage;
create index task_queued on task (bucket, customer_id, task_id) where queued_for is not null;
create index task_ended on task (bucket, customer_id, task_id) where ended is not null;
create index task_insufficient on task (bucket, customer_id, task_id) where insufficient_funds;

-- Chunks.

alter table chunk
  add column bucket smallint not null default 0,
  -- Its place in the channel's queue while parts of it are to be handed over, counted per customer.
  add column queue_no bigint,
  -- Until when its receipts are waited for, once it is handed over.
  add column due_at timestamptz,
  drop constraint chunk_pkey,
  add primary key (bucket, customer_id, task_id, chunk_no);
update chunk c set queue_no = j.job_id from job j
where j.kind = 'dispatch' and j.customer_id = c.customer_id and j.task_id = c.task_id and j.chunk_no = c.chunk_no;
update chunk c set due_at = j.due_at from job j
where j.kind = 'expire' and j.customer_id = c.customer_id and j.task_id = c.task_id and j.chunk_no = c.chunk_no;
alter table chunk drop column job_id;
create index chunk_queue on chunk (bucket, channel_id, customer_id, queue_no) where queue_no is not null;
create index chunk_due on chunk (bucket, due_at) where due_at is not null;
alter table chunk set (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000);

drop table job;

-- The other tenant tables.

alter table opt_out
  add column bucket smallint not null default 0,
  drop constraint opt_out_pkey,
  add primary key (bucket, customer_id, phone_key);

alter table unknown_part
  add column bucket smallint not null default 0,
  drop constraint unknown_part_pkey,
  add primary key (bucket, customer_id, task_id, seq, part);
drop index unknown_part_deadline;
create index unknown_part_deadline on unknown_part (bucket, deadline);

alter table submit
  add column bucket smallint not null default 0,
  drop constraint submit_pkey,
  add primary key (bucket, customer_id, submit_id);
alter table delivery
  add column bucket smallint not null default 0,
  drop constraint delivery_pkey,
  add primary key (bucket, customer_id, delivery_id);
alter table receipt
  add column bucket smallint not null default 0,
  drop constraint receipt_pkey,
  add primary key (bucket, customer_id, receipt_id);
alter table uplink
  add column bucket smallint not null default 0,
  -- Parts of a long message never came.
  add column incomplete boolean not null default false,
  -- The same for a message that its upstream sends again: it is not stored twice.
  add column fingerprint text,
  drop constraint uplink_pkey,
  add primary key (bucket, customer_id, uplink_id);

drop sequence history_seq;

-- The owner of a channel. The fence is written at a takeover only, and share-locked by every transaction that writes for the
-- channel; the heartbeat is written all the time, and locked by nobody else.

create table channel_fence (
  channel_id bigint primary key references channel,
  owner text not null,
  token bigint not null
);
create table channel_heartbeat (
  channel_id bigint primary key references channel,
  token bigint not null,
  expires_at timestamptz not null,
  health jsonb not null default '{}'
);
insert into channel_fence (channel_id, owner, token) select channel_id, owner, token from channel_lease;
insert into channel_heartbeat (channel_id, token, expires_at) select channel_id, token, now() from channel_lease;
drop table channel_lease;

create index orphan_delivery_received on orphan_delivery (received_at);
alter table unclaimed_uplink add column incomplete boolean not null default false;
