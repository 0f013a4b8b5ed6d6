//! Bringing an `SQLite` log into its file, beside the writer instead of in its turn.
//!
//! `SQLite` would do so in the commit that makes the log long enough, and whoever waits for that commit or the next waits
//! for thousands of pages and two flushes as well. A connection of its own does it while the writer goes on.
use super::Shared;
use sqlx::SqliteConnection;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{sync::watch, time::sleep};

/// How long it rests in between.
const REST: Duration = Duration::from_millis(100);
/// A log of so many pages is begun anew. Only the writer can, once it has brought in what came meanwhile.
const LONG: i64 = 2000;

/// The writer's side; the work beside it ends with this.
pub(super) struct Checkpoints {
    committed: watch::Sender<()>,
    is_long: Arc<AtomicBool>,
}

impl Checkpoints {
    /// These, and the work to be done beside the writer.
    pub(super) fn new(beside: Shared) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (committed, follows) = watch::channel(());
        let is_long = Arc::new(AtomicBool::new(false));
        (Self { committed, is_long: is_long.clone() }, follow(beside, follows, is_long))
    }

    /// Takes notice of what the writer has committed.
    pub(super) async fn committed(&self, writer: &mut SqliteConnection) {
        if self.is_long.swap(false, Relaxed) {
            bring_in(writer).await;
        }
        self.committed.send_replace(());
    }
}

async fn follow(beside: Shared, mut commits: watch::Receiver<()>, is_long: Arc<AtomicBool>) {
    while commits.changed().await.is_ok() {
        let Some(pages) = bring_in_if_open(&beside).await else { return };
        is_long.store(pages >= LONG, Relaxed);
        sleep(REST).await;
    }
}

async fn bring_in_if_open(beside: &Shared) -> Option<i64> {
    match beside.lock().await.as_mut() {
        Some(connection) => Some(bring_in(connection).await),
        None => None,
    }
}

/// Brings in what can be without holding anybody up; how many pages the log has, none when that cannot be told.
async fn bring_in(connection: &mut SqliteConnection) -> i64 {
    let done: Result<(i64, i64, i64), _> = sqlx::query_as("pragma wal_checkpoint(passive)").fetch_one(connection).await;
    match done {
        Ok((_, pages, _)) => pages,
        Err(cause) => {
            tracing::debug!(%cause, "the log stays as it is for now");
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        on,
        writer::{Lasts, Queue, start},
    };
    use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
    use std::{path::Path, time::Duration};
    use tokio::time::{sleep, timeout};

    const PIECE: u64 = 64 << 10;
    /// What the writer may leave to others.
    const FAR: &str = "16000";

    async fn open(folder: &Path) -> Queue {
        let file = SqliteConnectOptions::new().filename(folder.join("a.db")).create_if_missing(true);
        let file = file.journal_mode(SqliteJournalMode::Wal).pragma("wal_autocheckpoint", FAR);
        let queue = start(file).await.unwrap();
        run(&queue, "create table pieces (piece blob)").await;
        queue
    }

    async fn run(queue: &Queue, statement: &'static str) {
        let done: Result<_, sqlx::Error> = queue
            .run(Lasts::Now, move |tx| Box::pin(async move { on!(tx.on(), c => sqlx::query(statement).execute(c).await.map(|_| ())) }))
            .await;
        done.unwrap();
    }

    async fn write(queue: &Queue) {
        run(queue, "insert into pieces values (zeroblob(65536))").await;
    }

    fn size(folder: &Path, name: &str) -> u64 {
        folder.join(name).metadata().map_or(0, |file| file.len())
    }

    #[tokio::test]
    async fn what_was_written_comes_into_the_file_though_nobody_writes_more() {
        let folder = tempfile::tempdir().unwrap();
        let queue = open(folder.path()).await;
        write(&queue).await;
        let comes = async {
            while size(folder.path(), "a.db") < PIECE {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(20), comes).await.unwrap();
        queue.close().await;
        assert_eq!(size(folder.path(), "a.db-wal"), 0, "nothing is left when it is closed");
    }

    #[tokio::test]
    async fn a_log_that_is_written_without_a_pause_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let queue = open(folder.path()).await;
        for _ in 0..1500 {
            write(&queue).await;
            sleep(Duration::from_millis(1)).await;
        }
        let (log, all) = (size(folder.path(), "a.db-wal"), 1500 * PIECE);
        assert!(log < all / 2, "{log} of {all} bytes");
    }
}
