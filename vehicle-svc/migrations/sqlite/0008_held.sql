-- Work that devices hold and have not sent, as they told last.
create table held (
    user_id integer not null,
    device text not null,
    campaign_id integer not null references campaigns (id),
    saves integer not null,
    -- by the device's clock
    oldest_at text not null,
    told_at text not null,
    primary key (user_id, device, campaign_id)
) strict, without rowid;
create index held_campaign on held (campaign_id, user_id, device);
