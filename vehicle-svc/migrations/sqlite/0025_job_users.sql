-- The history of a user reads the jobs of the user.
create index jobs_user on jobs (user_id, at desc, id desc);
