-- Numbers whose channel is gone for good are given up after a time. What is there already begins to wait now.
alter table chunk
  -- When it was made, or last put up for dispatch.
  add column queued_at timestamptz not null default now();
alter table channel_heartbeat
  -- When the channel was last seen carrying messages, or first owned.
  add column live_at timestamptz not null default now();
