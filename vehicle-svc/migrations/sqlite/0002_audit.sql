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
