-- no-transaction
-- The dashboard of a campaign lists the vehicles in repair, which are few among many.
create index concurrently if not exists vehicles_in_repair on vehicles (campaign_id, walk_key, id) where status = 'Repair';
