-- A list tells how many there are up to ten thousand. Counted by result or status, each of them was looked up in its table for nothing but its
-- bucket. With the bucket in the index it answers alone; the place was empty, there to align what follows, so no entry is longer.
drop index receipt_result;
create index receipt_result on receipt (customer_id, result, bucket, (receipt_id >> 37));
drop index submit_status;
create index submit_status on submit (customer_id, status, bucket, (submit_id >> 37));
drop index delivery_status;
create index delivery_status on delivery (customer_id, status, bucket, (delivery_id >> 37));
