-- The last change of each vehicle since its import, so that whoever holds a list may ask for what changed since.
create table changes (
    vehicle_id bigint primary key,
    campaign_id bigint not null,
    -- the campaign's counts_revision that the change came with
    revision bigint not null,
    -- the last save of a person on the vehicle's screen; many at once are nobody's pace
    saved_by bigint,
    saved_at timestamptz
);
create index changes_revision on changes (campaign_id, revision);
create index changes_saved on changes (campaign_id, saved_at);
-- Whoever holds a list of an earlier revision fetches the whole: what changed before is not listed above.
alter table campaigns add column listed_from bigint not null default 0;
update campaigns set listed_from = counts_revision;
