-- Where and when a session began, and when its password was last compared.
alter table sessions add column device text not null default '';
alter table sessions add column address text not null default '';
alter table sessions add column begun_ms bigint not null default 0;
alter table sessions add column confirmed_ms bigint not null default 0;
