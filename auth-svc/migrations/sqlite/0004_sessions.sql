-- The sessions that have not ended, and when each was last used; moments in milliseconds since 1970.
create table sessions (
  id text primary key,
  user_id integer not null,
  used_ms integer not null,
  ends_ms integer not null
) strict;
create index sessions_user on sessions (user_id);
create index sessions_used on sessions (used_ms);
