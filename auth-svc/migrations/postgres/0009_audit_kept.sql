-- The audit log refuses changes and deletions by its writer, except for entries on access that have reached their end.
create function kept_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'audit_events' then
    if old.kind in ('page-view', 'login', 'logout', 'login-failed', 'refused') then
      return old;
    end if;
  end if;
  raise exception 'the audit log is only added to';
end
$$;
create trigger audit_events_kept before update or delete on audit_events for each row execute function kept_audit();
create trigger audit_events_whole before truncate on audit_events for each statement execute function kept_audit();
create trigger audit_digests_kept before update or delete on audit_digests for each row execute function kept_audit();
create trigger audit_digests_whole before truncate on audit_digests for each statement execute function kept_audit();
create trigger audit_seals_kept before update or delete on audit_seals for each row execute function kept_audit();
create trigger audit_seals_whole before truncate on audit_seals for each statement execute function kept_audit();
