-- Every try to import a workbook, kept as its history.
create table imports (
    id bigint generated always as identity primary key,
    -- chosen by the client, the same on every try of one upload
    upload_id text not null,
    file_name text not null,
    -- of the file's bytes, so that one upload stays one file
    digest text not null,
    user_id bigint not null,
    role text not null,
    address text not null,
    started_at timestamptz not null,
    -- the last sign of life while it runs
    seen_at timestamptz not null,
    ended_at timestamptz,
    outcome text not null check (outcome in ('running', 'imported', 'rejected', 'failed', 'cancelled')),
    -- the draft, or the campaign it became
    campaign_id bigint,
    campaign_name text not null default '',
    vehicles bigint not null default 0,
    errors bigint not null default 0
);
create unique index imports_upload on imports (upload_id);
create index imports_running on imports (seen_at) where outcome = 'running';

create table audit_events (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    user_id bigint,
    role text not null,
    kind text not null,
    subject text not null,
    summary text not null,
    address text not null,
    old_values text not null,
    new_values text not null
);
create index audit_events_at on audit_events (at desc, id desc);
