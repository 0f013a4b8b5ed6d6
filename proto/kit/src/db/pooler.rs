//! Detection of an unusable connection pooler: one in transaction or statement mode, or one that ignores the database URL's
//! parameters.
//!
//! In transaction or statement mode, each transaction may run on another server connection. Session settings, prepared statements
//! and advisory locks of one client would then affect another client.
use sqlx::{ConnectOptions, Connection, Error, PgConnection, Row, postgres::PgConnectOptions};
use std::time::Duration;
use tokio::time::timeout;

/// Number of rounds of the pooler check. A single round is not enough, because other clients may use the same pooler at the
/// same time.
const ROUNDS: u32 = 3;
/// Timeout of the pooler check. A pooler without a free server connection lets its clients wait.
const CHECK_TIMEOUT: Duration = Duration::from_secs(4);
/// SQL that reads the id of the server process. The SQL runs without a prepared statement, because prepared statements may fail
/// behind a pooler in transaction or statement mode.
const SELECT_SERVER_PROCESS: &str = "select pg_backend_pid()";
/// SQL that begins a transaction and reads the id of the server process. The open transaction keeps other clients of the pooler from
/// using the server connection.
const SELECT_SERVER_PROCESS_IN_TRANSACTION: &str = "begin; select pg_backend_pid()";

/// Start of the message with which `PgBouncer` refuses a connection because of a startup parameter.
const UNSUPPORTED_PARAMETER: &str = "unsupported startup parameter";

/// Returns the reason why a connection pooler is unusable for Patio. Returns `None` when each connection has its own server process
/// and the parameters of the database URL take effect.
pub(super) async fn find_pooler_fault(to: &PgConnectOptions) -> Result<Option<String>, Error> {
    match timeout(CHECK_TIMEOUT, detect_fault(to)).await.unwrap_or(Err(Error::PoolTimedOut)) {
        Err(Error::Database(refusal)) if refusal.message().starts_with(UNSUPPORTED_PARAMETER) => {
            Ok(Some(format!("a PgBouncer that refuses a parameter of the URL ({})", refusal.message())))
        }
        found => found,
    }
}

async fn detect_fault(to: &PgConnectOptions) -> Result<Option<String>, Error> {
    let (mut one, mut other) = (to.connect().await?, to.connect().await?);
    if let Some(mode) = unusable_mode(&mut one, &mut other).await? {
        return Ok(Some(format!("a PgBouncer in {mode} mode")));
    }
    let fault = ignored_parameter(&mut one, to.get_options()).await?;
    one.close().await?;
    other.close().await?;
    Ok(fault.map(|name| format!("a PgBouncer that ignores the parameter {name} of the URL")))
}

/// Returns the mode, `transaction` or `statement`, of a pooler that shares server processes between connections. Returns `None`
/// when no such pooler is in use.
async fn unusable_mode(one: &mut PgConnection, other: &mut PgConnection) -> Result<Option<&'static str>, Error> {
    for _ in 0..ROUNDS {
        let first = server_process(one, SELECT_SERVER_PROCESS).await?;
        let again = server_process(one, SELECT_SERVER_PROCESS).await?; // a pooler that rotates its server connections returns another id
        let second = match server_process(other, SELECT_SERVER_PROCESS_IN_TRANSACTION).await {
            Err(Error::Database(refusal)) if refusal.message().contains("statement pooling mode") => return Ok(Some("statement")),
            second => second?, // any other pooler reuses the connection that was freed last
        };
        if again != first || second == first || server_process(one, SELECT_SERVER_PROCESS).await? != first {
            return Ok(Some("transaction"));
        }
        sqlx::raw_sql("rollback").execute(&mut *other).await?;
    }
    Ok(None)
}

/// Returns the first parameter in the `options` of the database URL that has no effect in the session. Returns `None` when all parameters
/// have an effect.
async fn ignored_parameter(connection: &mut PgConnection, options: Option<&str>) -> Result<Option<String>, Error> {
    let assignments = options.unwrap_or_default().split("-c").filter_map(|option| option.split_once('='));
    for (name, _) in assignments {
        let sql = "select source from pg_settings where name = lower($1)";
        let source: Option<String> = sqlx::query_scalar(sql).bind(name.trim()).fetch_optional(&mut *connection).await?;
        if source.is_some_and(|source| source != "client") {
            return Ok(Some(name.trim().to_owned()));
        }
    }
    Ok(None)
}

async fn server_process(connection: &mut PgConnection, sql: &'static str) -> Result<i32, Error> {
    sqlx::raw_sql(sql).fetch_one(connection).await?.try_get(0)
}
