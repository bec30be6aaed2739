-- The kinds of channels are those that the service has drivers for; the database keeps no list of them.
alter table channel drop constraint channel_kind_check;
