-- Deletion of expired access entries, in batches.
create index audit_events_access on audit_events (at) where kind in ('page-view', 'login', 'logout', 'login-failed', 'refused');
