-- From a code of a channel and its count to the parts that it came with. A report did not say through which channel it came; those from
-- before are in no such list. Only what failed is in these indexes: what goes well writes no entry.
alter table delivery add column channel_id bigint;
create index submit_failure on submit (channel_id, status, code, bucket, (submit_id >> 37)) where status <> 'accepted';
create index delivery_failure on delivery (channel_id, status, code, bucket, (delivery_id >> 37))
  where status in ('undelivered', 'expired', 'rejected');
