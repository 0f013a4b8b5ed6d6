-- no-transaction
-- The history of a user reads the jobs that the user undid.
create index concurrently if not exists jobs_undone_by on jobs (undone_by, undone_at desc) where undone_by is not null;
