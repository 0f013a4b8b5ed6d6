-- Deletion of expired access entries, in batches.
create index audit_events_access on audit_events (at) where kind in ('page-view', 'login', 'logout', 'login-failed', 'refused');
-- The history of a campaign reads its audit entries.
create index audit_events_subject on audit_events (subject, at desc, id desc);
