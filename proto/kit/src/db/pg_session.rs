//! Session parameters of `PostgreSQL` connections.
use crate::db::Schema;
use sqlx::{AssertSqlSafe, Executor, postgres::PgPoolOptions};

/// Returns the SQL that sets the schema and other session parameters of a new `PostgreSQL` connection.
pub(super) fn session_settings_sql(schema: Schema) -> String {
    format!("set search_path = {}; set idle_in_transaction_session_timeout = '60s'", schema.name)
}

/// Configures the pool to run the SQL `settings` on each new connection.
///
/// SQL is used because `PgBouncer` rejects or ignores session parameters that a client sends when it connects.
pub(super) fn with_session_settings(pool: PgPoolOptions, settings: String) -> PgPoolOptions {
    pool.after_connect(move |connection, _| {
        let settings = settings.clone();
        Box::pin(async move { connection.execute(AssertSqlSafe(settings)).await.map(drop) })
    })
}
