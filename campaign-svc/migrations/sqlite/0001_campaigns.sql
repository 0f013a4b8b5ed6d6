create table campaigns (
    id integer primary key autoincrement,
    name text not null,
    name_key text not null,
    description text not null,
    part text not null,
    model_type text not null,
    image text not null,
    status text not null check (status in ('Ready', 'Ongoing', 'Pending Review', 'Closed')),
    state text not null check (state in ('draft', 'live', 'deleting')),
    import_id text not null,
    created_by integer not null,
    modified_by integer,
    created_at text not null,
    modified_at text not null,
    touched_at text not null,
    revision integer not null,
    synced_revision integer not null,
    turn_revision integer not null
) strict;
-- A name is taken by drafts too, and free again as soon as a deletion has begun.
create unique index campaigns_name on campaigns (name_key) where state <> 'deleting';
create unique index campaigns_import on campaigns (import_id) where import_id <> '';
create index campaigns_newest on campaigns (created_at desc, id desc) where state = 'live';
-- What the sweeper looks for; in a quiet hour both hold nothing.
create index campaigns_unfinished on campaigns (touched_at) where state <> 'live';
create index campaigns_untold on campaigns (touched_at) where synced_revision < revision;

create table audit_events (
    id integer primary key autoincrement,
    at text not null,
    user_id integer,
    role text not null,
    kind text not null,
    subject text not null,
    summary text not null,
    address text not null,
    old_values text not null,
    new_values text not null
) strict;
create index audit_events_at on audit_events (at desc, id desc);
