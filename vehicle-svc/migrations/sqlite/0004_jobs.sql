-- What changed many vehicles at once, with what they were before, so that it can be taken back.
create table jobs (
    id integer primary key autoincrement,
    kind text not null check (kind in ('import', 'status', 'space', 'file')),
    -- the status that was set, empty when it was removed; the file's name
    detail text not null,
    user_id integer,
    at text not null,
    vehicles integer not null,
    -- whether supervisor notes changed, which only supervisors take back
    supervisor integer not null,
    undone_at text,
    undone_by integer,
    restored integer not null default 0,
    -- the campaign that goes with an undone import, until campaign-svc has removed it
    removing integer
) strict;
create index jobs_at on jobs (at desc, id desc);
create index jobs_removing on jobs (removing) where removing is not null;

create table job_campaigns (
    job_id integer not null references jobs (id) on delete cascade,
    campaign_id integer not null,
    name text not null,
    vehicles integer not null,
    primary key (job_id, campaign_id)
) strict, without rowid;
create index job_campaigns_campaign on job_campaigns (campaign_id);

-- Vehicles as a job found them. No reference to jobs: a check for each of ten thousand rows is dear.
create table job_changes (
    job_id integer not null,
    vehicle_id integer not null,
    -- which content the vehicle had before and after, see vehicles.content
    content_before integer not null,
    content_after integer not null,
    status text not null,
    inspected integer not null,
    parking_space text not null,
    yard_id integer,
    operator_notes text not null,
    admin_notes text not null,
    -- changed since, and left as it was when the job was undone
    is_left integer not null default 0,
    primary key (job_id, vehicle_id)
) strict, without rowid;

-- A vehicle's content is numbered by the version that brought it, unless that version brought back an earlier one.
alter table vehicles add column restored_version integer;
alter table vehicles add column content integer;
