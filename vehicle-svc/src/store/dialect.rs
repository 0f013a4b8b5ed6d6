//! The few statements that differ between the databases, each with its reason.

/// Locks the rows it reads until the commit. `SQLite` has one writer and knows no such clause.
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
