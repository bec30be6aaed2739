-- Whether the messages to an endpoint show masked phone numbers.
alter table webhook add column masked boolean not null default false;
