-- Who gave each field the value it has, and when; null until somebody changes it from now on.
alter table vehicles add column status_by bigint;
alter table vehicles add column status_at timestamptz;
alter table vehicles add column operator_notes_by bigint;
alter table vehicles add column operator_notes_at timestamptz;
alter table vehicles add column admin_notes_by bigint;
alter table vehicles add column admin_notes_at timestamptz;
alter table vehicles add column vin_by bigint;
alter table vehicles add column vin_at timestamptz;
alter table vehicles add column space_by bigint;
alter table vehicles add column space_at timestamptz;

-- A field that two people changed without knowing of each other.
create table conflicts (
    id bigint generated always as identity primary key,
    vehicle_id bigint not null,
    campaign_id bigint not null,
    field text not null check (field in ('status', 'operator_notes', 'admin_notes', 'vin_number', 'parking_space')),
    -- what the later of both saw, what was stored when it came, and what it wanted
    base text not null,
    theirs text not null,
    mine text not null,
    theirs_by bigint,
    theirs_at timestamptz not null,
    mine_by bigint not null,
    mine_at timestamptz not null,
    -- as the device of the later one told it
    device_time timestamptz,
    device text not null,
    -- the idempotency key of the save that made it
    save_key text not null,
    shown text not null check (shown in ('theirs', 'mine')),
    chosen text check (chosen in ('theirs', 'mine')),
    settled_by bigint,
    settled_at timestamptz
);
create index conflicts_vehicle on conflicts (vehicle_id, settled_at);
create index conflicts_campaign on conflicts (campaign_id, id);
create index conflicts_theirs on conflicts (theirs_by, id);
create index conflicts_mine on conflicts (mine_by, id);
