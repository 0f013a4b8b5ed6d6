//! SQL that differs between `SQLite` and `PostgreSQL`, with the reason for each difference.
use crate::{
    store::vehicle_columns::{columns, next_after},
    view::View,
};

/// Returns `postgres_text`, which contains a locking clause, on `PostgreSQL`, and `sqlite_text` on `SQLite`. `SQLite`
/// has a single writer and therefore no locking clauses.
///
/// A save locks its campaign `for key share`, so that saves of one campaign can update its counters one after
/// another. Opening or closing a campaign locks its row `for update`, which waits for running saves and blocks later
/// saves. With `for share`, two saves in one campaign would deadlock.
#[must_use]
pub fn for_update(postgres: bool, sqlite_text: &'static str, postgres_text: &'static str) -> &'static str {
    if postgres { postgres_text } else { sqlite_text }
}

/// Returns the select that expands a JSON array of numbers, bound as text to `$1`, to rows with the column `id`.
#[must_use]
pub fn select_ids(postgres: bool) -> &'static str {
    if postgres {
        "select cast(value as bigint) as id from jsonb_array_elements_text(cast($1 as jsonb))"
    } else {
        "select value as id from json_each($1)"
    }
}

/// Returns the select that expands a JSON array of texts, bound to `$1`, to rows with the columns `word` (the text) and
/// `place` (its position in the array, from 1).
#[must_use]
pub fn select_texts(postgres: bool) -> &'static str {
    if postgres {
        "select word, place from jsonb_array_elements_text(cast($1 as jsonb)) with ordinality as a (word, place)"
    } else {
        "select value as word, key + 1 as place from json_each($1)"
    }
}

/// Returns the select that expands a JSON array of number pairs, bound as text to `$1`, to rows with the columns `id`
/// and `content`, the numbers of a pair.
#[must_use]
pub fn select_pairs(postgres: bool) -> &'static str {
    if postgres {
        "select cast(value ->> 0 as bigint) as id, cast(value ->> 1 as bigint) as content from jsonb_array_elements(cast($1 as jsonb))"
    } else {
        "select value ->> 0 as id, value ->> 1 as content from json_each($1)"
    }
}

/// Returns the select that expands the JSON array of vehicles of a batch update, bound to `$1`, to rows with columns.
#[must_use]
pub fn select_edits(postgres: bool) -> &'static str {
    if postgres {
        "select * from json_to_recordset(cast($1 as json)) as r(id bigint, space text, yard bigint, yard_group text, walk text,
            haystack text, status text, inspected boolean, admin_notes text, operator_notes text)"
    } else {
        "select json_extract(value, '$.id') as id, json_extract(value, '$.space') as space, json_extract(value, '$.yard') as yard,
            json_extract(value, '$.yard_group') as yard_group, json_extract(value, '$.walk') as walk,
            json_extract(value, '$.haystack') as haystack, json_extract(value, '$.status') as status,
            json_extract(value, '$.inspected') as inspected, json_extract(value, '$.admin_notes') as admin_notes,
            json_extract(value, '$.operator_notes') as operator_notes from json_each($1)"
    }
}

/// Returns the select that expands the JSON array of counts by yard, bound to `$1`, to rows with columns.
#[must_use]
pub fn select_yard_counts(postgres: bool) -> &'static str {
    if postgres {
        "select * from json_to_recordset(cast($1 as json)) as r(yard bigint, status text, number bigint, wrong bigint)"
    } else {
        "select json_extract(value, '$.yard') as yard, json_extract(value, '$.status') as status,
            json_extract(value, '$.number') as number, json_extract(value, '$.wrong') as wrong from json_each($1)"
    }
}

macro_rules! new_columns {
    () => {
        "(campaign_id, model_code, serial_number, vin_key, parking_space, yard_id, yard_group, walk_key, haystack, modified_at)"
    };
}
pub(super) use new_columns;

/// SQL condition that a number is in a JSON array. On `PostgreSQL` the condition uses an array, which is faster than
/// a subquery.
macro_rules! among {
    (postgres) => {
        "= any (cast(translate($1, '[]', '{}') as bigint[]))"
    };
    (sqlite) => {
        "in (select value from json_each($1))"
    };
}

/// Returns the condition that a number is in a JSON array, bound as text to `$1`, in the form each database runs fastest.
#[must_use]
pub fn in_json_array(postgres: bool) -> &'static str {
    if postgres { among!(postgres) } else { among!(sqlite) }
}

macro_rules! vehicles_by_ids {
    ($asked:expr) => {
        concat!(
            "select ",
            columns!(),
            ", cast(null as bigint) as next from vehicles v join campaigns c on c.id = v.campaign_id
              where v.id ",
            $asked,
            " order by v.walk_key, v.id"
        )
    };
}

/// Returns the select for vehicles by a JSON array of their ids; see [`among()`].
#[must_use]
pub fn vehicles_by_ids(postgres: bool) -> &'static str {
    if postgres { vehicles_by_ids!(among!(postgres)) } else { vehicles_by_ids!(among!(sqlite)) }
}

macro_rules! look {
    ($from:literal, $where:literal) => {
        concat!(
            "select ",
            columns!(),
            ", cast(null as bigint) as next, k.vehicle_id as key_vehicle, k.fingerprint as key_fingerprint,
               cast(v.statuses_had as bigint) as statuses_had, v.status_by, v.status_at,
               v.operator_notes_by, v.operator_notes_at, v.admin_notes_by, v.admin_notes_at, v.vin_by, v.vin_at, v.space_by, v.space_at
               from ",
            $from,
            " vehicles v join campaigns c on c.id = v.campaign_id left join save_keys k on ",
            $where
        )
    };
}

/// SQL statement that loads the vehicle of a save.
pub const LOAD_FOR_SAVE: &str = look!("", "k.user_id = $2 and k.idempotency_key = $3 where v.id = $1 and c.gate in ('open', 'closed')");

/// SQL statement that loads the vehicles of a group of saves, for `PostgreSQL` only.
pub const LOAD_BATCH_FOR_SAVE: &str = look!(
    "unnest(cast($1 as bigint[]), cast($2 as bigint[]), cast($3 as text[])) s (id, user_id, idempotency_key) cross join",
    "k.user_id = s.user_id and k.idempotency_key = s.idempotency_key where v.id = s.id and c.gate in ('open', 'closed')"
);

/// Returns the SQL statement that loads the vehicle of a save and locks the vehicle's row until the commit; see
/// [`for_update`].
#[must_use]
pub fn load_for_update(postgres: bool) -> &'static str {
    for_update(
        postgres,
        LOAD_FOR_SAVE,
        look!(
            "",
            "k.user_id = $2 and k.idempotency_key = $3 where v.id = $1 and c.gate in ('open', 'closed') for update of v for key share of c"
        ),
    )
}

/// SQL assignments with which a save updates a vehicle: all fields that users can change, the columns derived from
/// these fields, and the user and time of the save.
macro_rules! written {
    ($model:literal $serial:literal $key:literal $space:literal $yard:literal $group:literal $walk:literal $haystack:literal
     $status:literal $admin:literal $operator:literal $by:literal $at:literal) => {
        concat!(
            "model_code = ", $model, ", serial_number = ", $serial, ", vin_key = ", $key, ", parking_space = ", $space,
            ", yard_id = ", $yard, ", yard_group = ", $group, ", walk_key = ", $walk, ", haystack = ", $haystack,
            ", status = ", $status, ", inspected = true, admin_notes = ", $admin, ", operator_notes = ", $operator,
            ", modified_by = ", $by, ", modified_at = ", $at, ", version = vehicles.version + 1",
            ", statuses_had = vehicles.statuses_had | ", super::had::bit!($status),
            written!(of "status_by" "status_at" $by $at "vehicles.status = " $status),
            written!(of "operator_notes_by" "operator_notes_at" $by $at "vehicles.operator_notes = " $operator),
            written!(of "admin_notes_by" "admin_notes_at" $by $at "vehicles.admin_notes = " $admin),
            written!(of "vin_by" "vin_at" $by $at "vehicles.model_code = " $model " and vehicles.serial_number = " $serial),
            written!(of "space_by" "space_at" $by $at "vehicles.parking_space = " $space)
        )
    };
    (of $who:literal $when:literal $by:literal $at:literal $($same:literal)+) => {
        concat!(
            ", ", $who, " = case when ", $($same,)+ " then vehicles.", $who, " else ", $by, " end, ",
            $when, " = case when ", $($same,)+ " then vehicles.", $when, " else ", $at, " end"
        )
    };
}

macro_rules! more_or_fewer {
    () => {
        "on conflict (campaign_id, yard_id) do update
            set total = counters.total + excluded.total, inspected = counters.inspected + excluded.inspected"
    };
}

macro_rules! change_again {
    () => {
        "on conflict (vehicle_id) do update set revision = excluded.revision, saved_by = excluded.saved_by, saved_at = excluded.saved_at"
    };
}

/// SQL expression for the milestone that a change of counters reaches (work begun, complete, incomplete again), as
/// its protobuf number, or null.
macro_rules! turn {
    ($was_total:literal, $was_inspected:literal, $total:literal, $inspected:literal, $begun:literal) => {
        concat!(
            "case when ",
            $total,
            " = ",
            $inspected,
            " and ",
            $total,
            " > 0 and ",
            $was_total,
            " <> ",
            $was_inspected,
            " then 2
                  when ",
            $was_total,
            " = ",
            $was_inspected,
            " and ",
            $total,
            " <> ",
            $inspected,
            " and ",
            $begun,
            " then 3
                  when not ",
            $begun,
            " then 1 end"
        )
    };
}

macro_rules! save_on_sqlite {
    ($yard:literal) => {
        concat!(
            "update vehicles set ",
            written!("$4" "$5" "$6" "$7" "$8" "$9" "$10" "$11" "$12" "$13" "$14" "$15" "$16"), " where id = $1;
             insert into counters (campaign_id, yard_id, total, inspected) select $2, $17, $18, $19 where $17 is not null ", more_or_fewer!(), ";
             insert into counters (campaign_id, yard_id, total, inspected) select $2, $20, $21, $22 where $20 is not null ", more_or_fewer!(), ";
             insert into turns (campaign_id, turn, revision)
             select id, turn, revision from (select id, counts_revision + 1 as revision, ",
            turn!("total", "inspected", "(total + $23)", "(inspected + $24)", "begun"),
            " as turn from campaigns where id = $2) where turn is not null
             on conflict (campaign_id) do update set turn = excluded.turn, revision = excluded.revision;
             update campaigns set total = total + $23, inspected = inspected + $24, counts_revision = counts_revision + 1, layout = layout + $36,
                    begun = true
              where id = $2;
             insert into changes (vehicle_id, campaign_id, revision, saved_by, saved_at)
             select $1, $2, counts_revision, $15, $16 from campaigns where id = $2 ", change_again!(), ";
             insert into activity (campaign_id, hour, yard_id, user_id, inspected, saves, found_wrong)
             select $2, $37, yard, coalesce($15, 0), sum(inspected), sum(saves), sum(wrong)
               from (select coalesce($8, 0) as yard, 0 as inspected, 1 as saves, $38 as wrong
                     union all select $17, $19, 0, 0 union all select $20, $22, 0, 0)
              where yard is not null and (inspected <> 0 or saves <> 0) group by yard ", super::upserts::more_work!(), ";
             insert into status_counts (campaign_id, yard_id, status, vehicles)
             select $2, yard, status, sum(number) from (select coalesce($39, 0) as yard, $40 as status, -1 as number
                                                        union all select coalesce($8, 0), $12, 1)
              where status <> '' group by yard, status having sum(number) <> 0 ", super::upserts::more_with_status!(), ";
             insert into audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
             values ($16, $15, $25, $26, $27, $28, $29, $30, $31);
             insert into save_keys (user_id, idempotency_key, vehicle_id, fingerprint, at) select $32, $33, $1, $34, $16 where $33 <> '';
             select ", columns!(), ", ", next_after!($yard, ""), ", c.total, c.inspected as total_inspected,
                    c.counts_revision as revision,
                    exists (select 1 from turns t where t.campaign_id = c.id and t.revision = c.counts_revision) as turned
               from vehicles v join campaigns c on c.id = v.campaign_id where v.id = $1"
        )
    };
}

/// Returns the script that writes a save and selects the vehicle afterwards, on `SQLite`. The script runs in the
/// writer's transaction as a whole, so that the vehicle cannot change between load and write.
#[must_use]
pub fn save_on_sqlite(view: View) -> &'static str {
    match view {
        View::All => save_on_sqlite!(""),
        View::Yard(_) => save_on_sqlite!(" and n.yard_id = $35"),
        View::Without(_) => save_on_sqlite!(" and n.yard_id is distinct from -$35"),
    }
}

/// SQL statement that writes a group of saves and then selects the saved vehicles, on `PostgreSQL`, in one
/// transaction. Each parameter is an array with one column of the group.
///
/// All parts of the statement see the rows as they were before the statement. The search for the next vehicle to
/// inspect therefore excludes the vehicles of the group. All changes take locks in one order: vehicles by id, then
/// yards, then campaigns. A vehicle that another transaction has locked is not saved, so that the group does not wait
/// for this lock. A campaign is read after its lock is acquired, so that only one of two concurrent groups reports that
/// work began. Work and statuses are counted under the campaign's lock, so that their rows need no order of their own.
pub const SAVE_ALL: &str = concat!(
    "with s as materialized (
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
     gate as materialized (select id from campaigns where id in (select campaign_id from s) and gate = 'open'
                            order by id for key share),
     held as materialized (select v.id from s join gate on gate.id = s.campaign_id join vehicles v on v.id = s.id
                            where v.version = s.version order by v.id for no key update of v skip locked),
     v as (update vehicles set ",
    written!("s.model_code" "s.serial_number" "s.vin_key" "s.parking_space" "s.yard_id" "s.yard_group" "s.walk_key" "s.haystack"
             "s.status" "s.admin_notes" "s.operator_notes" "s.saved_by" "s.saved_at"),
    " from s join held on held.id = s.id where vehicles.id = s.id returning vehicles.*),
     moved as (insert into counters (campaign_id, yard_id, total, inspected)
               select s.campaign_id, d.yard, cast(sum(d.total) as bigint), cast(sum(d.inspected) as bigint)
                 from v join s on s.id = v.id
                cross join lateral (values (s.yard_1, s.total_1, s.inspected_1), (s.yard_2, s.total_2, s.inspected_2)) d (yard, total, inspected)
                where d.yard is not null group by s.campaign_id, d.yard order by s.campaign_id, d.yard ",
    more_or_fewer!(),
    " returning 1),
     sums as materialized (select s.campaign_id, count(*) as saves, cast(sum(s.total_1 + s.total_2) as bigint) as total,
                                  cast(sum(s.inspected_1 + s.inspected_2) as bigint) as inspected, cast(sum(s.shifted) as bigint) as shifted
                             from v join s on s.id = v.id group by s.campaign_id),
     awaited as materialized (select k.id, k.begun from campaigns k join sums on sums.campaign_id = k.id cross join (select count(*) from moved) after_yards
                               order by k.id for no key update of k),
     c as (update campaigns
              set total = campaigns.total + sums.total, inspected = campaigns.inspected + sums.inspected,
                  counts_revision = campaigns.counts_revision + sums.saves, layout = campaigns.layout + sums.shifted, begun = true
             from sums join awaited on awaited.id = sums.campaign_id where campaigns.id = sums.campaign_id
           returning campaigns.id, campaigns.name, campaigns.gate, campaigns.total, campaigns.inspected, campaigns.counts_revision,
                     sums.saves, campaigns.total - sums.total as was_total, campaigns.inspected - sums.inspected as was_inspected),
     turned as (insert into turns (campaign_id, turn, revision)
                select id, turn, counts_revision from (select c.id, c.counts_revision, ",
    turn!("c.was_total", "c.was_inspected", "c.total", "c.inspected", "awaited.begun"),
    " as turn from c join awaited on awaited.id = c.id) turning where turn is not null order by id
                on conflict (campaign_id) do update set turn = excluded.turn, revision = excluded.revision returning campaign_id),
     numbered as materialized (select v.id, c.counts_revision - c.saves + row_number() over (partition by c.id order by v.id) as revision
                                 from v join c on c.id = v.campaign_id),
     changed as (insert into changes (vehicle_id, campaign_id, revision, saved_by, saved_at)
                 select s.id, s.campaign_id, numbered.revision, s.saved_by, s.saved_at from numbered join s on s.id = numbered.id ",
    change_again!(),
    "),
     active as (insert into activity (campaign_id, hour, yard_id, user_id, inspected, saves, found_wrong)
                select s.campaign_id, s.hour, d.yard, coalesce(s.saved_by, 0), cast(sum(d.inspected) as bigint), cast(sum(d.saves) as bigint),
                       cast(sum(d.wrong) as bigint)
                  from v join s on s.id = v.id join c on c.id = s.campaign_id
                 cross join lateral (values (coalesce(s.yard_id, 0), 0, 1, s.found_wrong), (s.yard_1, s.inspected_1, 0, 0),
                                            (s.yard_2, s.inspected_2, 0, 0)) d (yard, inspected, saves, wrong)
                 where d.yard is not null and (d.inspected <> 0 or d.saves <> 0)
                 group by s.campaign_id, s.hour, d.yard, coalesce(s.saved_by, 0) order by 1, 2, 3, 4 ",
    super::upserts::more_work!(),
    "),
     stated as (insert into status_counts (campaign_id, yard_id, status, vehicles)
                select s.campaign_id, d.yard, d.status, cast(sum(d.number) as bigint)
                  from v join s on s.id = v.id join c on c.id = s.campaign_id
                 cross join lateral (values (coalesce(s.yard_before, 0), s.status_before, -1), (coalesce(s.yard_id, 0), s.status, 1))
                                    d (yard, status, number)
                 where d.status <> '' group by s.campaign_id, d.yard, d.status having sum(d.number) <> 0 order by 1, 2, 3 ",
    super::upserts::more_with_status!(),
    "),
     told as (insert into audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
              select s.saved_at, s.saved_by, s.role, s.kind, s.subject, s.summary, s.address, s.old_values, s.new_values
                from v join s on s.id = v.id order by s.id),
     kept as (insert into save_keys (user_id, idempotency_key, vehicle_id, fingerprint, at)
              select s.user_id, s.idempotency_key, s.id, s.fingerprint, s.saved_at
                from v join s on s.id = v.id where s.idempotency_key <> '')
     select ",
    columns!(),
    ", case when s.view is null then (select ",
    next_after!("", " and n.id <> all ($1)"),
    ") when s.view < 0 then (select ",
    next_after!(" and n.yard_id is distinct from -s.view", " and n.id <> all ($1)"),
    ") else (select ",
    next_after!(" and n.yard_id = s.view", " and n.id <> all ($1)"),
    ") end as next, c.total, c.inspected as total_inspected, numbered.revision,
            exists (select 1 from turned where turned.campaign_id = c.id) as turned
       from v join c on c.id = v.campaign_id join s on s.id = v.id join numbered on numbered.id = v.id"
);

#[cfg(test)]
mod tests {
    use patio_proto::campaign::Turn;

    #[test]
    fn the_numbers_of_turns_in_statements_are_the_contract_s() {
        assert_eq!((Turn::Begun as i32, Turn::Complete as i32, Turn::Incomplete as i32), (1, 2, 3));
    }
}
