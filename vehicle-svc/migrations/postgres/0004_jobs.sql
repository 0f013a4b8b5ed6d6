-- What changed many vehicles at once, with what they were before, so that it can be taken back.
create table jobs (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('import', 'status', 'space', 'file')),
    -- the status that was set, empty when it was removed; the file's name
    detail text not null,
    user_id bigint,
    at timestamptz not null,
    vehicles bigint not null,
    -- whether supervisor notes changed, which only supervisors take back
    supervisor boolean not null,
    undone_at timestamptz,
    undone_by bigint,
    restored bigint not null default 0,
    -- the campaign that goes with an undone import, until campaign-svc has removed it
    removing bigint
);
create index jobs_at on jobs (at desc, id desc);
create index jobs_removing on jobs (removing) where removing is not null;

create table job_campaigns (
    job_id bigint not null references jobs (id) on delete cascade,
    campaign_id bigint not null,
    name text not null,
    vehicles bigint not null,
    primary key (job_id, campaign_id)
);
create index job_campaigns_campaign on job_campaigns (campaign_id);

-- Vehicles as a job found them. No reference to jobs: a check for each of ten thousand rows is dear.
create table job_changes (
    job_id bigint not null,
    vehicle_id bigint not null,
    -- which content the vehicle had before and after, see vehicles.content
    content_before bigint not null,
    content_after bigint not null,
    status text not null,
    inspected boolean not null,
    parking_space text not null,
    yard_id bigint,
    operator_notes text not null,
    admin_notes text not null,
    -- changed since, and left as it was when the job was undone
    is_left boolean not null default false,
    primary key (job_id, vehicle_id)
);

-- A vehicle's content is numbered by the version that brought it, unless that version brought back an earlier one.
alter table vehicles add column restored_version bigint;
alter table vehicles add column content bigint;
