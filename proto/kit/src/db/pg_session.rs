//! Session parameters of `PostgreSQL` connections.
use crate::db::Schema;
use sqlx::{AssertSqlSafe, Executor, postgres::PgPoolOptions};

/// Returns the SQL that sets the session parameters of each new `PostgreSQL` connection, such as the schema.
pub(super) fn session_settings(schema: Schema) -> String {
    format!("set search_path = {}; set idle_in_transaction_session_timeout = '60s'", schema.name)
}

/// Makes the pool run `settings` as SQL on each new connection.
///
/// `PgBouncer` rejects session parameters among the startup parameters or, when configured so, ignores them silently.
pub(super) fn with_session_settings(pool: PgPoolOptions, settings: String) -> PgPoolOptions {
    pool.after_connect(move |connection, _| {
        let settings = settings.clone();
        Box::pin(async move { connection.execute(AssertSqlSafe(settings)).await.map(drop) })
    })
}
