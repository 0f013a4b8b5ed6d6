//! Single writer task of an `SQLite` file, which commits queued jobs (transactions) as a group.
use crate::db::sqlite_checkpoint::{CheckpointHandle, SharedSqliteConnection};
use crate::{
    db::{Engine, Tx},
    errors,
};
use futures::{FutureExt, future::BoxFuture};
use sqlx::{ConnectOptions, Connection, Executor, SqliteConnection, migrate::Migrator, sqlite::SqliteConnectOptions};
use std::{io, panic::AssertUnwindSafe, path::Path, sync::Arc};
use tokio::sync::{Mutex, mpsc, oneshot};
use tracing::Instrument;

/// Maximum number of jobs that share one commit.
const MAX_GROUP_LEN: usize = 64;

type Work<T, E> = dyn for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send;

trait Step: Send {
    fn run<'c>(&'c mut self, tx: &'c mut Tx<'_>) -> BoxFuture<'c, bool>;
    fn finish(self: Box<Self>, committed: Option<sqlx::Error>);
}

struct Pending<T, E> {
    work: Option<Box<Work<T, E>>>,
    outcome: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
    span: tracing::Span,
}

impl<T, E> Step for Pending<T, E>
where
    T: Send + 'static,
    E: From<sqlx::Error> + Send + 'static,
{
    fn run<'c>(&'c mut self, tx: &'c mut Tx<'_>) -> BoxFuture<'c, bool> {
        Box::pin(async move {
            let Some(work) = self.work.take() else { return false };
            self.outcome = AssertUnwindSafe(work(tx)).catch_unwind().instrument(self.span.clone()).await.ok();
            matches!(self.outcome, Some(Ok(_)))
        })
    }

    fn finish(self: Box<Self>, failed: Option<sqlx::Error>) {
        let answer = match (self.outcome, failed) {
            (Some(Ok(_)), Some(cause)) => Err(E::from(cause)),
            (Some(outcome), _) => outcome,
            (None, cause) => Err(E::from(cause.unwrap_or(sqlx::Error::WorkerCrashed))),
        };
        drop(self.answer.send(answer));
    }
}

/// Job in the writer's queue: the statements of one transaction, and the durability that its writes need.
struct Job {
    step: Box<dyn Step>,
    lasts: Durability,
}

/// Durability of a job's writes: when they have to be on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The writes are on disk before the job's result is returned.
    Flushed,
    /// The commit does not wait for the disk. The writes are on disk after the next [`Self::Flushed`] commit.
    Deferred,
}

impl Job {
    /// Creates a job with the durability `lasts`, and the receiver of its result. The result is sent after the commit.
    fn new<T, E, F>(lasts: Durability, work: F) -> (Self, oneshot::Receiver<Result<T, E>>)
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        let (answer, receiver) = oneshot::channel();
        let span = tracing::Span::current();
        (Self { step: Box::new(Pending { work: Some(Box::new(work)), outcome: None, answer, span }), lasts }, receiver)
    }
}

/// Queue of jobs (transactions) for the writer task. Clones use the same task.
#[derive(Clone)]
pub(crate) struct WriteQueue {
    jobs: mpsc::Sender<Job>,
    connection: SharedSqliteConnection,
    /// Connection that checkpoints the WAL.
    checkpoint_connection: SharedSqliteConnection,
    /// Path of the database file, for log events.
    path: Arc<Path>,
}

impl WriteQueue {
    /// Queues `work` as a job with the durability `lasts`, and returns the result of `work` after the commit.
    pub(crate) async fn run_transaction<T, E, F>(&self, lasts: Durability, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        let (job, answer) = Job::new(lasts, work);
        self.send(job).await?;
        answer.await.map_err(|_| E::from(sqlx::Error::WorkerCrashed))?
    }

    async fn send(&self, job: Job) -> Result<(), sqlx::Error> {
        self.jobs.send(job).await.map_err(|_| sqlx::Error::PoolClosed)
    }

    /// Returns the number of jobs in the queue.
    pub(crate) fn queue_len(&self) -> usize {
        self.jobs.max_capacity() - self.jobs.capacity()
    }

    pub(crate) async fn migrate(&self, migrations: &Migrator) -> anyhow::Result<()> {
        let mut held = self.connection.lock().await;
        let connection = held.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        migrations.run_direct(None, connection, false).await?;
        Ok(())
    }

    pub(crate) async fn close(&self) {
        for held in [&self.checkpoint_connection, &self.connection] {
            if let Some(connection) = held.lock().await.take()
                && let Err(cause) = connection.close().await
            {
                tracing::warn!(%cause, path = %self.path.display(), "failed to close the SQLite database, committed writes stay in the WAL until the next start");
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the writer outlives the shutdown of its users and ends with its last handle")]
pub(crate) async fn start_writer(options: SqliteConnectOptions) -> Result<WriteQueue, sqlx::Error> {
    let path = Arc::from(options.get_filename());
    let connection = Arc::new(Mutex::new(Some(options.connect().await?)));
    let checkpoint_connection = options.pragma("cache_size", "-64"); // a checkpoint copies pages from file to file
    let checkpoint_connection = Arc::new(Mutex::new(Some(checkpoint_connection.connect().await?)));
    let (jobs, queued) = mpsc::channel(1024);
    let (checkpoints, following) = CheckpointHandle::new(checkpoint_connection.clone());
    tokio::spawn(following);
    tokio::spawn(write(connection.clone(), queued, checkpoints));
    Ok(WriteQueue { jobs, connection, checkpoint_connection, path })
}

async fn write(connection: SharedSqliteConnection, mut queued: mpsc::Receiver<Job>, checkpoints: CheckpointHandle) {
    let (mut group, mut waits) = (Vec::with_capacity(MAX_GROUP_LEN), Durability::Flushed);
    while queued.recv_many(&mut group, MAX_GROUP_LEN).await > 0 {
        let mut held = connection.lock().await;
        let failed = match held.as_mut() {
            Some(connection) => commit(connection, &mut group, &mut waits).await.err(),
            None => Some(sqlx::Error::PoolClosed),
        };
        for Job { step, .. } in group.drain(..) {
            step.finish(failed.as_ref().map(not_committed_error));
        }
        if let Some(connection) = held.as_mut() {
            checkpoints.record_commit(connection).await;
        }
    }
}

/// Returns the error of a job whose group could not be committed. Nothing of the job was stored, so the caller may retry the job.
fn not_committed_error(cause: &sqlx::Error) -> sqlx::Error {
    let kind = if errors::is_out_of_space(cause) { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
    sqlx::Error::Io(io::Error::new(kind, cause.to_string()))
}

/// Runs a group of jobs in one transaction, each job in its own savepoint, and commits the transaction.
///
/// The commit waits for the disk if at least one job of the group is [`Durability::Flushed`]. All earlier commits are then on disk
/// too. `waits` is the current durability setting of the connection, which this function updates.
async fn commit(connection: &mut SqliteConnection, group: &mut [Job], waits: &mut Durability) -> Result<(), sqlx::Error> {
    let needs = if group.iter().any(|job| job.lasts == Durability::Flushed) { Durability::Flushed } else { Durability::Deferred };
    if needs != *waits {
        connection.execute(if needs == Durability::Flushed { "pragma synchronous = full" } else { "pragma synchronous = normal" }).await?;
        *waits = needs;
    }
    connection.execute("begin immediate").await?;
    for job in group {
        if let Err(cause) = attempt(connection, job.step.as_mut()).await {
            rollback(connection).await;
            return Err(cause);
        }
    }
    if let Err(cause) = connection.execute("commit").await {
        rollback(connection).await;
        return Err(cause);
    }
    Ok(())
}

/// Rolls the transaction back, unless the database has already done so.
async fn rollback(connection: &mut SqliteConnection) {
    if let Err(cause) = connection.execute("rollback").await {
        tracing::debug!(%cause, "failed to roll back a transaction, the database may have rolled back already");
    }
}

async fn attempt(connection: &mut SqliteConnection, job: &mut dyn Step) -> Result<(), sqlx::Error> {
    connection.execute("savepoint job").await?;
    let keep = job.run(&mut Tx(Engine::Sqlite(connection))).await;
    if !keep {
        connection.execute("rollback to job").await?;
    }
    connection.execute("release job").await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on;
    use sqlx::sqlite::SqliteJournalMode;

    type Level = oneshot::Receiver<Result<i64, sqlx::Error>>;

    /// Reads the `synchronous` level of a job's commit: 1 does not wait for the disk, 2 does.
    async fn level(queue: &WriteQueue, lasts: Durability) -> Level {
        let (job, level) = Job::new(lasts, |tx| {
            Box::pin(async move { on!(tx.connection(), c => sqlx::query_scalar("pragma synchronous").fetch_one(c).await) })
        });
        queue.send(job).await.unwrap();
        level
    }

    #[tokio::test]
    async fn a_group_with_one_durable_job_waits_for_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteConnectOptions::new().filename(folder.path().join("a.db")).create_if_missing(true);
        let queue = start_writer(file.journal_mode(SqliteJournalMode::Wal).pragma("synchronous", "full")).await.unwrap();
        for (lasts, waits) in [
            (Durability::Flushed, 2),
            (Durability::Deferred, 1),
            (Durability::Deferred, 1),
            (Durability::Flushed, 2),
            (Durability::Deferred, 1),
        ] {
            assert_eq!(level(&queue, lasts).await.await.unwrap().unwrap(), waits, "{lasts:?}");
        }
        let held = queue.connection.lock().await;
        let alone = level(&queue, Durability::Deferred).await;
        tokio::task::yield_now().await; // the job forms its own group and waits for the connection
        let group = [level(&queue, Durability::Deferred).await, level(&queue, Durability::Flushed).await];
        drop(held);
        assert_eq!(alone.await.unwrap().unwrap(), 1);
        for one in group {
            assert_eq!(one.await.unwrap().unwrap(), 2, "one durable job makes the whole group durable");
        }
    }
}
