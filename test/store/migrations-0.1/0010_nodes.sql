-- The processes there are. Each renews its row every few seconds, so that an operator sees all of them from any of them; one that
-- was not heard of for a day is forgotten. The row fits its page many times over, and renewing it touches no index.
create table node (
  node text primary key,
  roles text[] not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  figures jsonb not null
) with (fillfactor = 20);
