//! The one writer of an `SQLite` file, which commits what is queued as a group.
use crate::{
    db::{Side, Tx},
    errors,
};
use checkpoint::Checkpoints;
use futures::{FutureExt, future::BoxFuture};
use sqlx::{ConnectOptions, Connection, Executor, SqliteConnection, migrate::Migrator, sqlite::SqliteConnectOptions};
use std::{io, panic::AssertUnwindSafe, sync::Arc};
use tokio::sync::{Mutex, mpsc, oneshot};
use tracing::Instrument;

mod checkpoint;

/// Most jobs that share one commit.
const GROUP: usize = 64;

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

/// One piece of work in the queue.
struct Job {
    step: Box<dyn Step>,
    lasts: Lasts,
}

/// When what a job wrote is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasts {
    /// Before it is answered.
    Now,
    /// With the next one that lasts now.
    Later,
}

impl Job {
    /// A job and where its answer will come, after the commit.
    fn new<T, E, F>(lasts: Lasts, work: F) -> (Self, oneshot::Receiver<Result<T, E>>)
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

/// A connection until it is closed.
type Shared = Arc<Mutex<Option<SqliteConnection>>>;

/// The way to the writer; clones lead to the same one.
#[derive(Clone)]
pub(crate) struct Queue {
    jobs: mpsc::Sender<Job>,
    connection: Shared,
    /// Brings the log into the file.
    beside: Shared,
}

impl Queue {
    /// Does `work` in its turn and answers after the commit.
    pub(crate) async fn run<T, E, F>(&self, lasts: Lasts, work: F) -> Result<T, E>
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

    /// How many jobs wait.
    pub(crate) fn waiting(&self) -> usize {
        self.jobs.max_capacity() - self.jobs.capacity()
    }

    pub(crate) async fn migrate(&self, migrations: &Migrator) -> anyhow::Result<()> {
        let mut held = self.connection.lock().await;
        let connection = held.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        migrations.run_direct(None, connection, false).await?;
        Ok(())
    }

    pub(crate) async fn close(&self) {
        for held in [&self.beside, &self.connection] {
            if let Some(connection) = held.lock().await.take()
                && let Err(cause) = connection.close().await
            {
                tracing::warn!(%cause, "closing the database failed");
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the writer outlives the drain of what uses it and ends with its last queue")]
pub(crate) async fn start(options: SqliteConnectOptions) -> Result<Queue, sqlx::Error> {
    let connection = Arc::new(Mutex::new(Some(options.connect().await?)));
    let beside = options.pragma("cache_size", "-64"); // it copies from file to file
    let beside = Arc::new(Mutex::new(Some(beside.connect().await?)));
    let (jobs, queued) = mpsc::channel(1024);
    let (checkpoints, following) = Checkpoints::new(beside.clone());
    tokio::spawn(following);
    tokio::spawn(write(connection.clone(), queued, checkpoints));
    Ok(Queue { jobs, connection, beside })
}

async fn write(connection: Shared, mut queued: mpsc::Receiver<Job>, checkpoints: Checkpoints) {
    let (mut group, mut waits) = (Vec::with_capacity(GROUP), Lasts::Now);
    while queued.recv_many(&mut group, GROUP).await > 0 {
        let mut held = connection.lock().await;
        let failed = match held.as_mut() {
            Some(connection) => commit(connection, &mut group, &mut waits).await.err(),
            None => Some(sqlx::Error::PoolClosed),
        };
        for Job { step, .. } in group.drain(..) {
            step.finish(failed.as_ref().map(undone));
        }
        if let Some(connection) = held.as_mut() {
            checkpoints.committed(connection).await;
        }
    }
}

/// What a job is told whose group was not committed: nothing of it was kept, and it may be tried again.
fn undone(cause: &sqlx::Error) -> sqlx::Error {
    let kind = if errors::is_full(cause) { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
    sqlx::Error::Io(io::Error::new(kind, cause.to_string()))
}

/// Runs a group in one transaction, each job in a savepoint of its own. The commit waits for the disk, and with it for every
/// commit before, unless nobody in the group needs that; `waits` is how the last one was.
async fn commit(connection: &mut SqliteConnection, group: &mut [Job], waits: &mut Lasts) -> Result<(), sqlx::Error> {
    let needs = if group.iter().any(|job| job.lasts == Lasts::Now) { Lasts::Now } else { Lasts::Later };
    if needs != *waits {
        connection.execute(if needs == Lasts::Now { "pragma synchronous = full" } else { "pragma synchronous = normal" }).await?;
        *waits = needs;
    }
    connection.execute("begin immediate").await?;
    for job in group {
        if let Err(cause) = attempt(connection, job.step.as_mut()).await {
            undo(connection).await;
            return Err(cause);
        }
    }
    if let Err(cause) = connection.execute("commit").await {
        undo(connection).await;
        return Err(cause);
    }
    Ok(())
}

/// Gives the transaction up; the database may have done so by itself already.
async fn undo(connection: &mut SqliteConnection) {
    if let Err(cause) = connection.execute("rollback").await {
        tracing::debug!(%cause, "nothing to roll back");
    }
}

async fn attempt(connection: &mut SqliteConnection, job: &mut dyn Step) -> Result<(), sqlx::Error> {
    connection.execute("savepoint job").await?;
    let keep = job.run(&mut Tx(Side::Sqlite(connection))).await;
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

    /// Asks, within its own transaction, how the commit will wait: 1 is not at all, 2 until the disk has it.
    async fn level(queue: &Queue, lasts: Lasts) -> Level {
        let (job, level) =
            Job::new(lasts, |tx| Box::pin(async move { on!(tx.on(), c => sqlx::query_scalar("pragma synchronous").fetch_one(c).await) }));
        queue.send(job).await.unwrap();
        level
    }

    #[tokio::test]
    async fn a_commit_waits_for_the_disk_as_soon_as_one_of_its_group_needs_that() {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteConnectOptions::new().filename(folder.path().join("a.db")).create_if_missing(true);
        let queue = start(file.journal_mode(SqliteJournalMode::Wal).pragma("synchronous", "full")).await.unwrap();
        for (lasts, waits) in [(Lasts::Now, 2), (Lasts::Later, 1), (Lasts::Later, 1), (Lasts::Now, 2), (Lasts::Later, 1)] {
            assert_eq!(level(&queue, lasts).await.await.unwrap().unwrap(), waits, "{lasts:?}");
        }
        let held = queue.connection.lock().await;
        let alone = level(&queue, Lasts::Later).await;
        tokio::task::yield_now().await; // it is a group of its own already, and waits for the connection
        let group = [level(&queue, Lasts::Later).await, level(&queue, Lasts::Now).await];
        drop(held);
        assert_eq!(alone.await.unwrap().unwrap(), 1);
        for one in group {
            assert_eq!(one.await.unwrap().unwrap(), 2, "whoever needs the disk takes the others along");
        }
    }
}
