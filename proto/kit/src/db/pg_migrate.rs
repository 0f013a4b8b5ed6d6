//! Migrations of `PostgreSQL` tables while other processes use the tables.
use crate::db::{
    Schema, ignoring_unknown,
    pg_session::{session_settings_sql, with_session_settings},
};
use crate::errors;
use sqlx::{
    Executor, PgPool,
    migrate::{MigrateError, Migrator},
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// SQL that limits how long a migration waits for a lock. A migration that gets no lock in time fails and changes nothing.
///
/// While a migration waits for a lock, statements of other processes queue behind the migration. A save may therefore be delayed by one
/// second: half a second until the migration gets the lock, and half a second while the migration runs.
const SET_LOCK_TIMEOUT: &str = "set lock_timeout = '500ms'";
/// SQL that turns off notices, such as that the table of migrations already exists.
const HIDE_NOTICES: &str = "set client_min_messages = 'warning'";
/// SQL that removes the lock timeout, for migrations outside a transaction such as `create index concurrently`.
///
/// Such a migration takes no lock that blocks a save, and would leave an invalid index when interrupted.
const RESET_LOCK_TIMEOUT: &str = "set lock_timeout = 0";
/// Pause between two attempts to take the advisory lock while another process migrates.
const LOCK_POLL: Duration = Duration::from_millis(50);
/// Pause before the first retry of a migration that got no lock. During the pause, the statements that queued behind the migration
/// finish.
///
/// The pause doubles with each retry.
const FIRST_RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Maximum pause between two attempts of a migration.
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(16);
/// Time after which a migration that cannot get a table lock fails. Patio's longest query (an export) ends earlier, so another
/// program must be holding the lock.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// Timeout for opening the connection that runs migrations.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// Advisory lock id that serializes migrations across all processes and versions. The id must never change.
const ADVISORY_LOCK_ID: i64 = 0x5061_7469_6f00;

/// Runs the pending migrations of a schema. Retries a migration that cannot get a table lock in time.
pub(super) async fn run_migrations(schema: Schema, to: &PgConnectOptions) -> anyhow::Result<()> {
    let (steps, began, mut pause) = (ignoring_unknown(schema.postgres), Instant::now(), FIRST_RETRY_PAUSE);
    loop {
        // Closing this connection releases all its locks, also after a failure. It comes from a pool of one, since migrations
        // on a borrowed connection give a future that is not `Send`.
        let one = PgPoolOptions::new().max_connections(1).max_lifetime(None).idle_timeout(None).acquire_timeout(CONNECT_TIMEOUT);
        // The settings apply after a reconnect as well.
        let one = with_session_settings(one, format!("{}; {HIDE_NOTICES}; {SET_LOCK_TIMEOUT}", session_settings_sql(schema)));
        let connection = one.connect_with(to.clone()).await?;
        let done = attempt(schema, &steps, &connection).await;
        connection.close().await;
        match done {
            Err(cause) if is_in_use(&cause) && began.elapsed() < MIGRATION_TIMEOUT => {
                let pause_seconds = pause.as_secs_f64();
                tracing::warn!(schema = schema.name, %cause, pause_seconds, "migration timed out waiting for a table lock, retrying");
            }
            done => return Ok(done?),
        }
        sleep(pause).await;
        pause = (pause * 2).min(MAX_RETRY_PAUSE);
    }
}

async fn attempt(schema: Schema, steps: &Migrator, connection: &PgPool) -> Result<(), MigrateError> {
    // Polled instead of waiting in one statement, since `create index concurrently` waits for running statements.
    while !sqlx::query_scalar::<_, bool>("select pg_try_advisory_lock($1)").bind(ADVISORY_LOCK_ID).fetch_one(connection).await? {
        sleep(LOCK_POLL).await;
    }
    connection.execute(SET_LOCK_TIMEOUT).await?;
    // A role that may not create schemas would leave an error in the server's log at each start.
    let exists = "select exists(select from pg_namespace where nspname = $1)";
    if !sqlx::query_scalar::<_, bool>(exists).bind(schema.name).fetch_one(connection).await? {
        match connection.execute(sqlx::AssertSqlSafe(format!("create schema if not exists {}", schema.name))).await {
            Err(cause) if errors::is_database_unavailable(&cause) => return Err(cause.into()),
            Err(cause) => tracing::debug!(%cause, schema = schema.name, "failed to create the schema, another process may have created it"),
            Ok(_) => {}
        }
    }
    act_as_owner(schema, steps, connection).await?;
    for (last, limit) in group_by_lock_timeout(steps) {
        connection.execute(limit).await?;
        steps.run_to(last, connection).await?;
    }
    Ok(())
}

/// Switches the connection to the role that owns the schema, so that new tables belong to that role.
async fn act_as_owner(schema: Schema, steps: &Migrator, connection: &PgPool) -> Result<(), MigrateError> {
    let owner = "select pg_get_userbyid(nspowner)::text, pg_get_userbyid(nspowner) = current_user, pg_has_role(nspowner, 'member')
         from pg_namespace where nspname = $1";
    let found: Option<(String, bool, bool)> = sqlx::query_as(owner).bind(schema.name).fetch_optional(connection).await?;
    // Without a schema the first migration fails, and the caller retries it.
    let Some((owner, is_own, may_act)) = found else { return Ok(()) };
    if is_own {
        return Ok(());
    }
    if may_act {
        let role = format!("set role \"{}\"", owner.replace('"', "\"\""));
        connection.execute(sqlx::AssertSqlSafe(role)).await?;
        return Ok(());
    }
    let done: i64 = sqlx::query_scalar("select count(*) from _sqlx_migrations").fetch_one(connection).await.unwrap_or(0);
    if usize::try_from(done).unwrap_or(0) >= steps.iter().count() {
        return Ok(());
    }
    let name = schema.name;
    let words = format!("the schema `{name}` belongs to `{owner}`: only that role or a member of it can run its migrations");
    Err(MigrateError::Execute(sqlx::Error::Configuration(words.into())))
}

/// Groups consecutive migrations that run with the same lock timeout. Returns for each group the version of its last migration and
/// the SQL that sets the lock timeout.
fn group_by_lock_timeout(steps: &Migrator) -> Vec<(i64, &'static str)> {
    let mut groups: Vec<(i64, &str)> = Vec::new();
    for step in steps.iter() {
        let limit = if step.no_tx { RESET_LOCK_TIMEOUT } else { SET_LOCK_TIMEOUT };
        match groups.last_mut() {
            Some((last, same)) if *same == limit => *last = step.version,
            _ => groups.push((step.version, limit)),
        }
    }
    groups
}

/// Returns `true` when a migration failed because it did not get a lock in time.
fn is_in_use(cause: &MigrateError) -> bool {
    let (MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _)) = cause else { return false };
    errors::is_lock_timeout(cause)
}
