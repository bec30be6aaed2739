-- On a cluster: the token of the owner of a channel, beside the rows of each bucket.
create table bucket_fence (
  bucket smallint not null,
  channel_id bigint not null,
  token bigint not null,
  primary key (bucket, channel_id)
);
