-- What became of a channel's sessions, as its owner saw it: as many slots as are kept, so that it needs no cleaning.
create table channel_event (
  channel_id bigint not null references channel,
  slot smallint not null,
  event_no bigint not null,
  at timestamptz not null,
  owner text not null,
  event text not null check (event in ('opened', 'bound', 'down', 'closed', 'left_out')),
  detail text not null,
  primary key (channel_id, slot)
);

-- Messages that an operator sends through one channel to see whether it works. They belong to no customer and cost none; the last
-- of each channel are kept. One that is `sending` may be on the wire: it is never sent again.
create table channel_test (
  channel_id bigint not null references channel,
  test_id bigint not null,
  phone text not null,
  sender text not null,
  text text not null,
  status text not null check (status in ('queued', 'sending', 'accepted', 'rejected', 'unknown', 'not_sent')),
  code text,
  upstream_message_id text,
  created_by text not null,
  created_at timestamptz not null default now(),
  submitted_at timestamptz,
  answered_at timestamptz,
  report_status text,
  report_code text,
  reported_at timestamptz,
  primary key (channel_id, test_id)
);
