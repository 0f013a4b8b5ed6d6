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
