//! The statements that SQLite and PostgreSQL do not share.
use patio_kit::db::{Db, Side, Tx};
use sqlx::{query_as, query_scalar};

const MOMENT: &str = "select cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)";

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

/// The moment that lockouts go by, in milliseconds since 1970; `here` is what this process takes it to be.
///
/// Replicas share one `PostgreSQL`, and only its clock is the same for all of them. It is the time of
/// the statement, as a transaction may have waited for its rows. `SQLite` has one process and its clock.
pub async fn moment(db: &Db, here: i64) -> Result<i64, sqlx::Error> {
    match db.read() {
        Side::Sqlite(_) => Ok(here),
        Side::Postgres(c) => query_scalar(MOMENT).fetch_one(c).await,
    }
}

/// The same within a transaction.
pub async fn moment_in(tx: &mut Tx<'_>, here: i64) -> Result<i64, sqlx::Error> {
    match tx.on() {
        Side::Sqlite(_) => Ok(here),
        Side::Postgres(c) => query_scalar(MOMENT).fetch_one(c).await,
    }
}
