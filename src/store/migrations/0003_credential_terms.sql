-- A key has a name, may expire, and shows when it was last used.
alter table credential
  add column name text,
  add column expires_at timestamptz,
  add column last_used_at timestamptz;
