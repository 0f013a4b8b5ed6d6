-- Statement that writes a group of saves and then selects the saved vehicles, on PostgreSQL, in one transaction. Each parameter is
-- an array with one column of the group.
--
-- All parts of the statement see the rows as they were before the statement. The search for the next vehicle to inspect therefore
-- excludes the vehicles of the group. All changes take locks in one order: vehicles by id, then yards, then campaigns.
with

-- The saves of the group, as rows.
s as materialized (
   select * from unnest(
       cast($1 as bigint[]), cast($2 as bigint[]), cast($3 as bigint[]), cast($4 as text[]), cast($5 as text[]), cast($6 as text[]),
       cast($7 as text[]), cast($8 as bigint[]), cast($9 as text[]), cast($10 as text[]), cast($11 as text[]), cast($12 as text[]),
       cast($13 as text[]), cast($14 as text[]), cast($15 as bigint[]), cast($16 as timestamptz[]), cast($17 as bigint[]),
       cast($18 as bigint[]), cast($19 as bigint[]), cast($20 as bigint[]), cast($21 as bigint[]), cast($22 as bigint[]),
       cast($23 as text[]), cast($24 as text[]), cast($25 as text[]), cast($26 as text[]), cast($27 as text[]), cast($28 as text[]),
       cast($29 as text[]), cast($30 as bigint[]), cast($31 as text[]), cast($32 as text[]), cast($33 as bigint[]), cast($34 as bigint[]),
      cast($35 as bigint[]), cast($36 as bigint[]), cast($37 as bigint[]), cast($38 as text[]))
   as s (id, campaign_id, version, model_code, serial_number, vin_key, parking_space, yard_id, yard_group, walk_key, haystack, status,
         admin_notes, operator_notes, saved_by, saved_at, yard_1, total_1, inspected_1, yard_2, total_2, inspected_2,
         role, kind, subject, summary, address, old_values, new_values, user_id, idempotency_key, fingerprint, view, shifted,
         hour, found_wrong, yard_before, status_before)),

-- Open campaigns of the group, locked so that none of them closes before the commit.
gate as materialized (
   select id from campaigns where id in (select campaign_id from s) and gate = 'open' order by id for key share),

-- Locked vehicles that still have the version against which their save was validated. A vehicle that another transaction has locked is
-- not saved, so that the group does not wait for this lock.
held as materialized (
   select v.id from s join gate on gate.id = s.campaign_id join vehicles v on v.id = s.id
    where v.version = s.version order by v.id for no key update of v skip locked),

-- The saved vehicles.
v as (
   update vehicles set {assignments} from s join held on held.id = s.id where vehicles.id = s.id returning vehicles.*),

-- Counters of the yards that the group affects.
moved as (
   insert into counters (campaign_id, yard_id, total, inspected)
   select s.campaign_id, d.yard, cast(sum(d.total) as bigint), cast(sum(d.inspected) as bigint)
     from v join s on s.id = v.id
    cross join lateral (values (s.yard_1, s.total_1, s.inspected_1), (s.yard_2, s.total_2, s.inspected_2)) d (yard, total, inspected)
    where d.yard is not null group by s.campaign_id, d.yard order by s.campaign_id, d.yard
   on conflict (campaign_id, yard_id) do update
      set total = counters.total + excluded.total, inspected = counters.inspected + excluded.inspected
   returning 1),

-- Changes of the counters of each campaign.
sums as materialized (
   select s.campaign_id, count(*) as saves, cast(sum(s.total_1 + s.total_2) as bigint) as total,
          cast(sum(s.inspected_1 + s.inspected_2) as bigint) as inspected, cast(sum(s.shifted) as bigint) as shifted
     from v join s on s.id = v.id group by s.campaign_id),

-- Campaigns, read after their locks are acquired, so that only one of two concurrent groups reports that work began.
awaited as materialized (
   select k.id, k.begun from campaigns k join sums on sums.campaign_id = k.id cross join (select count(*) from moved) after_yards
    order by k.id for no key update of k),

-- Counters and revision of each campaign.
c as (
   update campaigns
      set total = campaigns.total + sums.total, inspected = campaigns.inspected + sums.inspected,
          counts_revision = campaigns.counts_revision + sums.saves, layout = campaigns.layout + sums.shifted, begun = true
     from sums join awaited on awaited.id = sums.campaign_id where campaigns.id = sums.campaign_id
   returning campaigns.id, campaigns.name, campaigns.gate, campaigns.total, campaigns.inspected, campaigns.counts_revision,
             sums.saves, campaigns.total - sums.total as was_total, campaigns.inspected - sums.inspected as was_inspected),

-- Milestones (work begun, complete, incomplete again) that the campaigns reach, queued for campaign-svc.
turned as (
   insert into turns (campaign_id, turn, revision)
   select id, turn, counts_revision
     from (select c.id, c.counts_revision, {milestone} as turn from c join awaited on awaited.id = c.id) turning
    where turn is not null order by id
   on conflict (campaign_id) do update set turn = excluded.turn, revision = excluded.revision returning campaign_id),

-- Revision of each vehicle, from which devices fetch the changes that they missed.
numbered as materialized (
   select v.id, c.counts_revision - c.saves + row_number() over (partition by c.id order by v.id) as revision
     from v join c on c.id = v.campaign_id),
changed as (
   insert into changes (vehicle_id, campaign_id, revision, saved_by, saved_at)
   select s.id, s.campaign_id, numbered.revision, s.saved_by, s.saved_at from numbered join s on s.id = numbered.id
   on conflict (vehicle_id) do update set revision = excluded.revision, saved_by = excluded.saved_by, saved_at = excluded.saved_at),

-- Inspection work of this hour in each yard, and the number of vehicles with each status in each yard. The campaign locks already
-- serialize these writes, so that the order of their rows cannot cause a deadlock.
active as (
   insert into activity (campaign_id, hour, yard_id, user_id, inspected, saves, found_wrong)
   select s.campaign_id, s.hour, d.yard, coalesce(s.saved_by, 0), cast(sum(d.inspected) as bigint), cast(sum(d.saves) as bigint),
          cast(sum(d.wrong) as bigint)
     from v join s on s.id = v.id join c on c.id = s.campaign_id
    cross join lateral (values (coalesce(s.yard_id, 0), 0, 1, s.found_wrong), (s.yard_1, s.inspected_1, 0, 0),
                               (s.yard_2, s.inspected_2, 0, 0)) d (yard, inspected, saves, wrong)
    where d.yard is not null and (d.inspected <> 0 or d.saves <> 0)
    group by s.campaign_id, s.hour, d.yard, coalesce(s.saved_by, 0) order by 1, 2, 3, 4
   {add_work}),
stated as (
   insert into status_counts (campaign_id, yard_id, status, vehicles)
   select s.campaign_id, d.yard, d.status, cast(sum(d.number) as bigint)
     from v join s on s.id = v.id join c on c.id = s.campaign_id
    cross join lateral (values (coalesce(s.yard_before, 0), s.status_before, -1), (coalesce(s.yard_id, 0), s.status, 1)) d (yard, status, number)
    where d.status <> '' group by s.campaign_id, d.yard, d.status having sum(d.number) <> 0 order by 1, 2, 3
   {add_statuses}),

-- Audit entries and idempotency keys.
audited as (
   insert into audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
   select s.saved_at, s.saved_by, s.role, s.kind, s.subject, s.summary, s.address, s.old_values, s.new_values
     from v join s on s.id = v.id order by s.id),
kept as (
   insert into save_keys (user_id, idempotency_key, vehicle_id, fingerprint, at)
   select s.user_id, s.idempotency_key, s.id, s.fingerprint, s.saved_at from v join s on s.id = v.id where s.idempotency_key <> '')

-- Response: each saved vehicle, the next one to inspect among the vehicles that the user may see, and the campaign's counters.
select {columns},
       case when s.view is null then (select {next_of_all})
            when s.view < 0 then (select {next_outside_yard})
            else (select {next_in_yard}) end as next,
       c.total, c.inspected as total_inspected, numbered.revision,
       exists (select 1 from turned where turned.campaign_id = c.id) as turned
  from v join c on c.id = v.campaign_id join s on s.id = v.id join numbered on numbered.id = v.id
