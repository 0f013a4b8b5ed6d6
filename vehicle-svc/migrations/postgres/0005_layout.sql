-- grows when vehicles of the campaign come, go, or change their identifier or place
alter table campaigns add column layout bigint not null default 0;
