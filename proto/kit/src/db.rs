//! One SQL text, two databases.
use crate::{
    config::Settings,
    errors,
    writer::{self, Job, Queue},
};
use futures::future::BoxFuture;
use sqlx::{
    Executor, PgConnection, PgPool, SqliteConnection, SqlitePool,
    migrate::Migrator,
    postgres::{PgConnectOptions, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{path::Path, str::FromStr, time::Duration};

/// The database a statement is about to run on.
pub enum Side<S, P> {
    /// `SQLite`.
    Sqlite(S),
    /// `PostgreSQL`.
    Postgres(P),
}

/// Runs one statement on whichever database is configured; the body is type-checked for both.
#[macro_export]
macro_rules! on {
    ($side:expr, $c:ident => $body:expr) => {
        match $side {
            $crate::db::Side::Sqlite($c) => $body,
            $crate::db::Side::Postgres($c) => $body,
        }
    };
}

/// A service's database; clones share its connections.
#[derive(Clone)]
pub struct Db(Pools);

#[derive(Clone)]
enum Pools {
    Sqlite { read: SqlitePool, write: Queue },
    Postgres(PgPool),
}

/// An open transaction that may write.
pub struct Tx<'c>(pub(crate) Side<&'c mut SqliteConnection, &'c mut PgConnection>);

impl Tx<'_> {
    /// The open transaction, for one statement.
    pub fn on(&mut self) -> Side<&mut SqliteConnection, &mut PgConnection> {
        match &mut self.0 {
            Side::Sqlite(c) => Side::Sqlite(c),
            Side::Postgres(c) => Side::Postgres(c),
        }
    }

    /// Whether this is `PostgreSQL`, for the few statements of a dialect module.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(self.0, Side::Postgres(_))
    }
}

/// What a service brings: its name and the twin migrations.
#[derive(Clone, Copy)]
pub struct Schema {
    /// The `SQLite` file's stem and the `PostgreSQL` schema's name.
    pub name: &'static str,
    /// For `SQLite`.
    pub sqlite: &'static Migrator,
    /// For `PostgreSQL`.
    pub postgres: &'static Migrator,
}

impl Db {
    /// Opens the database of a service, on `PostgreSQL` when a URL is given, else a file in the data folder.
    pub async fn open(schema: Schema, settings: &Settings) -> anyhow::Result<Self> {
        match &settings.database_url {
            Some(url) => open_postgres(schema, url.expose(), settings.database_connections),
            None => open_sqlite(schema, &settings.data_dir).await,
        }
    }

    /// Brings the tables up to date; only one process at a time does it, under a lock of the database's.
    pub async fn migrate(&self, schema: Schema) -> anyhow::Result<()> {
        match &self.0 {
            Pools::Sqlite { write, .. } => write.migrate(schema.sqlite).await?,
            Pools::Postgres(pool) => {
                let make = format!("create schema if not exists {}", schema.name);
                match pool.execute(sqlx::AssertSqlSafe(make)).await {
                    Err(cause) if errors::is_away(&cause) => return Err(cause.into()),
                    Err(cause) => tracing::debug!(%cause, "another process made the schema first"),
                    Ok(_) => {}
                }
                schema.postgres.run(pool).await?;
            }
        }
        Ok(())
    }

    /// A connection for reading.
    #[must_use]
    pub fn read(&self) -> Side<&SqlitePool, &PgPool> {
        match &self.0 {
            Pools::Sqlite { read, .. } => Side::Sqlite(read),
            Pools::Postgres(pool) => Side::Postgres(pool),
        }
    }

    /// Whether this is `PostgreSQL`, for the few statements of a dialect module.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(self.0, Pools::Postgres(_))
    }

    /// Runs `work` in one transaction and keeps what it wrote if it succeeds.
    ///
    /// On `SQLite` the one writer runs what is queued one after another and commits the group
    /// together; the answer comes after the commit. `work` must await nothing but its statements.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        match &self.0 {
            Pools::Sqlite { write, .. } => {
                let (job, answer) = Job::new(work);
                write.send(job).await?;
                answer.await.map_err(|_| E::from(sqlx::Error::WorkerCrashed))?
            }
            Pools::Postgres(pool) => {
                let mut open = pool.begin().await?;
                let done = work(&mut Tx(Side::Postgres(&mut open))).await?;
                open.commit().await?;
                Ok(done)
            }
        }
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), sqlx::Error> {
        on!(self.read(), c => sqlx::query("select 1").execute(c).await.map(drop))
    }

    /// Tells the metrics how much is going on.
    pub fn measure(&self, service: &'static str) {
        let connections = |state: &'static str, number: u32| {
            metrics::gauge!("patio_db_connections", "service" => service, "state" => state).set(f64::from(number));
        };
        let pooled = |size: u32, idle: usize, most: u32| {
            let idle = u32::try_from(idle).unwrap_or(size).min(size);
            connections("busy", size - idle);
            connections("idle", idle);
            connections("most", most);
        };
        match &self.0 {
            Pools::Sqlite { read, write } => {
                pooled(read.size(), read.num_idle(), read.options().get_max_connections());
                let waiting = u32::try_from(write.waiting()).unwrap_or(u32::MAX);
                metrics::gauge!("patio_db_queue", "service" => service).set(f64::from(waiting));
            }
            Pools::Postgres(pool) => pooled(pool.size(), pool.num_idle(), pool.options().get_max_connections()),
        }
    }

    /// Ends its connections, after what is queued.
    pub async fn close(&self) {
        match &self.0 {
            Pools::Sqlite { read, write } => {
                write.close().await;
                read.close().await;
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}

/// A connection is waited for no longer than leaves time to say so within the three seconds an answer may take.
fn open_postgres(schema: Schema, url: &str, connections: u32) -> anyhow::Result<Db> {
    let options = PgConnectOptions::from_str(url)?
        .options([("search_path", schema.name), ("idle_in_transaction_session_timeout", "60s")])
        .application_name(schema.name);
    let pool = PgPoolOptions::new().max_connections(connections).acquire_timeout(Duration::from_millis(1500)).connect_lazy_with(options);
    Ok(Db(Pools::Postgres(pool)))
}

/// Readers are several; the writer is one, and every commit reaches the disk (`synchronous = full`).
async fn open_sqlite(schema: Schema, folder: &Path) -> anyhow::Result<Db> {
    tokio::fs::create_dir_all(folder).await?;
    let options = SqliteConnectOptions::new()
        .filename(folder.join(format!("{}.db", schema.name)))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .pragma("cache_size", "-16000")
        .pragma("journal_size_limit", "67108864");
    let write = writer::start(options.clone()).await?;
    let read = SqlitePoolOptions::new().min_connections(1).max_connections(4).connect_with(options.read_only(true)).await?;
    Ok(Db(Pools::Sqlite { read, write }))
}
