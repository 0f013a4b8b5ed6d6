-- Parts of the log whose entries were moved to a file: the file's number of entries and its SHA-256. Digests and seals stay here.
create table audit_archives (
    part text primary key,
    -- only entries from this time on, and before that time, are missing from the database
    begins timestamptz not null,
    ends timestamptz not null,
    entries bigint not null,
    sha256 text not null,
    at timestamptz not null
);
create trigger audit_archives_kept before update or delete on audit_archives for each row execute function kept_audit();
create trigger audit_archives_whole before truncate on audit_archives for each statement execute function kept_audit();
