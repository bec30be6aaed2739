-- Second factors of users: codes of an authenticator app, and recovery codes.

alter table console_user
  -- Sealed under the secret key.
  add column totp_sealed bytea,
  -- Null while a code of the app has not been seen yet.
  add column totp_confirmed_at timestamptz,
  -- The last step whose code was taken: none is taken twice.
  add column totp_last_step bigint not null default 0,
  -- SHA-256 of each code that is left.
  add column recovery_hashes text[] not null default '{}';
