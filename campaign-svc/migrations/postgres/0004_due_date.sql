-- Time until which the inspection should be finished; null when no due date is set.
alter table campaigns add column due_at timestamptz;
