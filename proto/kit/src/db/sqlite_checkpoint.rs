//! Checkpoints of an `SQLite` WAL on a separate connection, in parallel with the writer.
//!
//! By default `SQLite` runs the checkpoint within the commit that makes the WAL long enough. That commit and the following commits would
//! then wait for the write of thousands of pages and for two flushes to disk.
use sqlx::SqliteConnection;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{
    sync::{Mutex, watch},
    time::sleep,
};

/// `SQLite` connection that a background task and the write queue share. The write queue closes the connection and leaves `None`.
pub(super) type SharedSqliteConnection = Arc<Mutex<Option<SqliteConnection>>>;

/// Pause between two checkpoints of the WAL.
const CHECKPOINT_PAUSE: Duration = Duration::from_millis(100);
/// Length of the WAL, in pages, at which the writer also runs a checkpoint. Only a checkpoint by the writer lets the WAL restart from its
/// beginning.
const LONG_WAL_PAGES: i64 = 2000;

/// Handle with which the writer task reports its commits to the checkpoint task. The checkpoint task ends when the handle is
/// dropped.
pub(super) struct CheckpointHandle {
    committed: watch::Sender<()>,
    is_long: Arc<AtomicBool>,
}

impl CheckpointHandle {
    /// Creates the handle with which the writer reports its commits, and the future that runs the checkpoint task.
    pub(super) fn new(checkpoint_connection: SharedSqliteConnection) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (committed, follows) = watch::channel(());
        let is_long = Arc::new(AtomicBool::new(false));
        (Self { committed, is_long: is_long.clone() }, follow(checkpoint_connection, follows, is_long))
    }

    /// Reports a commit of the writer. Also checkpoints on the writer's connection when the WAL has become long.
    pub(super) async fn record_commit(&self, writer: &mut SqliteConnection) {
        if self.is_long.swap(false, Relaxed) {
            checkpoint(writer).await;
        }
        self.committed.send_replace(());
    }
}

async fn follow(checkpoint_connection: SharedSqliteConnection, mut commits: watch::Receiver<()>, is_long: Arc<AtomicBool>) {
    while commits.changed().await.is_ok() {
        let Some(pages) = checkpoint_if_open(&checkpoint_connection).await else { return };
        is_long.store(pages >= LONG_WAL_PAGES, Relaxed);
        sleep(CHECKPOINT_PAUSE).await;
    }
}

async fn checkpoint_if_open(checkpoint_connection: &SharedSqliteConnection) -> Option<i64> {
    match checkpoint_connection.lock().await.as_mut() {
        Some(connection) => Some(checkpoint(connection).await),
        None => None,
    }
}

/// Runs a passive checkpoint, which blocks neither readers nor the writer. Returns the number of WAL pages, or 0 on failure.
async fn checkpoint(connection: &mut SqliteConnection) -> i64 {
    let done: Result<(i64, i64, i64), _> = sqlx::query_as("pragma wal_checkpoint(passive)").fetch_one(connection).await;
    match done {
        Ok((_, pages, _)) => pages,
        Err(cause) => {
            tracing::debug!(%cause, "WAL checkpoint failed, retrying after the next commit");
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::db::sqlite_writer::{Durability, WriteQueue, start_writer};
    use crate::on;
    use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
    use std::{path::Path, time::Duration};
    use tokio::time::{sleep, timeout};

    const SYNC_BYTES: u64 = 64 << 10;
    /// WAL pages after which the writer would checkpoint by itself.
    const AUTO_CHECKPOINT_PAGES: &str = "16000";

    async fn open(folder: &Path) -> WriteQueue {
        let file = SqliteConnectOptions::new().filename(folder.join("a.db")).create_if_missing(true);
        let file = file.journal_mode(SqliteJournalMode::Wal).pragma("wal_autocheckpoint", AUTO_CHECKPOINT_PAGES);
        let queue = start_writer(file).await.unwrap();
        run(&queue, "create table pieces (piece blob)").await;
        queue
    }

    async fn run(queue: &WriteQueue, statement: &'static str) {
        let done: Result<_, sqlx::Error> = queue
            .run_transaction(Durability::Flushed, move |tx| {
                Box::pin(async move { on!(tx.connection(), c => sqlx::query(statement).execute(c).await.map(|_| ())) })
            })
            .await;
        done.unwrap();
    }

    async fn write(queue: &WriteQueue) {
        run(queue, "insert into pieces values (zeroblob(65536))").await;
    }

    fn size(folder: &Path, name: &str) -> u64 {
        folder.join(name).metadata().map_or(0, |file| file.len())
    }

    #[tokio::test]
    async fn the_wal_is_checkpointed_after_the_last_write() {
        let folder = tempfile::tempdir().unwrap();
        let queue = open(folder.path()).await;
        write(&queue).await;
        let comes = async {
            while size(folder.path(), "a.db") < SYNC_BYTES {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(20), comes).await.unwrap();
        queue.close().await;
        assert_eq!(size(folder.path(), "a.db-wal"), 0, "closing the database empties the WAL");
    }

    #[tokio::test]
    async fn the_wal_restarts_under_continuous_writes() {
        let folder = tempfile::tempdir().unwrap();
        let queue = open(folder.path()).await;
        for _ in 0..1500 {
            write(&queue).await;
            sleep(Duration::from_millis(1)).await;
        }
        let (log, all) = (size(folder.path(), "a.db-wal"), 1500 * SYNC_BYTES);
        assert!(log < all / 2, "{log} of {all} bytes");
    }
}
