//! Database access of a service. Most SQL statements run unchanged on both `SQLite` and `PostgreSQL`.
pub mod backup;
mod connection_limit;
mod health;
pub mod id_sequences;
mod open;
mod pg_cluster;
mod pg_group_flush;
mod pg_heartbeat;
mod pg_hosts;
mod pg_migrate;
mod pg_pool;
mod pg_replica;
mod pg_session;
mod pg_wal_position;
mod pooler;
mod sqlite_checkpoint;
mod sqlite_writer;
mod tx;
mod write_activity;

use crate::{
    config::{InvalidSetting, Settings},
    database_state,
    db::{
        pg_cluster::PgCluster,
        pg_replica::PgReadReplica,
        sqlite_writer::{Durability, WriteQueue},
        write_activity::WriteActivity,
    },
    lifecycle::BackgroundTasks,
    user_activity::UserActivity,
};
use anyhow::Context;
pub use connection_limit::{ConnectionLimit, max_connections_per_service_replica};
use futures::future::{BoxFuture, join_all, pending};
pub use health::DatabaseHealth;
use open::{open_postgres, open_read_replica, open_sqlite};
use pg_heartbeat::Heartbeat;
pub use pg_pool::{PooledConnection, PostgresPool};
use sqlx::{Connection, SqlitePool, migrate::Migrator};
use std::sync::Arc;
pub use tx::Tx;

/// Connection or connection pool on which a statement runs, one variant per database engine.
pub enum Engine<S, P> {
    /// Connection or pool of an `SQLite` database.
    Sqlite(S),
    /// Connection or pool of a `PostgreSQL` database.
    Postgres(P),
}

/// Runs one statement on the database engine in use. The expression must compile for both `SQLite` and `PostgreSQL` connections.
#[macro_export]
macro_rules! on {
    ($side:expr, $c:ident => $body:expr) => {
        match $side {
            $crate::db::Engine::Sqlite($c) => $body,
            $crate::db::Engine::Postgres($c) => $body,
        }
    };
}

/// Database of one service. Clones share its connections.
#[derive(Clone)]
pub struct Db {
    name: &'static str,
    pools: Pools,
    /// Time of the last durable write, and a signal to tasks that wait for the next one. A durable write returns only when its
    /// commit is on disk.
    writes: Arc<WriteActivity>,
    /// Pool of the read replica; set only in the clone that [`Self::read_from_replica`] passes to its query.
    reading: Option<PostgresPool>,
}

/// Metric labels of the three `PostgreSQL` pools: for reads, for transactions, and for write statements outside a transaction.
const POOL_NAMES: [&str; 3] = ["read", "write", "save"];

#[derive(Clone)]
enum Pools {
    Sqlite { read: SqlitePool, write: WriteQueue },
    Postgres { cluster: Arc<PgCluster>, heartbeat: Arc<Heartbeat>, replica: Option<Arc<PgReadReplica>> },
}

/// Database schema of a service: its name and its migrations for each engine.
#[derive(Clone, Copy)]
pub struct Schema {
    /// Name of the `PostgreSQL` schema, and of the `SQLite` file without its extension.
    pub name: &'static str,
    /// Migrations for `SQLite`.
    pub sqlite: &'static Migrator,
    /// Migrations for `PostgreSQL`.
    pub postgres: &'static Migrator,
}

impl Db {
    /// Opens the database of a service: `PostgreSQL` when the settings have a database URL, else an `SQLite` file in the data folder.
    pub async fn open(schema: Schema, settings: &Settings) -> anyhow::Result<Self> {
        let pools = match &settings.database_url {
            Some(url) => {
                let replica = open_read_replica(schema, settings).context("PATIO_DATABASE_READ_URL").map_err(InvalidSetting::wrap_error)?;
                open_postgres(schema, url.expose(), settings.database_connections, replica)
                    .await
                    .context("PATIO_DATABASE_URL")
                    .map_err(InvalidSetting::wrap_error)?
            }
            None => {
                open_sqlite(schema, &settings.data_dir).await.with_context(|| format!("PATIO_DATA_DIR={}", settings.data_dir.display()))?
            }
        };
        let db = Self { name: schema.name, pools, writes: Arc::default(), reading: None };
        database_state::set_database_address(db.describe_address());
        Ok(db)
    }

    /// Returns a text for error messages: the address of the database, and the name of the setting that contains the address.
    #[must_use]
    pub fn describe_address(&self) -> String {
        match &self.pools {
            Pools::Sqlite { .. } => "SQLite file in PATIO_DATA_DIR".to_owned(),
            Pools::Postgres { cluster, .. } => format!("PostgreSQL at {} (PATIO_DATABASE_URL)", cluster.addresses()),
        }
    }

    /// Runs the pending migrations of the schema. A lock in the database ensures that only one process at a time runs migrations.
    ///
    /// On `PostgreSQL` a migration delays concurrent requests by at most one second.
    pub async fn migrate(&self, schema: Schema) -> anyhow::Result<()> {
        match &self.pools {
            Pools::Sqlite { write, .. } => write.migrate(&ignoring_unknown(schema.sqlite)).await?,
            Pools::Postgres { cluster, .. } => pg_migrate::run_migrations(schema, &cluster.primary().options).await?,
        }
        Ok(())
    }

    /// Rejects a connection pooler that works in transaction or statement mode, or that ignores the parameters of the database
    /// URL.
    ///
    /// # Errors
    /// Returns an error that names the pooler's fault and address, or an error of the database.
    pub async fn reject_unsupported_pooler(&self) -> anyhow::Result<()> {
        let Pools::Postgres { cluster, .. } = &self.pools else { return Ok(()) };
        let options = &cluster.primary().options;
        let Some(fault) = pooler::find_pooler_fault(options).await? else { return Ok(()) };
        Err(InvalidSetting(format!(
            "PATIO_DATABASE_URL leads to {fault}, which Patio cannot use, at {}; set pool_mode = session there and leave parameters out of \
             the URL, or set it to the PostgreSQL server itself",
            pg_hosts::address(options)
        ))
        .into())
    }

    /// Returns the unsafe settings of the `PostgreSQL` server, such as `fsync = off`. With these settings, a crash could lose an
    /// acknowledged commit.
    ///
    /// On `SQLite` the list is empty, because Patio itself sets the durability of `SQLite` files.
    pub async fn find_unsafe_postgres_settings(&self) -> Result<Vec<String>, sqlx::Error> {
        match &self.pools {
            Pools::Sqlite { .. } => Ok(Vec::new()),
            Pools::Postgres { cluster, .. } => {
                let off = "select name || ' = off' from pg_settings
                     where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name";
                sqlx::query_scalar(off).fetch_all(cluster.primary().read.clone()).await
            }
        }
    }

    /// Returns the name of the database schema, such as `vehicle`.
    #[must_use]
    pub fn schema_name(&self) -> &'static str {
        self.name
    }

    /// Returns the connection pool for reads.
    #[must_use]
    pub fn read_pool(&self) -> Engine<&SqlitePool, PostgresPool> {
        match (&self.pools, &self.reading) {
            (Pools::Sqlite { read, .. }, _) => Engine::Sqlite(read),
            (Pools::Postgres { .. }, Some(replica)) => Engine::Postgres(replica.clone()),
            (Pools::Postgres { cluster, .. }, None) => Engine::Postgres(cluster.primary().read.clone()),
        }
    }

    fn replica(&self) -> Option<(&PgCluster, &PgReadReplica)> {
        let Pools::Postgres { cluster, replica, .. } = &self.pools else { return None };
        replica.as_deref().map(|replica| (&**cluster, replica))
    }

    /// Returns `true` on `PostgreSQL` and `false` on `SQLite`. Callers use this for the few statements that differ.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(self.pools, Pools::Postgres { .. })
    }

    /// Runs `work` in one transaction, commits it when `work` succeeds, and returns once the commit is on disk.
    ///
    /// On `SQLite` a single writer task runs queued transactions one after another and commits them as a group.
    /// `work` must await nothing but its own statements.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        self.writes.record_write();
        self.commit(Durability::Flushed, work).await
    }

    /// Runs `work` in one transaction and returns after the commit, usually without waiting for the disk.
    ///
    /// Used for the steps of a long job, whose final [`Self::write`] makes all earlier steps durable. The final write has to check that all
    /// steps are still stored, because a crash of the database may have lost the last steps.
    ///
    /// Within a second of a durable write, each step waits for the disk as well. Otherwise, the next durable write of another caller would
    /// take longer, because it would also flush all earlier steps.
    pub async fn write_with_deferred_flush<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        let lasts = if self.has_recent_writes() { Durability::Flushed } else { Durability::Deferred };
        self.commit(lasts, work).await
    }

    async fn commit<T, E, F>(&self, lasts: Durability, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        match (&self.pools, lasts) {
            (Pools::Sqlite { write, .. }, _) => write.run_transaction(lasts, work).await,
            (Pools::Postgres { cluster, .. }, Durability::Flushed) => {
                let server = cluster.primary();
                server.flush.commit_and_wait_until_flushed(transact(server.write.acquire().await?, work)).await
            }
            (Pools::Postgres { cluster, .. }, Durability::Deferred) => {
                pg_group_flush::run_to_completion(transact(cluster.primary().write.acquire().await?, work)).await
            }
        }
    }

    /// Runs `work` without a transaction on `PostgreSQL`. `work` may first read rows, and must then write with a single statement, the
    /// last one.
    ///
    /// The writing statement commits by itself, which saves the round trips of `begin` and `commit`. Other transactions may have changed
    /// the rows that `work` read, so the writing statement has to check these rows itself. The statement's query plan is reused for all
    /// parameter values, because planning takes longer than running the statement.
    ///
    /// On `SQLite` this function does the same as [`Self::write`].
    pub async fn write_single_statement<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        self.writes.record_write();
        match &self.pools {
            Pools::Sqlite { write, .. } => write.run_transaction(Durability::Flushed, work).await,
            Pools::Postgres { cluster, .. } => {
                let server = cluster.primary();
                let mut held = server.once.acquire().await?;
                server.flush.commit_and_wait_until_flushed(async move { work(&mut Tx(Engine::Postgres(&mut held))).await }).await
            }
        }
    }

    /// Opens half of the `PostgreSQL` connections before the first requests arrive.
    pub(crate) async fn open_initial_connections(&self) {
        if let Pools::Postgres { cluster, .. } = &self.pools {
            join_all(cluster.primary().pools().map(PostgresPool::open_initial_connections)).await;
        }
    }

    /// Checks that the database responds and accepts writes.
    pub async fn ping(&self) -> Result<(), sqlx::Error> {
        match self.read_pool() {
            Engine::Sqlite(pool) => sqlx::query("select 1").execute(pool).await.map(drop),
            Engine::Postgres(pool) => pool.check_writable().await,
        }
    }

    /// Sends heartbeats to `PostgreSQL` until the process stops, to detect a database that no longer responds. Also measures the
    /// lag of the read replica.
    pub(crate) async fn run_heartbeat(&self, tasks: &BackgroundTasks, activity: &UserActivity) {
        let Pools::Postgres { cluster, heartbeat, replica } = &self.pools else { return };
        let measured = async {
            if let Some(replica) = replica {
                replica.monitor_lag(cluster, tasks).await;
            }
        };
        tokio::join!(heartbeat.send_heartbeats(tasks, activity), measured);
    }

    /// Waits until the database no longer responds to heartbeats. On `SQLite` the wait never ends.
    pub(crate) async fn wait_until_unresponsive(&self) {
        match &self.pools {
            Pools::Sqlite { .. } => pending().await,
            Pools::Postgres { heartbeat, .. } => heartbeat.wait_until_unresponsive().await,
        }
    }

    /// Sets the metrics of the connection pools and of the write queue.
    pub fn record_metrics(&self, service: &'static str) {
        let connections = |pool: &'static str, (size, idle, max): (u32, usize, u32)| {
            let idle = u32::try_from(idle).unwrap_or(size).min(size);
            for (state, number) in [("busy", size - idle), ("idle", idle), ("max", max)] {
                metrics::gauge!("patio_db_connections", "service" => service, "pool" => pool, "state" => state).set(f64::from(number));
            }
        };
        let waiters = |pool: &'static str, number: u32| {
            metrics::gauge!("patio_db_waiters", "service" => service, "pool" => pool).set(f64::from(number));
        };
        match &self.pools {
            Pools::Sqlite { read, write } => {
                connections("read", (read.size(), read.num_idle(), read.options().get_max_connections()));
                waiters("write", u32::try_from(write.queue_len()).unwrap_or(u32::MAX));
            }
            Pools::Postgres { cluster, .. } => {
                for (name, pool) in POOL_NAMES.into_iter().zip(cluster.primary().pools()) {
                    let sqlx = pool.sqlx_pool();
                    connections(name, (sqlx.size(), sqlx.num_idle(), sqlx.options().get_max_connections()));
                    waiters(name, pool.waiter_count());
                }
            }
        }
        if let Some((_, replica)) = self.replica() {
            replica.record_metrics(service);
        }
    }

    /// Closes all connections, after the statements in progress have finished.
    pub async fn close(&self) {
        match &self.pools {
            // The last connection to close writes the WAL into the database file, which a read-only connection cannot do.
            Pools::Sqlite { read, write } => {
                read.close().await;
                write.close().await;
            }
            Pools::Postgres { cluster, replica, .. } => {
                if let Some(replica) = replica {
                    replica.close().await;
                }
                let server = cluster.primary();
                server.once.sqlx_pool().close().await;
                server.write.sqlx_pool().close().await;
                server.flush.close().await;
                server.read.sqlx_pool().close().await;
            }
        }
    }
}

async fn transact<T, E, F>(mut connection: PooledConnection, work: F) -> Result<T, E>
where
    F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
    E: From<sqlx::Error>,
{
    let mut open = connection.begin().await?;
    let done = work(&mut Tx(Engine::Postgres(&mut open))).await?;
    open.commit().await?;
    Ok(done)
}

/// Returns a migrator that accepts a database with migrations of a newer version of Patio. During an update, two versions may run side by
/// side. The older version still works, because migrations only add tables and columns.
fn ignoring_unknown(steps: &Migrator) -> Migrator {
    let mut steps = Migrator::with_migrations(steps.iter().cloned().collect());
    steps.set_ignore_missing(true);
    steps
}

#[cfg(test)]
mod tests;
