-- Script that writes a save and selects the vehicle afterwards, on SQLite. It runs in the writer's transaction as a whole, so that
-- the vehicle cannot change between load and write.
update vehicles set {assignments} where id = $1;

-- Counters of the at most two yards that the save affects.
insert into counters (campaign_id, yard_id, total, inspected) select $2, $17, $18, $19 where $17 is not null
on conflict (campaign_id, yard_id) do update
   set total = counters.total + excluded.total, inspected = counters.inspected + excluded.inspected;
insert into counters (campaign_id, yard_id, total, inspected) select $2, $20, $21, $22 where $20 is not null
on conflict (campaign_id, yard_id) do update
   set total = counters.total + excluded.total, inspected = counters.inspected + excluded.inspected;

-- Milestone (work begun, complete, incomplete again) that the campaign reaches, queued for campaign-svc. The update of the counters
-- follows, so that the query still sees the counters before this save.
insert into turns (campaign_id, turn, revision)
select id, turn, revision from (select id, counts_revision + 1 as revision, {milestone} as turn from campaigns where id = $2)
 where turn is not null
on conflict (campaign_id) do update set turn = excluded.turn, revision = excluded.revision;

-- Counters and revision of the campaign.
update campaigns
   set total = total + $23, inspected = inspected + $24, counts_revision = counts_revision + 1, layout = layout + $36, begun = true
 where id = $2;

-- Revision of the vehicle, from which devices fetch the changes that they missed.
insert into changes (vehicle_id, campaign_id, revision, saved_by, saved_at)
select $1, $2, counts_revision, $15, $16 from campaigns where id = $2
on conflict (vehicle_id) do update set revision = excluded.revision, saved_by = excluded.saved_by, saved_at = excluded.saved_at;

-- Inspection work of this hour in each yard, and the number of vehicles with each status in each yard.
insert into activity (campaign_id, hour, yard_id, user_id, inspected, saves, found_wrong)
select $2, $37, yard, coalesce($15, 0), sum(inspected), sum(saves), sum(wrong)
  from (select coalesce($8, 0) as yard, 0 as inspected, 1 as saves, $38 as wrong
        union all select $17, $19, 0, 0 union all select $20, $22, 0, 0)
 where yard is not null and (inspected <> 0 or saves <> 0) group by yard
{add_work};
insert into status_counts (campaign_id, yard_id, status, vehicles)
select $2, yard, status, sum(number)
  from (select coalesce($39, 0) as yard, $40 as status, -1 as number union all select coalesce($8, 0), $12, 1)
 where status <> '' group by yard, status having sum(number) <> 0
{add_statuses};

-- Audit entry and idempotency key.
insert into audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
values ($16, $15, $25, $26, $27, $28, $29, $30, $31);
insert into save_keys (user_id, idempotency_key, vehicle_id, fingerprint, at) select $32, $33, $1, $34, $16 where $33 <> '';

-- Response: the saved vehicle, the next one to inspect, and the campaign's counters.
select {columns}, {next}, c.total, c.inspected as total_inspected, c.counts_revision as revision,
       exists (select 1 from turns t where t.campaign_id = c.id and t.revision = c.counts_revision) as turned
  from vehicles v join campaigns c on c.id = v.campaign_id where v.id = $1
