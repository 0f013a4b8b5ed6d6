//! SQL statements that differ between SQLite and PostgreSQL.
use patio_kit::db::{Db, Engine, Tx};
use sqlx::{query_as, query_scalar};

const SELECT_TIME_MS: &str = "select cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)";

/// Returns the id and login name (HMC) of each user in `ids`, a JSON array of user ids; unknown ids are left out.
///
/// The ids are bound as one JSON array, so that one statement serves any number of ids.
pub async fn list_login_names(db: &Db, ids: &str) -> Result<Vec<(i64, String)>, sqlx::Error> {
    match db.read_pool() {
        Engine::Sqlite(c) => {
            query_as("select id, hmc from users where id in (select value from json_each($1))").bind(ids).fetch_all(c).await
        }
        Engine::Postgres(c) => {
            query_as(
                "select id, hmc from users where id in (select cast(value as bigint) from jsonb_array_elements_text(cast($1 as jsonb)))",
            )
            .bind(ids)
            .fetch_all(c)
            .await
        }
    }
}

/// Returns the current time of the database in milliseconds since 1970. With SQLite, returns `process_now_ms`, the time of this process.
///
/// With `PostgreSQL`, the time is `clock_timestamp()`, so that all replicas use one clock. `now()` would return the start time of the
/// transaction, which is too early after a wait for row locks.
pub async fn database_time_ms(db: &Db, process_now_ms: i64) -> Result<i64, sqlx::Error> {
    match db.read_pool() {
        Engine::Sqlite(_) => Ok(process_now_ms),
        Engine::Postgres(c) => query_scalar(SELECT_TIME_MS).fetch_one(c).await,
    }
}

/// Returns the current time of the database within a transaction, in milliseconds since 1970. With SQLite, returns `process_now_ms`, the time of
/// this process.
pub async fn database_time_ms_in_tx(tx: &mut Tx<'_>, process_now_ms: i64) -> Result<i64, sqlx::Error> {
    match tx.connection() {
        Engine::Sqlite(_) => Ok(process_now_ms),
        Engine::Postgres(c) => query_scalar(SELECT_TIME_MS).fetch_one(c).await,
    }
}
