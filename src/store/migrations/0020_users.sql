-- People who sign in to the console, and their sessions.

create table console_user (
  user_id bigint primary key,
  user_no text not null unique,
  side text not null check (side in ('operator', 'customer')),
  -- Null for operators.
  customer_id bigint,
  email text not null,
  name text not null,
  role text not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  -- Null until the invitation is accepted, and for people who sign in elsewhere. Carries its own cost parameters.
  password_hash text,
  accepted_at timestamptz,
  -- SHA-256 of the token in the link; null when none is open.
  invitation_hash text unique,
  invitation_expires_at timestamptz,
  last_signed_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((side = 'customer') = (customer_id is not null))
);
create unique index console_user_email on console_user (side, lower(email));
create index console_user_customer on console_user (customer_id, user_id);

create table console_session (
  -- SHA-256 of the token in the cookie.
  token_hash text primary key,
  session_no text not null unique,
  user_id bigint not null,
  -- How the person proved who they are.
  method text not null,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now()
);
create index console_session_user on console_session (user_id, created_at);
