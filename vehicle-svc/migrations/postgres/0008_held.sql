-- Work that devices hold and have not sent, as they told last.
create table held (
    user_id bigint not null,
    device text not null,
    campaign_id bigint not null references campaigns (id),
    saves bigint not null,
    -- by the device's clock
    oldest_at timestamptz not null,
    told_at timestamptz not null,
    primary key (user_id, device, campaign_id)
);
create index held_campaign on held (campaign_id, user_id, device);
