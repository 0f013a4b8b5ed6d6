//! One SQL text, two databases.
mod connections;
mod heartbeat;
mod open;
mod steps;

use crate::{
    config::Settings,
    flush::{self, Flush, Moment},
    lifecycle::Tasks,
    writer::{Lasts, Queue},
};
pub use connections::{Connections, Held};
use futures::future::{BoxFuture, pending};
use heartbeat::Heartbeat;
use open::{open_postgres, open_sqlite};
use sqlx::{
    Connection, PgConnection, SqliteConnection, SqlitePool,
    error::DatabaseError,
    migrate::Migrator,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};
use std::{path::Path, sync::Arc, time::Duration};

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
pub struct Db {
    pools: Pools,
    /// When somebody last asked for something to be on the disk.
    asked: Arc<Moment>,
}

/// How long after somebody asked for that others are taken to ask for it, too.
const BUSY: Duration = Duration::from_secs(1);

#[derive(Clone)]
enum Pools {
    Sqlite { read: SqlitePool, write: Queue },
    Postgres { read: Connections, write: Connections, once: Connections, flush: Arc<Flush>, heartbeat: Arc<Heartbeat> },
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

    /// The open transaction, for a statement that `SQLite` does not know.
    ///
    /// # Errors
    /// When it is `SQLite`'s.
    pub fn postgres(&mut self) -> Result<&mut PgConnection, sqlx::Error> {
        match &mut self.0 {
            Side::Postgres(c) => Ok(c),
            Side::Sqlite(_) => Err(sqlx::Error::Configuration("this statement is PostgreSQL's".into())),
        }
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

/// What a database says of itself.
pub struct Health {
    /// Which it is.
    pub version: String,
    /// What is broken in it; none when nothing is, or when it does not say.
    pub damage: Option<String>,
    /// How many migrations were applied.
    pub applied: usize,
    /// How many this program knows.
    pub wanted: usize,
}

impl Db {
    /// Opens the database of a service, on `PostgreSQL` when a URL is given, else a file in the data folder.
    pub async fn open(schema: Schema, settings: &Settings) -> anyhow::Result<Self> {
        let pools = match &settings.database_url {
            Some(url) => open_postgres(schema, url.expose(), settings.database_connections)?,
            None => open_sqlite(schema, &settings.data_dir).await?,
        };
        Ok(Self { pools, asked: Arc::default() })
    }

    /// Brings the tables up to date; only one process at a time does it, under a lock of the database's. On `PostgreSQL`
    /// nobody who uses them meanwhile is held up for longer than a second.
    pub async fn migrate(&self, schema: Schema) -> anyhow::Result<()> {
        match &self.pools {
            Pools::Sqlite { write, .. } => write.migrate(&tolerant(schema.sqlite)).await?,
            Pools::Postgres { read, .. } => steps::bring_up(schema, &read.pool().connect_options()).await?,
        }
        Ok(())
    }

    /// The settings of the database under which a crash could lose a commit that was acknowledged, such as `fsync = off`.
    ///
    /// `SQLite` has none: how its files are written is ours to say.
    pub async fn lossy(&self) -> Result<Vec<String>, sqlx::Error> {
        match &self.pools {
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
    pub fn read(&self) -> Side<&SqlitePool, &Connections> {
        match &self.pools {
            Pools::Sqlite { read, .. } => Side::Sqlite(read),
            Pools::Postgres { read, .. } => Side::Postgres(read),
        }
    }

    /// Whether this is `PostgreSQL`, for the few statements of a dialect module.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(self.pools, Pools::Postgres { .. })
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
        self.asked.set();
        self.commit(Lasts::Now, work).await
    }

    /// Notes that somebody has something brought to the disk through another process.
    pub fn note_asked(&self) {
        self.asked.set();
    }

    /// Whether somebody has something brought to the disk just now, beside [`Self::write_step`], as far as is known.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.asked.is_within(BUSY)
    }

    /// Like [`Self::write`], but the answer does not wait for the disk: for the steps of a whole that ends with a
    /// [`Self::write`], which brings all of them there. Whoever ends it looks whether all of them are still there, as a
    /// server that broke down in between and came back has lost the last ones.
    ///
    /// While [`Self::is_busy`] it does wait, as others would have to wait for all that a quick succession of steps left behind.
    pub async fn write_step<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        let lasts = if self.is_busy() { Lasts::Now } else { Lasts::Later };
        self.commit(lasts, work).await
    }

    async fn commit<T, E, F>(&self, lasts: Lasts, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        match (&self.pools, lasts) {
            (Pools::Sqlite { write, .. }, _) => write.run(lasts, work).await,
            (Pools::Postgres { write, flush, .. }, Lasts::Now) => flush.covering(transact(write.acquire().await?, work)).await,
            (Pools::Postgres { write, .. }, Lasts::Later) => flush::whole(transact(write.acquire().await?, work)).await,
        }
    }

    /// Runs `work` whose only writing statement is its last one: that one is a transaction by itself,
    /// so that `PostgreSQL` needs no begin and no commit. What `work` read before may have changed by
    /// then; the statement has to look for itself. It is planned once, for any values, as planning would cost more than it
    /// does. On `SQLite` this is [`Self::write`].
    pub async fn write_once<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        self.asked.set();
        match &self.pools {
            Pools::Sqlite { write, .. } => write.run(Lasts::Now, work).await,
            Pools::Postgres { once, flush, .. } => {
                let mut held = once.acquire().await?;
                flush.covering(async move { work(&mut Tx(Side::Postgres(&mut held))).await }).await
            }
        }
    }

    /// Makes connections before anybody needs them.
    pub(crate) async fn warm(&self) {
        if let Pools::Postgres { read, write, once, .. } = &self.pools {
            futures::join!(read.warm(), write.warm(), once.warm());
        }
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), sqlx::Error> {
        on!(self.read(), c => sqlx::query("select 1").execute(c).await.map(drop))
    }

    /// Finds out until the process stops whether it answers at all, for [`Self::silence`].
    pub(crate) async fn keep_heard(&self, tasks: &Tasks) {
        if let Pools::Postgres { heartbeat, .. } = &self.pools {
            heartbeat.follow(tasks).await;
        }
    }

    /// Returns as soon as the database has answered nothing at all for two seconds, which a file never does.
    pub(crate) async fn silence(&self) {
        match &self.pools {
            Pools::Sqlite { .. } => pending().await,
            Pools::Postgres { heartbeat, .. } => heartbeat.silence().await,
        }
    }

    /// What the database says of itself.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub async fn look(&self, schema: Schema) -> anyhow::Result<Health> {
        let (version, damage, wanted) = match &self.pools {
            Pools::Sqlite { read, .. } => {
                let version: String = sqlx::query_scalar("select 'SQLite ' || sqlite_version()").fetch_one(read).await?;
                let told: String = sqlx::query_scalar("pragma quick_check(1)").fetch_one(read).await?;
                (version, (told != "ok").then_some(told), schema.sqlite.iter().count())
            }
            Pools::Postgres { read: pool, .. } => {
                let version: String =
                    sqlx::query_scalar("select 'PostgreSQL ' || current_setting('server_version')").fetch_one(pool).await?;
                (version, None, schema.postgres.iter().count())
            }
        };
        let done = on!(self.read(), c => sqlx::query_scalar::<_, i64>("select count(*) from _sqlx_migrations").fetch_one(c).await);
        let applied = match done {
            Ok(applied) => usize::try_from(applied)?,
            Err(sqlx::Error::Database(told)) if is_missing(&*told) => 0,
            Err(cause) => return Err(cause.into()),
        };
        Ok(Health { version, damage, applied, wanted })
    }

    /// Copies the database into a new file while it is in use; of `SQLite` only.
    ///
    /// # Errors
    /// When it is `PostgreSQL`, which has tools of its own, or the file cannot be written.
    pub async fn copy_to(&self, file: &Path) -> anyhow::Result<()> {
        let Pools::Sqlite { read, .. } = &self.pools else { anyhow::bail!("PostgreSQL is backed up with pg_dump") };
        let told = file.to_str().ok_or_else(|| anyhow::anyhow!("{} cannot be written as text", file.display()))?;
        sqlx::query("vacuum into $1").bind(told).execute(read).await?;
        let copy = SqlitePoolOptions::new().connect_with(SqliteConnectOptions::new().filename(file)).await?;
        let found: String = sqlx::query_scalar("pragma integrity_check(1)").fetch_one(&copy).await?;
        copy.close().await;
        anyhow::ensure!(found == "ok", "{}: {found}", file.display());
        Ok(())
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
        let waiting = match &self.pools {
            Pools::Sqlite { read, write } => {
                pooled(read.size(), read.num_idle(), read.options().get_max_connections());
                u32::try_from(write.waiting()).unwrap_or(u32::MAX)
            }
            Pools::Postgres { read, write, once, .. } => {
                let all = [read, write, once].map(Connections::pool);
                let most = all.iter().map(|pool| pool.options().get_max_connections()).sum();
                pooled(all.iter().map(|pool| pool.size()).sum(), all.iter().map(|pool| pool.num_idle()).sum(), most);
                [read, write, once].map(Connections::waiting).iter().sum()
            }
        };
        metrics::gauge!("patio_db_queue", "service" => service).set(f64::from(waiting));
    }

    /// Ends its connections, after what is queued.
    pub async fn close(&self) {
        match &self.pools {
            // The last to leave brings the log into the file, which one that only reads cannot.
            Pools::Sqlite { read, write } => {
                read.close().await;
                write.close().await;
            }
            Pools::Postgres { read, write, once, flush, .. } => {
                once.pool().close().await;
                write.pool().close().await;
                flush.close().await;
                read.pool().close().await;
            }
        }
    }
}

/// Whether a statement asked for a table that is not there yet.
fn is_missing(told: &dyn DatabaseError) -> bool {
    told.code().is_some_and(|code| code == "42P01") || told.message().starts_with("no such table")
}

async fn transact<T, E, F>(mut connection: Held, work: F) -> Result<T, E>
where
    F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
    E: From<sqlx::Error>,
{
    let mut open = connection.begin().await?;
    let done = work(&mut Tx(Side::Postgres(&mut open))).await?;
    open.commit().await?;
    Ok(done)
}

/// Steps of a newer version may have been applied already: versions run side by side, and steps only add.
fn tolerant(steps: &Migrator) -> Migrator {
    let mut steps = Migrator::with_migrations(steps.iter().cloned().collect());
    steps.set_ignore_missing(true);
    steps
}

#[cfg(test)]
mod tests;
