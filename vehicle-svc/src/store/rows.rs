//! Thousands of rows at once.
use serde::{Deserialize, Deserializer};
use serde_aux::serde_introspection::serde_introspect;

/// The fields of a type, in their order.
#[must_use]
pub fn fields<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    serde_introspect::<T>()
}

/// Has `SQLite` hand over the rows of a statement as one JSON array of arrays of the columns. It hands over each value by
/// itself otherwise, from one thread to another, which takes longer than to find it; `PostgreSQL` sends rows as they are.
#[must_use]
pub fn gathered(postgres: bool, text: String, columns: &[&str]) -> String {
    if postgres {
        return text;
    }
    format!("select json_group_array(json_array({})) from ({text})", columns.join(", "))
}

/// A truth as it stands in such an array, where it is 0 or 1.
pub fn truth<'de, D: Deserializer<'de>>(told: D) -> Result<bool, D::Error> {
    u8::deserialize(told).map(|truth| truth != 0)
}

/// The rows of a statement with the given fields of a type as columns: all of them, or the first.
macro_rules! rows {
    ($tx:expr, $row:ty, $columns:expr, $text:expr, $($value:expr),+) => {{
        let text = sqlx::AssertSqlSafe($crate::store::rows::gathered($tx.is_postgres(), $text, $columns));
        match $tx.on() {
            patio_kit::db::Side::Postgres(c) => sqlx::query_as(text)$(.bind($value))+.fetch_all(c).await,
            patio_kit::db::Side::Sqlite(c) => {
                let told: String = sqlx::query_scalar(text)$(.bind($value))+.fetch_one(c).await?;
                serde_json::from_str::<Vec<$row>>(&told).map_err(|cause| sqlx::Error::Decode(Box::new(cause)))
            }
        }
    }};
}
pub(super) use rows;
