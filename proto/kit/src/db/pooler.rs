//! Detection of a connection pooler in transaction or statement mode, such as `PgBouncer`.
//!
//! In these modes each transaction may run on another server connection, so that session settings, prepared statements and
//! advisory locks of one client would affect another client.
use sqlx::{ConnectOptions, Connection, Error, PgConnection, Row, postgres::PgConnectOptions};
use std::time::Duration;
use tokio::time::timeout;

/// Number of rounds of the pooler check. A single round is not enough, because other clients may use the same pooler at the
/// same time.
const ROUNDS: u32 = 3;
/// Timeout of the pooler check. A pooler without a free server connection lets its clients wait.
const CHECK_TIMEOUT: Duration = Duration::from_secs(4);
/// SQL that reads the id of the server process. The SQL runs without a prepared statement, which would fail behind a pooler in
/// transaction or statement mode.
const SELECT_SERVER_PROCESS: &str = "select pg_backend_pid()";
/// SQL that reads the id of the server process within an open transaction, which keeps its server connection.
const SELECT_SERVER_PROCESS_IN_TRANSACTION: &str = "begin; select pg_backend_pid()";

/// Returns the mode of a connection pooler that Patio cannot use, or `None` when each connection has its own server process.
pub(super) async fn unusable_mode(to: &PgConnectOptions) -> Result<Option<&'static str>, Error> {
    timeout(CHECK_TIMEOUT, look(to)).await.unwrap_or(Err(Error::PoolTimedOut))
}

async fn look(to: &PgConnectOptions) -> Result<Option<&'static str>, Error> {
    let (mut one, mut other) = (to.connect().await?, to.connect().await?);
    for _ in 0..ROUNDS {
        let first = who(&mut one, SELECT_SERVER_PROCESS).await?;
        let again = who(&mut one, SELECT_SERVER_PROCESS).await?; // a pooler that rotates its server connections returns another id
        let second = match who(&mut other, SELECT_SERVER_PROCESS_IN_TRANSACTION).await {
            Err(Error::Database(told)) if told.message().contains("statement pooling mode") => return Ok(Some("statement")),
            second => second?, // any other pooler reuses the connection that was freed last
        };
        if again != first || second == first || who(&mut one, SELECT_SERVER_PROCESS).await? != first {
            return Ok(Some("transaction"));
        }
        sqlx::raw_sql("rollback").execute(&mut other).await?;
    }
    one.close().await?;
    other.close().await?;
    Ok(None)
}

async fn who(connection: &mut PgConnection, ask: &'static str) -> Result<i32, Error> {
    sqlx::raw_sql(ask).fetch_one(connection).await?.try_get(0)
}
