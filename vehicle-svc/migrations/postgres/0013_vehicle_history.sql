-- no-transaction
-- The history of a vehicle reads the audit entries of its saves.
create index concurrently if not exists audit_events_subject on audit_events (subject, at desc, id desc);
