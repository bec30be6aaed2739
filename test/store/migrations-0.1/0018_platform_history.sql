-- What the owners of channels had counted at the beginning of each minute, for a day: two of them tell what went through in
-- between. By minute first, since the oldest are forgotten and the newest are read, whatever the channel.
create table channel_minute (
  minute timestamptz not null,
  channel_id bigint not null references channel,
  since timestamptz not null,
  accepted bigint not null,
  refused bigint not null,
  throttled bigint not null,
  unknown bigint not null,
  reports bigint not null,
  primary key (minute, channel_id)
);
