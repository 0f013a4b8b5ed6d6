//! SQL that differs between `SQLite` and `PostgreSQL`, with the reason for each difference.
use crate::store::vehicle_columns::columns;

/// Returns `postgres_text` on `PostgreSQL` and `sqlite_text` on `SQLite`. `postgres_text` additionally contains a locking clause,
/// which `SQLite` does not need, because it has a single writer.
///
/// A save locks its campaign's row `for key share`. Several saves can hold this lock and still update the campaign's counters one
/// after another. With `for share`, two such saves would deadlock. Opening or closing a campaign locks its row `for update`, which
/// waits for running saves and blocks later saves.
#[must_use]
pub fn choose_dialect_sql(postgres: bool, sqlite_text: &'static str, postgres_text: &'static str) -> &'static str {
    if postgres { postgres_text } else { sqlite_text }
}

/// Returns the select that expands a JSON array of numbers, bound as text to `$1`, to rows with the column `id`.
#[must_use]
pub fn unnest_ids_sql(postgres: bool) -> &'static str {
    if postgres {
        "select cast(value as bigint) as id from jsonb_array_elements_text(cast($1 as jsonb))"
    } else {
        "select value as id from json_each($1)"
    }
}

/// Returns the select that expands a JSON array of texts, bound to `$1`, to rows. The column `word` contains the text, and the
/// column `place` its position in the array, from 1.
#[must_use]
pub fn unnest_texts_sql(postgres: bool) -> &'static str {
    if postgres {
        "select word, place from jsonb_array_elements_text(cast($1 as jsonb)) with ordinality as a (word, place)"
    } else {
        "select value as word, key + 1 as place from json_each($1)"
    }
}

/// Returns the select that expands a JSON array of `[vehicle id, content id]` pairs to rows with the columns `id` and `content`. The
/// array is bound as text to `$1`. The content id is the version at which the vehicle's current content was first stored.
#[must_use]
pub fn unnest_content_ids_sql(postgres: bool) -> &'static str {
    if postgres {
        "select cast(value ->> 0 as bigint) as id, cast(value ->> 1 as bigint) as content from jsonb_array_elements(cast($1 as jsonb))"
    } else {
        "select value ->> 0 as id, value ->> 1 as content from json_each($1)"
    }
}

/// Returns the select that expands a JSON array of new vehicle values, bound to `$1`, to one row per vehicle. Batch updates use
/// these rows.
#[must_use]
pub fn unnest_vehicle_patches_sql(postgres: bool) -> &'static str {
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

/// Returns the select that expands a JSON array of counts by yard, bound to `$1`, to one row per array element.
#[must_use]
pub fn unnest_yard_counts_sql(postgres: bool) -> &'static str {
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

/// Second half of a SQL condition, from the operator on, to be written after a column name. The condition is true when a JSON array
/// of numbers contains the column's value. The array is bound as text to `$1`. On `PostgreSQL`, converting the JSON array to a native
/// array is faster than a subquery.
macro_rules! among {
    (postgres) => {
        "= any (cast(translate($1, '[]', '{}') as bigint[]))"
    };
    (sqlite) => {
        "in (select value from json_each($1))"
    };
}

/// Returns the second half of a SQL condition, from the operator on, to be written after a column name. The condition is true when a
/// JSON array of numbers contains the column's value. The array is bound as text to `$1`. The fastest SQL differs between the
/// databases.
#[must_use]
pub fn json_array_contains_sql(postgres: bool) -> &'static str {
    if postgres { among!(postgres) } else { among!(sqlite) }
}

macro_rules! select_vehicles_by_ids_sql {
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

/// Returns the SQL select for the vehicles whose ids are in a JSON array, bound as text to `$1`.
#[must_use]
pub fn select_vehicles_by_ids_sql(postgres: bool) -> &'static str {
    if postgres { select_vehicles_by_ids_sql!(among!(postgres)) } else { select_vehicles_by_ids_sql!(among!(sqlite)) }
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

/// SQL statement that loads the vehicle of a save, with the record of an earlier save that used the same idempotency key.
pub const LOAD_VEHICLE_FOR_SAVE_SQL: &str =
    look!("", "k.user_id = $2 and k.idempotency_key = $3 where v.id = $1 and c.gate in ('open', 'closed')");

/// SQL statement that loads the vehicles of a group of saves, for `PostgreSQL` only. Each row also contains the record of an earlier
/// save with the same idempotency key, if there is one.
pub const LOAD_VEHICLES_FOR_SAVES_SQL: &str = look!(
    "unnest(cast($1 as bigint[]), cast($2 as bigint[]), cast($3 as text[])) s (id, user_id, idempotency_key) cross join",
    "k.user_id = s.user_id and k.idempotency_key = s.idempotency_key where v.id = s.id and c.gate in ('open', 'closed')"
);

/// Returns the SQL statement that loads the vehicle of a save and locks the vehicle's row until the commit; see
/// [`choose_dialect_sql`].
#[must_use]
pub fn load_vehicle_for_update_sql(postgres: bool) -> &'static str {
    choose_dialect_sql(
        postgres,
        LOAD_VEHICLE_FOR_SAVE_SQL,
        look!(
            "",
            "k.user_id = $2 and k.idempotency_key = $3 where v.id = $1 and c.gate in ('open', 'closed') for update of v for key share of c"
        ),
    )
}
