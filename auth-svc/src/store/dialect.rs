//! The statements that SQLite and PostgreSQL do not share.
use patio_kit::db::{Db, Side};
use sqlx::query_as;

/// The hmc of each id that exists, in one statement.
///
/// The ids travel as one JSON array, which each database unfolds with a function of its own.
pub async fn names(db: &Db, ids: &str) -> Result<Vec<(i64, String)>, sqlx::Error> {
    match db.read() {
        Side::Sqlite(c) => query_as("select id, hmc from users where id in (select value from json_each($1))").bind(ids).fetch_all(c).await,
        Side::Postgres(c) => {
            query_as(
                "select id, hmc from users where id in (select cast(value as bigint) from jsonb_array_elements_text(cast($1 as jsonb)))",
            )
            .bind(ids)
            .fetch_all(c)
            .await
        }
    }
}
