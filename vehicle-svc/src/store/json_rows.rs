//! Fast fetch of thousands of rows from `SQLite`: the database returns all rows as one JSON array. On `PostgreSQL` the rows are
//! fetched as usual.
use serde::{Deserialize, Deserializer};
use serde_aux::serde_introspection::serde_introspect;

/// Returns the field names of a struct that implements `Deserialize`, in the order of their declaration.
#[must_use]
pub fn struct_field_names<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    serde_introspect::<T>()
}

/// Wraps a select so that `SQLite` returns all rows as one JSON array of arrays. Without the array, `sqlx` passes each
/// row between threads separately, which takes longer than the query. On `PostgreSQL` the select stays unchanged.
#[must_use]
pub fn select_as_json_array(postgres: bool, text: String, columns: &[&str]) -> String {
    if postgres {
        return text;
    }
    format!("select json_group_array(json_array({})) from ({text})", columns.join(", "))
}

/// Deserializes a boolean, which `SQLite` writes to JSON as 0 or 1.
pub fn deserialize_sqlite_bool<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    u8::deserialize(deserializer).map(|truth| truth != 0)
}

/// Fetches the rows of a select as values of the type `$row`. `$columns` lists the field names of the type in the order of their
/// declaration, and may leave out fields at the end.
macro_rules! rows {
    ($tx:expr, $row:ty, $columns:expr, $text:expr, $($value:expr),+) => {{
        let text = sqlx::AssertSqlSafe($crate::store::json_rows::select_as_json_array($tx.is_postgres(), $text, $columns));
        match $tx.connection() {
            patio_kit::db::Engine::Postgres(c) => sqlx::query_as(text)$(.bind($value))+.fetch_all(c).await,
            patio_kit::db::Engine::Sqlite(c) => {
                let json: String = sqlx::query_scalar(text)$(.bind($value))+.fetch_one(c).await?;
                serde_json::from_str::<Vec<$row>>(&json).map_err(|cause| sqlx::Error::Decode(Box::new(cause)))
            }
        }
    }};
}
pub(super) use rows;
