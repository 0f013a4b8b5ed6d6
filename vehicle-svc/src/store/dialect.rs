//! The few statements that differ between the databases, each with its reason.

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
