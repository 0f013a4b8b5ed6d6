-- Sheets that were refused for bad rows, kept for a while to be handed back with their errors.
create table rejected_sheets (
    upload_id text primary key,
    user_id bigint not null,
    file_name text not null,
    data bytea not null,
    at timestamptz not null
);
create index rejected_sheets_user on rejected_sheets (user_id, at desc);
create index rejected_sheets_at on rejected_sheets (at desc);

-- whether somebody asked for a running import to be given up
alter table imports add column cancel boolean not null default false;
