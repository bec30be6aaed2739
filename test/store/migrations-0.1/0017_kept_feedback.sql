-- A kept report may name our part, and is about no other then; forgetting that made it anybody's after a restart.
alter table orphan_delivery add column reference text;

-- An unclaimed uplink that its upstream sends again is told by its fingerprint from the last of the same sender, and none is
-- kept for ever.
alter table unclaimed_uplink add column fingerprint text;
create index unclaimed_uplink_sender on unclaimed_uplink (channel_id, sender, unclaimed_uplink_id);
create index unclaimed_uplink_received on unclaimed_uplink (received_at);
