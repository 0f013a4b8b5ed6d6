-- The chain over the audit entries: a digest of each entry, a seal over each batch and the seal before.
create table audit_seals (
    id integer primary key,
    digest text not null,
    at text not null
) strict;
create table audit_digests (
    event_id integer primary key,
    seal integer not null,
    kind text not null,
    at text not null,
    digest text not null
) strict;
create index audit_digests_seal on audit_digests (seal, event_id);
