-- When each signing key begins to sign: it is published for a while before.
create table signing_turns (
  id text primary key,
  private_key blob not null,
  created_at text not null,
  signs_from text not null
) strict;
insert into signing_turns (id, private_key, created_at, signs_from) select id, private_key, created_at, created_at from signing_keys;
drop table signing_keys;
alter table signing_turns rename to signing_keys;
