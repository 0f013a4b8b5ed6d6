//! One SQL text, two databases.
use crate::writer::{self, Job, Queue};
use futures::future::BoxFuture;
use sqlx::{
    Connection, Executor, PgConnection, PgPool, SqliteConnection, SqlitePool,
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
    Postgres { read: PgPool, write: PgPool },
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
    /// Opens the database of a service, on `PostgreSQL` when a URL is given, else a file below `folder`.
    pub async fn open(schema: Schema, postgres: Option<&str>, folder: &Path) -> anyhow::Result<Self> {
        match postgres {
            Some(url) => open_postgres(schema, url).await,
            None => open_sqlite(schema, folder).await,
        }
    }

    /// Brings the tables up to date; only one process at a time does it.
    pub async fn migrate(&self, schema: Schema) -> anyhow::Result<()> {
        match &self.0 {
            Pools::Sqlite { write, .. } => write.migrate(schema.sqlite).await?,
            Pools::Postgres { write: pool, .. } => {
                let make = format!("create schema if not exists {}", schema.name);
                if let Err(cause) = pool.execute(sqlx::AssertSqlSafe(make)).await {
                    tracing::debug!(%cause, "another process made the schema first");
                }
                schema.postgres.run(pool).await?;
            }
        }
        Ok(())
    }

    /// The settings of the database under which a crash could lose a commit that was acknowledged, such as `fsync = off`.
    ///
    /// `SQLite` has none: how its files are written is ours to say.
    pub async fn lossy(&self) -> Result<Vec<String>, sqlx::Error> {
        match &self.0 {
            Pools::Sqlite { .. } => Ok(Vec::new()),
            Pools::Postgres { read: pool, .. } => {
                let off = "select name || ' = off' from pg_settings
                     where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name";
                sqlx::query_scalar(off).fetch_all(pool).await
            }
        }
    }

    /// A connection for reading.
    #[must_use]
    pub fn read(&self) -> Side<&SqlitePool, &PgPool> {
        match &self.0 {
            Pools::Sqlite { read, .. } => Side::Sqlite(read),
            Pools::Postgres { read, .. } => Side::Postgres(read),
        }
    }

    /// Whether this is `PostgreSQL`, for the few statements of a dialect module.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(self.0, Pools::Postgres { .. })
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
            Pools::Sqlite { write, .. } => queued(write, work).await,
            Pools::Postgres { write, .. } => {
                let mut open = write.begin().await?;
                let done = work(&mut Tx(Side::Postgres(&mut open))).await?;
                open.commit().await?;
                Ok(done)
            }
        }
    }

    /// Runs `work` whose only writing statement is its last one: that one is a transaction by itself,
    /// so that `PostgreSQL` needs no begin and no commit. What `work` read before may have changed by
    /// then; the statement has to look for itself. On `SQLite` this is [`Self::write`].
    pub async fn write_once<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        match &self.0 {
            Pools::Sqlite { write, .. } => queued(write, work).await,
            Pools::Postgres { write, .. } => {
                let mut held = write.acquire().await?;
                work(&mut Tx(Side::Postgres(&mut held))).await
            }
        }
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), sqlx::Error> {
        on!(self.read(), c => sqlx::query("select 1").execute(c).await.map(drop))
    }

    /// Ends its connections, after what is queued.
    pub async fn close(&self) {
        match &self.0 {
            Pools::Sqlite { read, write } => {
                write.close().await;
                read.close().await;
            }
            Pools::Postgres { read, write } => {
                write.close().await;
                read.close().await;
            }
        }
    }
}

async fn queued<T, E, F>(write: &Queue, work: F) -> Result<T, E>
where
    F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<sqlx::Error> + Send + 'static,
{
    let (job, answer) = Job::new(work);
    write.send(job).await?;
    answer.await.map_err(|_| E::from(sqlx::Error::WorkerCrashed))?
}

/// How long a connection may have rested before it is tried with a round trip of its own.
const RESTED: Duration = Duration::from_secs(1);
/// Reads hold a connection for a moment only: few of them serve many, and the server switches less.
const READERS: u32 = 8;
/// Saves wait for the disk with their connection held.
const WRITERS: u32 = 16;

async fn open_postgres(schema: Schema, url: &str) -> anyhow::Result<Db> {
    let options = PgConnectOptions::from_str(url)?.options([("search_path", schema.name)]).application_name(schema.name);
    let pool = |most| {
        PgPoolOptions::new()
            .max_connections(most)
            .acquire_timeout(Duration::from_secs(3))
            .test_before_acquire(false)
            .before_acquire(|connection, seen| {
                Box::pin(async move {
                    if seen.idle_for > RESTED {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options.clone())
    };
    Ok(Db(Pools::Postgres { read: pool(READERS), write: pool(WRITERS) }))
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
    let read = SqlitePoolOptions::new().min_connections(1).max_connections(4).test_before_acquire(false);
    let read = read.connect_with(options.read_only(true)).await?;
    Ok(Db(Pools::Sqlite { read, write }))
}
