-- Whether somebody else set the password, so that its owner has to change it first.
alter table users add column must_change integer not null default 0;
