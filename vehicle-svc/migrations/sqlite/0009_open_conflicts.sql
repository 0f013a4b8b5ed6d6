-- Lists ask first whether there is any open conflict at all.
create index if not exists conflicts_open on conflicts (vehicle_id) where settled_at is null;
