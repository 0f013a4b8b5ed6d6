//! The one writer of an `SQLite` file, which commits what is queued as a group.
use crate::{
    db::{Side, Tx},
    errors,
};
use futures::{FutureExt, future::BoxFuture};
use sqlx::{ConnectOptions, Connection, Executor, SqliteConnection, migrate::Migrator, sqlite::SqliteConnectOptions};
use std::{io, panic::AssertUnwindSafe, sync::Arc};
use tokio::sync::{Mutex, mpsc, oneshot};
use tracing::Instrument;

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
pub(crate) struct Job(Box<dyn Step>);

impl Job {
    /// A job and where its answer will come, after the commit.
    pub(crate) fn new<T, E, F>(work: F) -> (Self, oneshot::Receiver<Result<T, E>>)
    where
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        let (answer, receiver) = oneshot::channel();
        let span = tracing::Span::current();
        (Self(Box::new(Pending { work: Some(Box::new(work)), outcome: None, answer, span })), receiver)
    }
}

/// The way to the writer; clones lead to the same one.
#[derive(Clone)]
pub(crate) struct Queue {
    jobs: mpsc::Sender<Job>,
    connection: Arc<Mutex<Option<SqliteConnection>>>,
}

impl Queue {
    pub(crate) async fn send(&self, job: Job) -> Result<(), sqlx::Error> {
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
        if let Some(connection) = self.connection.lock().await.take()
            && let Err(cause) = connection.close().await
        {
            tracing::warn!(%cause, "closing the database failed");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the writer outlives the drain of what uses it and ends with its last queue")]
pub(crate) async fn start(options: SqliteConnectOptions) -> Result<Queue, sqlx::Error> {
    let connection = Arc::new(Mutex::new(Some(options.connect().await?)));
    let (jobs, queued) = mpsc::channel(1024);
    tokio::spawn(write(connection.clone(), queued));
    Ok(Queue { jobs, connection })
}

async fn write(connection: Arc<Mutex<Option<SqliteConnection>>>, mut queued: mpsc::Receiver<Job>) {
    let mut group = Vec::with_capacity(GROUP);
    while queued.recv_many(&mut group, GROUP).await > 0 {
        let mut held = connection.lock().await;
        let failed = match held.as_mut() {
            Some(connection) => commit(connection, &mut group).await.err(),
            None => Some(sqlx::Error::PoolClosed),
        };
        drop(held);
        for Job(job) in group.drain(..) {
            job.finish(failed.as_ref().map(undone));
        }
    }
}

/// What a job is told whose group was not committed: nothing of it was kept, and it may be tried again.
fn undone(cause: &sqlx::Error) -> sqlx::Error {
    let kind = if errors::is_full(cause) { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
    sqlx::Error::Io(io::Error::new(kind, cause.to_string()))
}

/// Runs a group in one transaction, each job in a savepoint of its own.
async fn commit(connection: &mut SqliteConnection, group: &mut [Job]) -> Result<(), sqlx::Error> {
    connection.execute("begin immediate").await?;
    for Job(job) in group {
        if let Err(cause) = attempt(connection, job.as_mut()).await {
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
