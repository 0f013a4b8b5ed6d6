-- What vehicle-svc knows of campaigns: told by campaign-svc, counted here.
create table campaigns (
    id bigint primary key,
    name text not null,
    -- draft while it is imported, open, closed, removed for ever
    gate text not null check (gate in ('draft', 'open', 'closed', 'removed')),
    -- the last change of campaign-svc that arrived here
    revision bigint not null default 0,
    total bigint not null default 0,
    inspected bigint not null default 0,
    -- grows whenever counters or the walking order change
    counts_revision bigint not null default 0,
    begun boolean not null default false
);
create index campaigns_name on campaigns (name);

create table vehicles (
    id bigint generated always as identity primary key,
    campaign_id bigint not null references campaigns (id),
    model_code text not null,
    serial_number text not null,
    -- the comparison key of model code and serial number
    vin_key text collate "C" not null,
    parking_space text not null,
    yard_id bigint,
    yard_group text not null,
    -- sorts as people walk
    walk_key text collate "C" not null,
    -- identifier and parking space in lower case, for searching
    haystack text not null,
    status text not null default '',
    inspected boolean not null default false,
    admin_notes text not null default '',
    operator_notes text not null default '',
    modified_by bigint,
    modified_at timestamptz not null,
    version bigint not null default 1
);
create unique index vehicles_vin on vehicles (campaign_id, vin_key);
create index vehicles_vin_anywhere on vehicles (vin_key);
create index vehicles_walk on vehicles (campaign_id, walk_key, id);
create index vehicles_next on vehicles (campaign_id, walk_key, id) where not inspected;
create index vehicles_next_in_yard on vehicles (campaign_id, yard_id, walk_key, id) where not inspected;

-- yard 0 counts the vehicles whose space leads to no yard
create table counters (
    campaign_id bigint not null references campaigns (id),
    yard_id bigint not null,
    total bigint not null,
    inspected bigint not null,
    primary key (campaign_id, yard_id)
);
create index counters_yard on counters (yard_id, campaign_id);

-- turning points that campaign-svc has not been told yet, the latest of each campaign
create table turns (
    campaign_id bigint primary key references campaigns (id),
    turn bigint not null,
    revision bigint not null
);

-- saves that may be repeated without being done again
create table save_keys (
    user_id bigint not null,
    idempotency_key text not null,
    vehicle_id bigint not null,
    fingerprint text not null,
    at timestamptz not null,
    primary key (user_id, idempotency_key)
);
create index save_keys_at on save_keys (at);
