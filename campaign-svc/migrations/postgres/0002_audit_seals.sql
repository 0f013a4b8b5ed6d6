-- The chain over the audit entries: a digest of each entry, a seal over each batch and the seal before.
create table audit_seals (
    id bigint primary key,
    digest text not null,
    at timestamptz not null
);
create table audit_digests (
    event_id bigint primary key,
    seal bigint not null,
    kind text not null,
    at timestamptz not null,
    digest text not null
);
create index audit_digests_seal on audit_digests (seal, event_id);
