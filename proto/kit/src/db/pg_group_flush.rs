//! Group flush for `PostgreSQL`: concurrent transactions share one wait for the disk, after their row locks are released.
//!
//! A commit that waits for the disk keeps its rows locked until then. A busy row, such as a campaign's counters, could therefore
//! change only once per flush. To avoid this, transactions commit with `synchronous_commit = off`. Their responses wait for a flush
//! that starts after the commit and covers all transactions waiting at that moment.
use crate::atomic_instant::AtomicInstant;
use futures::future::BoxFuture;
use sqlx::{ConnectOptions, Connection, PgConnection, postgres::PgConnectOptions};
use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Mutex, time::timeout};
use tracing::Instrument;

type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

/// SQL that commits a small message and waits until the message is on disk. All earlier commits are then on disk too.
const FLUSH_SQL: &str = "select pg_logical_emit_message(true, 'patio', '')";
/// Timeout for opening or pinging the flush connection, the connection on which flushes run.
const FLUSH_CONNECTION_TIMEOUT: Duration = Duration::from_millis(1500);
/// Idle time after which a database connection is pinged before use.
pub(crate) const MAX_IDLE_WITHOUT_PING: Duration = Duration::from_secs(1);

/// Group flusher of one database: one flush waits for the disk on behalf of all concurrent commits.
pub(crate) struct GroupFlusher {
    options: PgConnectOptions,
    line: Mutex<FlushState>,
    /// Queue number of the next commit that waits for a flush. Each waiting commit takes the current value and increments it.
    next_ticket: AtomicU64,
    /// Number of the current flush connection (the connection on which flushes run); 0 while there is no connection. Each attempt to open a
    /// connection has a new number, counted from 1.
    connection_epoch: AtomicU64,
    /// Time at which the server last responded on the flush connection (the connection on which flushes run).
    last_response: AtomicInstant,
}

#[derive(Default)]
struct FlushState {
    connection: Option<PgConnection>,
    /// Connection attempt in progress, or `None`. If the caller that waits for the attempt gives up, the attempt is kept, and the next
    /// caller waits for the same attempt.
    connecting: Option<BoxFuture<'static, Result<PgConnection>>>,
    /// Number of attempts so far to open a flush connection, including failed attempts.
    opened_connections: u64,
    /// Lowest queue number (see `next_ticket`) whose commit may not be on disk yet. All commits with lower queue numbers are on
    /// disk.
    flushed_up_to: u64,
}

/// Number of the flush connection (the connection on which flushes run) that was open before a transaction began. Only a flush on the
/// same connection proves that the transaction's commit is on disk.
///
/// A server that crashes after the commit may lose the commit. A flush on a new connection would succeed despite the loss.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlushConnectionEpoch(u64);

impl GroupFlusher {
    /// Creates a group flusher, which flushes the commits of concurrent transactions together. The flusher connects on first use.
    pub(crate) fn new(options: PgConnectOptions) -> Self {
        Self {
            options,
            line: Mutex::default(),
            next_ticket: AtomicU64::default(),
            connection_epoch: AtomicU64::default(),
            last_response: AtomicInstant::default(),
        }
    }

    /// Returns the epoch (number) of the flush connection, on which flushes run. First opens a new connection if no connection is open, or
    /// if an idle connection does not respond to a ping.
    ///
    /// Must be called before the transaction begins. [`Self::wait_until_flushed`] later needs the epoch to wait for the transaction's
    /// commit.
    pub(crate) async fn ensure_connected(&self) -> Result<FlushConnectionEpoch> {
        match self.connection_epoch.load(Ordering::Acquire) {
            life if life > 0 && !self.is_idle() => Ok(FlushConnectionEpoch(life)),
            _ => self.connect().await,
        }
    }

    fn is_idle(&self) -> bool {
        !self.last_response.was_set_within(MAX_IDLE_WITHOUT_PING)
    }

    /// Opens a new flush connection (the connection on which flushes run), unless the current flush connection responds. Returns the
    /// epoch (number) of the open connection.
    async fn connect(&self) -> Result<FlushConnectionEpoch> {
        let mut line = self.line.lock().await;
        let alive = match &mut line.connection {
            Some(_) if !self.is_idle() => true,
            Some(connection) => matches!(timeout(FLUSH_CONNECTION_TIMEOUT, connection.ping()).await, Ok(Ok(()))),
            None => false,
        };
        if !alive {
            (line.connection, line.opened_connections) = (None, line.opened_connections + 1);
            self.connection_epoch.store(0, Ordering::Release);
            let options = self.options.clone();
            let connecting = line.connecting.get_or_insert_with(|| Box::pin(async move { options.connect().await }));
            let came = timeout(FLUSH_CONNECTION_TIMEOUT, connecting).await.map_err(|_| sqlx::Error::PoolTimedOut)?;
            line.connecting = None;
            line.connection = Some(came?);
            self.connection_epoch.store(line.opened_connections, Ordering::Release);
        }
        self.last_response.set_to_now();
        Ok(FlushConnectionEpoch(line.opened_connections))
    }

    /// Waits until every transaction that was committed before this call is on disk. Returns `true` when this call ran the flush
    /// itself.
    ///
    /// Fails when the flush connection was replaced or lost since `ensure_connected` returned the epoch, because the server may have lost
    /// the commit. The future must not be dropped before it completes.
    pub(crate) async fn wait_until_flushed(&self, FlushConnectionEpoch(life): FlushConnectionEpoch) -> Result<bool> {
        let ticket = self.next_ticket.fetch_add(1, Ordering::AcqRel);
        let mut held = self.line.lock().await;
        let line = &mut *held;
        let Some(connection) = &mut line.connection else { return Err(sqlx::Error::WorkerCrashed) };
        if self.connection_epoch.load(Ordering::Acquire) != life {
            return Err(sqlx::Error::WorkerCrashed);
        }
        if ticket < line.flushed_up_to {
            return Ok(false);
        }
        let covers = self.next_ticket.load(Ordering::Acquire);
        match sqlx::query(FLUSH_SQL).execute(connection).await {
            Ok(_) => {
                line.flushed_up_to = covers;
                self.last_response.set_to_now();
                Ok(true)
            }
            Err(cause) => {
                self.connection_epoch.store(0, Ordering::Release);
                line.connection = None;
                Err(cause)
            }
        }
    }

    /// Runs `work`, which commits a transaction, and returns the result of `work` once the commit is on disk.
    ///
    /// `work` runs to completion even if the caller drops this future.
    pub(crate) async fn commit_and_wait_until_flushed<T, E>(
        self: &Arc<Self>,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        let (ready, flush) = (self.ensure_connected().await?, self.clone());
        run_to_completion(async move {
            let done = work.await?;
            flush.wait_until_flushed(ready).await?;
            Ok(done)
        })
        .await
    }

    /// Closes the flush connection, on which flushes run. A failure is only logged.
    pub(crate) async fn close(&self) {
        let mut line = self.line.lock().await;
        self.connection_epoch.store(0, Ordering::Release);
        if let Some(connection) = line.connection.take()
            && let Err(cause) = connection.close().await
        {
            tracing::debug!(%cause, "failed to close the database connection for group commits");
        }
    }
}

/// Runs `work` to completion, even if the caller drops the returned future.
///
/// If `work` were dropped before its `begin` statement returns, the pooled connection would keep an open transaction. The next
/// transaction on that connection would become part of the open transaction.
#[expect(clippy::disallowed_methods, reason = "shutdown waits for the pool, which waits for this connection")]
pub(crate) async fn run_to_completion<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<sqlx::Error> + Send + 'static,
{
    tokio::spawn(work.in_current_span()).await.unwrap_or_else(|_| Err(E::from(sqlx::Error::WorkerCrashed)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use patio_testing::{POSTGRES, from_environment, print_to_stderr};
    use std::str::FromStr;

    /// Opens a flusher whose connection has the application name `name`, and a second connection that can terminate the first.
    async fn open(name: &str) -> Option<(GroupFlusher, PgConnection)> {
        let Some(server) = from_environment(POSTGRES) else {
            print_to_stderr(&format!("{POSTGRES} is not set: skipped"));
            return None;
        };
        let options = PgConnectOptions::from_str(&server).unwrap();
        let other = options.connect().await.unwrap();
        Some((GroupFlusher::new(options.application_name(name)), other))
    }

    async fn end(name: &str, by: &mut PgConnection) {
        let ended = "select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity where application_name = $1";
        let ended: i64 = sqlx::query_scalar(ended).bind(name).fetch_one(by).await.unwrap();
        assert_eq!(ended, 1);
    }

    #[test]
    fn an_event_is_recent_only_within_the_given_time_after_it_occurred() {
        let moment = AtomicInstant::default();
        assert!(!moment.was_set_within(Duration::MAX));
        moment.set_to_now();
        assert!(moment.was_set_within(Duration::from_secs(60)));
        std::thread::sleep(Duration::from_millis(20));
        assert!(!moment.was_set_within(Duration::from_millis(5)));
    }

    #[tokio::test]
    async fn two_flushes_cover_500_concurrent_waits() {
        let Some((flush, _)) = open("flush: many").await else { return };
        let ready = flush.ensure_connected().await.unwrap();
        let all = futures::future::join_all((0..500).map(|_| flush.wait_until_flushed(ready)));
        // Unconstrained, so that all callers arrive before the runtime reads the response to the first flush.
        let all = tokio::task::unconstrained(all).await;
        let flushes = all.into_iter().filter(|own| *own.as_ref().unwrap()).count();
        assert_eq!(flushes, 2, "one in progress, and one for all callers that arrived meanwhile");
        flush.close().await;
    }

    #[tokio::test]
    async fn a_connection_lost_between_commit_and_flush_is_an_error() {
        let Some((flush, mut other)) = open("flush: away").await else { return };
        let before = flush.ensure_connected().await.unwrap();
        flush.wait_until_flushed(before).await.unwrap();
        end("flush: away", &mut other).await;
        assert!(flush.wait_until_flushed(before).await.is_err(), "the commit may be lost");
        let after = flush.ensure_connected().await.unwrap();
        assert!(flush.wait_until_flushed(before).await.is_err(), "a new connection cannot confirm the commit either");
        flush.wait_until_flushed(after).await.unwrap();
        flush.close().await;
    }

    #[tokio::test]
    async fn a_connection_lost_while_idle_is_replaced_without_an_error() {
        let Some((flush, mut other)) = open("flush: rested").await else { return };
        flush.wait_until_flushed(flush.ensure_connected().await.unwrap()).await.unwrap();
        end("flush: rested", &mut other).await;
        tokio::time::sleep(MAX_IDLE_WITHOUT_PING + Duration::from_millis(50)).await;
        flush.wait_until_flushed(flush.ensure_connected().await.unwrap()).await.unwrap();
        flush.close().await;
    }
}
