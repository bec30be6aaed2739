-- A revoked grant stays as a row, so that processes that read what has changed since a version learn of it.
alter table channel_grant add column revoked_at timestamp with time zone;

-- What a message was about, so that it can be sent once more: from behind the one place of the history up to the other. Null for tests.
alter table webhook_attempt add column span_after bigint;
alter table webhook_attempt add column span_until bigint;
