//! Thousands of rows at once.
use serde::{Deserialize, Deserializer};

/// Has `SQLite` hand over the rows of a statement as one JSON array of arrays. It hands over each value by itself
/// otherwise, from one thread to another, which takes longer than to find it; `PostgreSQL` sends rows as they are.
#[must_use]
pub fn gathered(postgres: bool, columns: &str, text: String) -> String {
    if postgres { text } else { format!("select json_group_array(json_array({columns})) from ({text})") }
}

/// A truth value as `SQLite` has it, in JSON.
pub fn truth<'de, D: Deserializer<'de>>(told: D) -> Result<bool, D::Error> {
    Ok(i64::deserialize(told)? != 0)
}

/// The rows of a statement with these columns, which are the fields of the rows' type in their order.
macro_rules! rows {
    ($tx:expr, $columns:expr, $text:expr, $($value:expr),+) => {{
        let text = sqlx::AssertSqlSafe($crate::store::rows::gathered($tx.is_postgres(), $columns, $text));
        match $tx.on() {
            patio_kit::db::Side::Postgres(c) => sqlx::query_as(text)$(.bind($value))+.fetch_all(c).await,
            patio_kit::db::Side::Sqlite(c) => {
                let told: String = sqlx::query_scalar(text)$(.bind($value))+.fetch_one(c).await?;
                serde_json::from_str(&told).map_err(|cause| sqlx::Error::Decode(Box::new(cause)))
            }
        }
    }};
}
pub(super) use rows;
