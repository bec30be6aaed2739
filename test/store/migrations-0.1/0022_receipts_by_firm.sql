-- Receipts can be listed by firm, alone or together with a result. With the result in the index a page is read from its end,
-- however seldom the two meet; all results of a firm are four such reads, merged. The span is half as long as that of
-- receipt_result, so that an order by it fits this index and no other.
create index receipt_firm on receipt (customer_id, firm, result, bucket, (receipt_id >> 36));
