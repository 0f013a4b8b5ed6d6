-- What vehicle-svc knows of campaigns: told by campaign-svc, counted here.
create table campaigns (
    id integer primary key,
    name text not null,
    -- draft while it is imported, open, closed, removed for ever
    gate text not null check (gate in ('draft', 'open', 'closed', 'removed')),
    -- the last change of campaign-svc that arrived here
    revision integer not null default 0,
    total integer not null default 0,
    inspected integer not null default 0,
    -- grows whenever counters or the walking order change
    counts_revision integer not null default 0,
    begun integer not null default 0
) strict;
create index campaigns_name on campaigns (name);

create table vehicles (
    id integer primary key autoincrement,
    campaign_id integer not null references campaigns (id),
    model_code text not null,
    serial_number text not null,
    -- the comparison key of model code and serial number
    vin_key text not null,
    parking_space text not null,
    yard_id integer,
    yard_group text not null,
    -- sorts as people walk
    walk_key text not null,
    -- identifier and parking space in lower case, for searching
    haystack text not null,
    status text not null default '',
    inspected integer not null default 0,
    admin_notes text not null default '',
    operator_notes text not null default '',
    modified_by integer,
    modified_at text not null,
    version integer not null default 1
) strict;
create unique index vehicles_vin on vehicles (campaign_id, vin_key);
create index vehicles_vin_anywhere on vehicles (vin_key);
create index vehicles_walk on vehicles (campaign_id, walk_key, id);
create index vehicles_next on vehicles (campaign_id, walk_key, id) where not inspected;
create index vehicles_next_in_yard on vehicles (campaign_id, yard_id, walk_key, id) where not inspected;

-- yard 0 counts the vehicles whose space leads to no yard
create table counters (
    campaign_id integer not null references campaigns (id),
    yard_id integer not null,
    total integer not null,
    inspected integer not null,
    primary key (campaign_id, yard_id)
) strict, without rowid;
create index counters_yard on counters (yard_id, campaign_id);

-- turning points that campaign-svc has not been told yet, the latest of each campaign
create table turns (
    campaign_id integer primary key references campaigns (id),
    turn integer not null,
    revision integer not null
) strict;

-- saves that may be repeated without being done again
create table save_keys (
    user_id integer not null,
    idempotency_key text not null,
    vehicle_id integer not null,
    fingerprint text not null,
    at text not null,
    primary key (user_id, idempotency_key)
) strict, without rowid;
create index save_keys_at on save_keys (at);
