-- Sums by hour end after some hundred days, those by day stay. Hours before this day are gone for the customer.
alter table history_reader add column hours_ended_on date;
