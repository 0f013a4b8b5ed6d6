//! How each database is opened.
use super::{Connections, Heartbeat, Pools, Schema};
use crate::{
    flush::{Flush, RESTED},
    private, writer,
};
use sqlx::{
    Connection,
    postgres::{PgConnectOptions, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{path::Path, str::FromStr, sync::Arc, time::Duration};

/// Saves wait for the disk with their connection held; reads hold one for a moment only, so fewer serve them, and the
/// server switches less. With the default all four services stay below the hundred that PostgreSQL allows by itself.
pub(super) fn open_postgres(schema: Schema, url: &str, connections: u32) -> anyhow::Result<Pools> {
    let options = PgConnectOptions::from_str(url)?
        .options([("search_path", schema.name), ("idle_in_transaction_session_timeout", "60s")])
        .application_name(schema.name);
    // Answers wait for a flush instead, when their connection is free again for others.
    let quick = options.clone().options([("synchronous_commit", "off")]);
    let planned = quick.clone().options([("plan_cache_mode", "force_generic_plan")]);
    let few = (connections / 4).max(1);
    let pool = |most, options: &PgConnectOptions| {
        let pool = PgPoolOptions::new().test_before_acquire(false).before_acquire(|connection, seen| {
            Box::pin(async move {
                if seen.idle_for > RESTED {
                    connection.ping().await?;
                }
                Ok(true)
            })
        });
        Connections::lazy(most, pool, options.clone())
    };
    let (read, write, once) = (pool((connections * 3 / 8).max(2), &options), pool(connections - few, &quick), pool(few, &planned));
    let heartbeat = Arc::new(Heartbeat::new(options.clone()));
    Ok(Pools::Postgres { read, write, once, flush: Arc::new(Flush::new(options)), heartbeat })
}

/// Readers are several; the writer is one, and its commits reach the disk (`synchronous = full`) unless nobody waits for that.
pub(super) async fn open_sqlite(schema: Schema, folder: &Path) -> anyhow::Result<Pools> {
    let file = folder.join(format!("{}.db", schema.name));
    private::folder(folder)?;
    private::file(&file)?; // SQLite gives its log the mode of the file
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .pragma("journal_size_limit", "67108864");
    // A large change keeps what it has written in memory beyond the cache, up to `cache_spill`. The log is brought into the file
    // beside the writer; it has to do so itself, which takes two waits for the disk, when it is 64 MB ahead.
    let writes = [("cache_size", "-1000"), ("cache_spill", "-32000"), ("wal_autocheckpoint", "16000")];
    let write = writer::start(with(options.clone(), &writes)).await?;
    // Readers look at the file where the system keeps it: a cache of their own would be filled by one report, and lists in
    // walking order go to and fro through the file.
    let reads = [("cache_size", "-125"), ("mmap_size", "1073741824")];
    let read = SqlitePoolOptions::new().min_connections(1).max_connections(4).test_before_acquire(false);
    let read = read.connect_with(with(options, &reads).read_only(true)).await?;
    Ok(Pools::Sqlite { read, write })
}

fn with(options: SqliteConnectOptions, pragmas: &[(&'static str, &'static str)]) -> SqliteConnectOptions {
    pragmas.iter().fold(options, |options, (name, value)| options.pragma(*name, *value))
}
