-- Who people are, what tokens are signed with, what was withdrawn, and who did what.
create table users (
  id integer primary key autoincrement,
  hmc text not null,
  hmc_key text not null unique,
  role text not null check (role in ('op', 'tm', 'admin')),
  -- Empty for an account that nobody can sign in to.
  password_hash text not null,
  -- Raised whenever all sessions of the person end.
  token_version integer not null,
  -- The newest moment, in milliseconds, that a token of this person may claim to be made at.
  newest_ms integer not null,
  created_at text not null,
  last_login_at text
) strict;

create table signing_keys (
  id text primary key,
  private_key blob not null,
  created_at text not null
) strict;

-- Keys of this service's own: for hashing hmcs and for device marks.
create table own_keys (
  name text primary key,
  value blob not null
) strict;

-- Rows that are raised to take a number, and thereby lock others out until the commit.
create table counters (
  name text primary key,
  value integer not null
) strict;
insert into counters (name, value) values ('people', 0), ('revocations', 0);

create table revocations (
  sequence integer primary key,
  session_id text not null,
  user_id integer not null,
  issued_until text not null,
  forget_at text not null
) strict;
create index revocations_forget_at on revocations (forget_at);

-- Failed attempts and blocks, by bucket; moments in milliseconds since 1970.
create table lockouts (
  bucket text primary key,
  failures integer not null,
  until_ms integer not null,
  last_ms integer not null,
  blocked_ms integer not null
) strict;

create table audit_events (
  id integer primary key autoincrement,
  at text not null,
  user_id integer,
  role text not null,
  kind text not null,
  subject text not null,
  summary text not null,
  address text not null,
  old_values text not null,
  new_values text not null
) strict;
create index audit_events_at on audit_events (at desc, id desc);
create index audit_events_user on audit_events (user_id, at desc, id desc);
create index audit_events_subject on audit_events (subject, at desc, id desc);
