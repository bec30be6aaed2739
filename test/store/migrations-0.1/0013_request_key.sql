-- A task is looked up by its customer and its id, hundreds at a time. As long as the statistics of the table are young or missing,
-- an index that begins with the customer looks just as good for that as the key, and then every look-up reads all of the
-- customer's tasks. The request key comes first now, so that nothing but the key fits.
drop index task_request_key;
create unique index task_request_key on task (bucket, request_key, customer_id);
