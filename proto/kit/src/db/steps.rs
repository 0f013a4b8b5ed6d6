//! Brings the tables of `PostgreSQL` up to date while others use them.
use super::{Schema, tolerant};
use crate::errors;
use sqlx::{
    Executor, PgPool,
    migrate::{MigrateError, Migrator},
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Whoever comes after a step that waits for a lock waits behind it, so it waits for half of the second for which a save
/// may be held up; the other half is for its work. Without a lock nothing of the step is left.
const WAITS: &str = "500ms";
/// Back to that.
const LIMITED: &str = "reset lock_timeout";
/// A step that runs outside a transaction, such as `create index concurrently`, takes no lock that a save waits for, and
/// broken off it would leave half an index.
const UNLIMITED: &str = "set lock_timeout = 0";
/// Between two looks at whether another process has brought its tables up to date.
const TURN: Duration = Duration::from_millis(50);
/// Between two tries to get a lock; those who waited behind the first one are through by then. Twice as long each time.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest of these pauses.
const LONGEST: Duration = Duration::from_secs(16);
/// How long it is tried. A report ends before; what is still there then was forgotten, and somebody has to look.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// How long making a connection may take.
const MAKING: Duration = Duration::from_secs(4);
/// The number by which processes of this and later versions wait for each other.
const LOCK: i64 = 0x5061_7469_6f00;

/// Runs the steps that are missing, each when it gets its locks at once or nearly so, and waits for those it does not get.
pub(super) async fn bring_up(schema: Schema, to: &PgConnectOptions) -> anyhow::Result<()> {
    let (steps, began, mut pause) = (tolerant(schema.postgres), Instant::now(), PAUSE);
    loop {
        // A connection of its own: with it everything ends that it holds, also after a failure. Taken from a pool, since the
        // compiler cannot tell that steps on a borrowed one may be run by any thread.
        let one = PgPoolOptions::new().max_connections(1).max_lifetime(None).idle_timeout(None).acquire_timeout(MAKING);
        let connection = one.connect_with(to.clone().options([("lock_timeout", WAITS)])).await?; // also if it has to be made anew
        let done = attempt(schema, &steps, &connection).await;
        connection.close().await;
        match done {
            Err(cause) if is_in_use(&cause) && began.elapsed() < PATIENCE => {
                tracing::warn!(schema = schema.name, %cause, ?pause, "a table is in use for long; its step is tried again");
            }
            done => return Ok(done?),
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST);
    }
}

async fn attempt(schema: Schema, steps: &Migrator, connection: &PgPool) -> Result<(), MigrateError> {
    // Asked again and again: who waits in a statement is waited for by `create index concurrently`.
    while !sqlx::query_scalar::<_, bool>("select pg_try_advisory_lock($1)").bind(LOCK).fetch_one(connection).await? {
        sleep(TURN).await;
    }
    connection.execute(LIMITED).await?;
    let make = format!("create schema if not exists {}", schema.name);
    match connection.execute(sqlx::AssertSqlSafe(make)).await {
        Err(cause) if errors::is_away(&cause) => return Err(cause.into()),
        Err(cause) => tracing::debug!(%cause, "the schema is made by somebody else"),
        Ok(_) => {}
    }
    for (last, limit) in stretches(steps) {
        connection.execute(limit).await?;
        steps.run_to(last, connection).await?;
    }
    Ok(())
}

/// The steps as stretches that run under one limit each, by the last step of each.
fn stretches(steps: &Migrator) -> Vec<(i64, &'static str)> {
    let mut stretches: Vec<(i64, &str)> = Vec::new();
    for step in steps.iter() {
        let limit = if step.no_tx { UNLIMITED } else { LIMITED };
        match stretches.last_mut() {
            Some((last, same)) if *same == limit => *last = step.version,
            _ => stretches.push((step.version, limit)),
        }
    }
    stretches
}

/// Whether a step did not get a lock in time.
fn is_in_use(cause: &MigrateError) -> bool {
    let (MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _)) = cause else { return false };
    matches!(cause, sqlx::Error::Database(told) if told.code().is_some_and(|code| code == "55P03"))
}
