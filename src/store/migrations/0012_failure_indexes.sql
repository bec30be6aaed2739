-- concurrently
-- Lists by status read these. Most rows are successes, and a list of those walks the key, so that a success has no entry here.
create index submit_other_status on submit (customer_id, status, bucket, (submit_id >> 37)) where status <> 'accepted';
create index delivery_other_status on delivery (customer_id, status, bucket, (delivery_id >> 37)) where status <> 'delivered';
create index receipt_other_result on receipt (customer_id, result, bucket, (receipt_id >> 37)) where result <> 'delivered';
create index receipt_other_firm on receipt (customer_id, firm, result, bucket, (receipt_id >> 36)) where result <> 'delivered';
