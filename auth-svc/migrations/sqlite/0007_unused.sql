-- Whether a session ended because nobody used it, and not on purpose.
alter table revocations add column unused integer not null default 0;
