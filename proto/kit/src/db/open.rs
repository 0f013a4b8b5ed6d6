//! Opening of `PostgreSQL` and `SQLite` databases with their connection settings.
use crate::db::{Heartbeat, Pools, Schema};
use crate::{
    config::{InvalidSetting, Settings},
    db::{
        pg_cluster::{PgCluster, PgServerConnections},
        pg_hosts::PgHosts,
        pg_replica::PgReadReplica,
        sqlite_writer,
    },
    private_files,
};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use std::{path::Path, sync::Arc, time::Duration};

/// Creates the connection pools of a service for `PostgreSQL`. If the URL names several hosts, finds the primary first.
pub(super) async fn open_postgres(schema: Schema, url: &str, connections: u32, replica: Option<PgReadReplica>) -> anyhow::Result<Pools> {
    let cluster = Arc::new(PgCluster::open(schema, hosts(schema, url)?, connections).await);
    Ok(Pools::Postgres { heartbeat: Arc::new(Heartbeat::new(cluster.clone())), cluster, replica: replica.map(Arc::new) })
}

/// Creates the connection pool of a service for the read replica, without connecting yet. Returns `None` when
/// `PATIO_DATABASE_READ_URL` is not set.
pub(super) fn open_read_replica(schema: Schema, settings: &Settings) -> anyhow::Result<Option<PgReadReplica>> {
    let Some(url) = &settings.database_read_url else { return Ok(None) };
    let hosts = hosts(schema, url.expose())?;
    InvalidSetting::ensure(!hosts.is_cluster(), || "expected one host name, which may resolve to several replicas".to_owned())?;
    let server = PgServerConnections::new(schema, hosts.first_host().clone(), settings.database_connections);
    Ok(Some(PgReadReplica::new(&server)))
}

fn hosts(schema: Schema, url: &str) -> anyhow::Result<PgHosts> {
    // PgBouncer accepts few startup parameters, so `extra_float_digits` is left out; the server's default is exact.
    Ok(PgHosts::parse(url)?.map_connect_options(|host| host.extra_float_digits(None).application_name(schema.name)))
}

/// Opens the `SQLite` file of a service with one connection for writes and several connections for reads.
///
/// The writer's commits wait for the disk (`synchronous = full`), except commits that contain only deferred writes.
pub(super) async fn open_sqlite(schema: Schema, folder: &Path) -> anyhow::Result<Pools> {
    let file = folder.join(format!("{}.db", schema.name));
    private_files::create_private_folder(folder)?;
    private_files::create_private_file(&file)?; // SQLite creates its WAL with the permissions of the database file
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .pragma("journal_size_limit", "67108864");
    // A large transaction keeps its pages in memory beyond the cache, up to `cache_spill`. A second connection checkpoints the
    // WAL in the background. When the WAL is long (`LONG_WAL_PAGES`), the writer also runs a checkpoint after its next commit. The
    // checkpoint within a commit (`wal_autocheckpoint`), which flushes twice, only runs when the WAL exceeds 64 MB.
    let writes = [("cache_size", "-1000"), ("cache_spill", "-32000"), ("wal_autocheckpoint", "16000")];
    let write = sqlite_writer::start_writer(with(options.clone(), &writes)).await?;
    // Readers map the file into memory instead of using a cache of their own. One report would fill such a cache, and lists
    // in walking order read pages from all over the file.
    let reads = [("cache_size", "-125"), ("mmap_size", "1073741824")];
    let read = SqlitePoolOptions::new().min_connections(1).max_connections(4).test_before_acquire(false);
    let read = read.connect_with(with(options, &reads).read_only(true)).await?;
    Ok(Pools::Sqlite { read, write })
}

fn with(options: SqliteConnectOptions, pragmas: &[(&'static str, &'static str)]) -> SqliteConnectOptions {
    pragmas.iter().fold(options, |options, (name, value)| options.pragma(*name, *value))
}
