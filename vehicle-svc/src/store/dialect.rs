//! The few statements that differ between the databases, each with its reason.
use super::vehicles::New;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use std::fmt::Write;

/// Locks the rows it reads until the commit. `SQLite` has one writer and knows no such clause.
///
/// A save takes its campaign `for key share`: saves of one campaign may then move its counters one
/// after another, while whoever moves its gate, `for update`, waits for them and keeps later ones out.
/// A plain `for share` would make two saves wait for each other's counters for ever.
#[must_use]
pub fn for_update(postgres: bool, sqlite_text: &'static str, postgres_text: &'static str) -> &'static str {
    if postgres { postgres_text } else { sqlite_text }
}

/// The elements of a JSON array of numbers, bound as text: the databases name the function differently.
#[must_use]
pub fn ids(postgres: bool) -> &'static str {
    if postgres {
        "select cast(value as bigint) as id from jsonb_array_elements_text(cast($1 as jsonb))"
    } else {
        "select value as id from json_each($1)"
    }
}

/// The elements of a JSON array of texts, bound as text.
#[must_use]
pub fn texts(postgres: bool) -> &'static str {
    if postgres {
        "select value as word from jsonb_array_elements_text(cast($1 as jsonb))"
    } else {
        "select value as word from json_each($1)"
    }
}

/// The elements of a JSON array of [`super::edit::New`], bound as text, as rows with columns.
#[must_use]
pub fn edits(postgres: bool) -> &'static str {
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

macro_rules! new_columns {
    () => {
        "(campaign_id, model_code, serial_number, vin_key, parking_space, yard_id, yard_group, walk_key, haystack, modified_at)"
    };
}
pub(super) use new_columns;

/// Stores vehicles on `PostgreSQL`, which takes rows by COPY at a third of what an insert of thousands of values costs.
pub async fn copy(connection: &mut PgConnection, campaign: i64, all: &[New], at: DateTime<Utc>) -> Result<(), sqlx::Error> {
    let mut rows = String::with_capacity(all.len() * 160);
    let at = at.to_rfc3339();
    for New { identifier, place } in all {
        let _ = write!(rows, "{campaign}");
        field(&mut rows, &identifier.model_code);
        field(&mut rows, &identifier.serial_number);
        field(&mut rows, &identifier.key());
        field(&mut rows, &place.space);
        match place.yard_id {
            Some(yard) => drop(write!(rows, "\t{yard}")),
            None => rows.push_str("\t\\N"),
        }
        field(&mut rows, &place.group);
        field(&mut rows, &place.walk_key);
        field(&mut rows, &crate::place::haystack(identifier, &place.space));
        field(&mut rows, &at);
        rows.push('\n');
    }
    let mut copy = connection.copy_in_raw(concat!("copy vehicles ", new_columns!(), " from stdin")).await?;
    copy.send(rows.into_bytes()).await?;
    copy.finish().await.map(drop)
}

/// Adds a field as COPY reads it: nothing in it can end the field or the row.
fn field(rows: &mut String, value: &str) {
    rows.push('\t');
    for c in value.chars() {
        match c {
            '\\' => rows.push_str("\\\\"),
            '\t' => rows.push_str("\\t"),
            '\n' => rows.push_str("\\n"),
            '\r' => rows.push_str("\\r"),
            other => rows.push(other),
        }
    }
}

macro_rules! vehicles_by_ids {
    ($asked:literal) => {
        concat!(
            "select ",
            super::vehicles::columns!(),
            ", cast(null as bigint) as next from vehicles v join campaigns c on c.id = v.campaign_id
              where v.id ",
            $asked,
            " order by v.walk_key, v.id"
        )
    };
}

/// Vehicles by a JSON array of their numbers; see [`ids`]. `PostgreSQL` looks an array of its own up in one go.
#[must_use]
pub fn vehicles_by_ids(postgres: bool) -> &'static str {
    if postgres {
        vehicles_by_ids!("= any (cast(translate($1, '[]', '{}') as bigint[]))")
    } else {
        vehicles_by_ids!("in (select value from json_each($1))")
    }
}

macro_rules! look {
    ($lock:literal) => {
        concat!(
            "select ",
            super::vehicles::columns!(),
            ", cast(null as bigint) as next, k.vehicle_id as key_vehicle, k.fingerprint as key_fingerprint, v.status_by, v.status_at,
               v.operator_notes_by, v.operator_notes_at, v.admin_notes_by, v.admin_notes_at, v.vin_by, v.vin_at, v.space_by, v.space_at
               from vehicles v join campaigns c on c.id = v.campaign_id
               left join save_keys k on k.user_id = $2 and k.idempotency_key = $3
              where v.id = $1 and c.gate in ('open', 'closed')",
            $lock
        )
    };
}

/// A vehicle before a save.
pub const LOOK: &str = look!("");

/// The same, kept from others; see [`for_update`].
#[must_use]
pub fn look_and_hold(postgres: bool) -> &'static str {
    for_update(postgres, LOOK, look!(" for update of v for key share of c"))
}

macro_rules! written {
    () => {
        "model_code = $4, serial_number = $5, vin_key = $6, parking_space = $7, yard_id = $8, yard_group = $9, walk_key = $10,
         haystack = $11, status = $12, inspected = true, admin_notes = $13, operator_notes = $14, modified_by = $15, modified_at = $16,
         status_by = case when status = $12 then status_by else $15 end, status_at = case when status = $12 then status_at else $16 end,
         operator_notes_by = case when operator_notes = $14 then operator_notes_by else $15 end,
         operator_notes_at = case when operator_notes = $14 then operator_notes_at else $16 end,
         admin_notes_by = case when admin_notes = $13 then admin_notes_by else $15 end,
         admin_notes_at = case when admin_notes = $13 then admin_notes_at else $16 end,
         vin_by = case when model_code = $4 and serial_number = $5 then vin_by else $15 end,
         vin_at = case when model_code = $4 and serial_number = $5 then vin_at else $16 end,
         space_by = case when parking_space = $7 then space_by else $15 end,
         space_at = case when parking_space = $7 then space_at else $16 end"
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

/// Which [`patio_proto::campaign::Turn`] counters pass that were at the first pair and are at the second.
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
            "update vehicles set ", written!(), ", version = version + 1 where id = $1;
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
             insert into audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
             values ($16, $15, $25, $26, $27, $28, $29, $30, $31);
             insert into save_keys (user_id, idempotency_key, vehicle_id, fingerprint, at) select $32, $33, $1, $34, $16 where $33 <> '';
             select ", super::vehicles::columns!(), ", ", super::vehicles::next_after!($yard, ""), ", c.total, c.inspected as total_inspected,
                    c.counts_revision as revision,
                    exists (select 1 from turns t where t.campaign_id = c.id and t.revision = c.counts_revision) as turned
               from vehicles v join campaigns c on c.id = v.campaign_id where v.id = $1"
        )
    };
}

// The parts of a statement see the rows as they were when it began: the vehicle itself may still count as
// the next one to inspect, at the place it has just left. They lock in the order in which every other change does,
// the vehicle, its yards, its campaign: the campaign asks for the yards only so that these come first.
macro_rules! save_on_postgres {
    ($yard:literal) => {
        concat!(
            "with gate as materialized (select id, begun from campaigns where id = $2 and gate = 'open' for key share),
             v as (update vehicles set ", written!(), ", version = version + 1 from gate
                    where vehicles.id = $1 and vehicles.version = $3 returning vehicles.*),
             moved as (insert into counters (campaign_id, yard_id, total, inspected)
                       select v.campaign_id, d.yard, d.total, d.inspected from v
                        cross join (values (cast($17 as bigint), cast($18 as bigint), cast($19 as bigint)), ($20, $21, $22)) d (yard, total, inspected)
                        where d.yard is not null ", more_or_fewer!(), " returning 1),
             c as (update campaigns
                      set total = total + $23, inspected = campaigns.inspected + $24, counts_revision = counts_revision + 1,
                          layout = layout + $36, begun = true
                     from v cross join (select count(*) from moved) after_yards where campaigns.id = v.campaign_id
                   returning campaigns.id, name, gate, total, campaigns.inspected, counts_revision),
             turned as (insert into turns (campaign_id, turn, revision)
                        select id, turn, counts_revision from (select c.id, c.counts_revision, ",
            turn!("(c.total - $23)", "(c.inspected - $24)", "c.total", "c.inspected", "gate.begun"),
            " as turn from c cross join gate) turning where turn is not null
                        on conflict (campaign_id) do update set turn = excluded.turn, revision = excluded.revision returning 1),
             changed as (insert into changes (vehicle_id, campaign_id, revision, saved_by, saved_at)
                         select v.id, c.id, c.counts_revision, $15, $16 from v join c on c.id = v.campaign_id ", change_again!(), "),
             told as (insert into audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
                      select $16, $15, $25, $26, $27, $28, $29, $30, $31 from v),
             kept as (insert into save_keys (user_id, idempotency_key, vehicle_id, fingerprint, at)
                      select $32, $33, v.id, $34, $16 from v where $33 <> '')
             select ", super::vehicles::columns!(), ", ", super::vehicles::next_after!($yard, " and n.id <> v.id"), ",
                    c.total, c.inspected as total_inspected, c.counts_revision as revision, exists (select 1 from turned) as turned
               from v join c on c.id = v.campaign_id"
        )
    };
}

/// Everything a save writes, and the vehicle afterwards. `PostgreSQL` does it in one statement, which is a
/// transaction by itself. `SQLite` has no statements within statements; it runs a script, in one turn of
/// its thread, within the writer's transaction, where the vehicle is still as it was looked at.
#[must_use]
pub fn save(postgres: bool, in_yard: bool) -> &'static str {
    match (postgres, in_yard) {
        (true, false) => save_on_postgres!(""),
        (true, true) => save_on_postgres!(" and n.yard_id = $35"),
        (false, false) => save_on_sqlite!(""),
        (false, true) => save_on_sqlite!(" and n.yard_id = $35"),
    }
}

#[cfg(test)]
mod tests {
    use super::field;
    use patio_proto::campaign::Turn;

    #[test]
    fn no_value_ends_its_field_or_row() {
        let mut rows = String::new();
        field(&mut rows, "a\tb\n\\N\\.\r");
        assert_eq!(rows, "\ta\\tb\\n\\\\N\\\\.\\r");
    }

    #[test]
    fn the_numbers_of_turns_in_statements_are_the_contract_s() {
        assert_eq!((Turn::Begun as i32, Turn::Complete as i32, Turn::Incomplete as i32), (1, 2, 3));
    }
}
