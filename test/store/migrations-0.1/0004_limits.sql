-- What a customer may spend a UTC day, and below what its balance is low; null is no limit and no mark.
alter table customer
  add column daily_limit bigint check (daily_limit >= 0),
  add column low_balance bigint;

-- Refusals after which a number goes to the next granted channel of its firm.
alter table channel add column failover_codes text[] not null default '{}';
