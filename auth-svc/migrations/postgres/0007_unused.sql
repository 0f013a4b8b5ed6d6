-- Whether a session ended because nobody used it, and not on purpose.
alter table revocations add column unused boolean not null default false;
