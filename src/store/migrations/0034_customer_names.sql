-- Customers by the beginning of their name, in the order of names. Compared by bytes: a range is then a prefix.

create index customer_name_start on customer (lower(name) collate "C", customer_id);
