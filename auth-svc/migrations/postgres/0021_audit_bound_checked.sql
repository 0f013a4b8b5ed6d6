-- Attaching the entries as a partition relies on this check instead of reading them under a lock.
alter table audit_events validate constraint audit_events_bound;
