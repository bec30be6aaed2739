-- Passkeys of users (WebAuthn credentials), and the challenges that were answered.

create table passkey (
  -- As the authenticator names it, in base64url.
  credential_id text primary key,
  passkey_no text not null unique,
  user_id bigint not null,
  name text not null,
  -- In COSE form.
  public_key bytea not null,
  -- How often the authenticator has signed; zero where it does not count.
  sign_count bigint not null,
  -- How browsers reach the authenticator, as a hint.
  transports text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkey_user on passkey (user_id, created_at);

-- Each challenge works once. A row is deleted when the challenge would have expired anyway.
create table passkey_challenge (
  challenge_hash text primary key,
  expires_at timestamptz not null
);
create index passkey_challenge_expiry on passkey_challenge (expires_at);
