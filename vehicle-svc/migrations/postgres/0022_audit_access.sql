-- no-transaction
-- Deletion of expired access entries from the first partition.
create index concurrently if not exists audit_events_access on audit_events (at) where kind in ('page-view', 'login', 'logout', 'login-failed', 'refused');
