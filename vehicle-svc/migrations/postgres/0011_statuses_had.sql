-- The statuses that a vehicle has had, one bit each, so that a save's claim of what its person saw can be checked.
alter table vehicles add column statuses_had integer not null default 1;
