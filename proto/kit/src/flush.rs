//! Waiting for `PostgreSQL`'s disk, many at once and with no row held.
//!
//! A commit that waits for the disk keeps its rows from others until then, and a campaign's counters
//! would be changed once a turn of the disk. So transactions commit without waiting, and their answers
//! wait for a flush that covers them: one that begins after the commit does, for everybody who is there.
use futures::future::BoxFuture;
use sqlx::{ConnectOptions, Connection, PgConnection, postgres::PgConnectOptions};
use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{sync::Mutex, time::timeout};
use tracing::Instrument;

type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

/// A commit of its own that has something to write, and so waits until all that was committed before it is on the disk.
const FLUSH: &str = "select pg_logical_emit_message(true, 'patio', '')";
/// How long a connection is waited for.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How long a connection may have rested before it is tried with a round trip of its own.
pub(crate) const RESTED: Duration = Duration::from_secs(1);

/// A moment that many look at and move.
#[derive(Debug)]
pub(crate) struct Moment {
    began: Instant,
    /// Milliseconds since then, and one; 0 for never.
    at: AtomicU64,
}

impl Default for Moment {
    fn default() -> Self {
        Self { began: Instant::now(), at: AtomicU64::default() }
    }
}

impl Moment {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
    }

    /// Is now.
    pub(crate) fn set(&self) {
        self.at.store(self.now(), Ordering::Relaxed);
    }

    /// Whether it was within the last so long.
    pub(crate) fn is_within(&self, time: Duration) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        at > 0 && u128::from(self.now().saturating_sub(at)) <= time.as_millis()
    }
}

/// The connection that flushes, and who was covered by it.
pub(crate) struct Flush {
    options: PgConnectOptions,
    line: Mutex<Line>,
    /// Tickets drawn so far.
    drawn: AtomicU64,
    /// Which connection this is, counted from 1; 0 while there is none.
    life: AtomicU64,
    /// When it last answered.
    heard: Moment,
}

#[derive(Default)]
struct Line {
    connection: Option<PgConnection>,
    /// One that is being made: whoever gives up waiting leaves it to the next.
    coming: Option<BoxFuture<'static, Result<PgConnection>>>,
    /// Connections made so far.
    lives: u64,
    /// Tickets below this one are on the disk.
    covered: u64,
}

/// That a flush can be asked for later which tells the truth.
///
/// When the server crashes after the commit, what was committed may be gone, and a flush on a new connection would
/// say nothing of it: so the connection must be there before the commit, and still be the same afterwards.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ready(u64);

impl Flush {
    /// Connects when it is first needed.
    pub(crate) fn new(options: PgConnectOptions) -> Self {
        Self { options, line: Mutex::default(), drawn: AtomicU64::default(), life: AtomicU64::default(), heard: Moment::default() }
    }

    /// To be called before the transaction.
    pub(crate) async fn ready(&self) -> Result<Ready> {
        match self.life.load(Ordering::Acquire) {
            life if life > 0 && !self.has_rested() => Ok(Ready(life)),
            _ => self.connect().await,
        }
    }

    fn has_rested(&self) -> bool {
        !self.heard.is_within(RESTED)
    }

    /// Connects unless there is a connection that answers.
    async fn connect(&self) -> Result<Ready> {
        let mut line = self.line.lock().await;
        let alive = match &mut line.connection {
            Some(_) if !self.has_rested() => true,
            Some(connection) => matches!(timeout(PATIENCE, connection.ping()).await, Ok(Ok(()))),
            None => false,
        };
        if !alive {
            (line.connection, line.lives) = (None, line.lives + 1);
            self.life.store(0, Ordering::Release);
            let options = self.options.clone();
            let coming = line.coming.get_or_insert_with(|| Box::pin(async move { options.connect().await }));
            let came = timeout(PATIENCE, coming).await.map_err(|_| sqlx::Error::PoolTimedOut)?;
            line.coming = None;
            line.connection = Some(came?);
            self.life.store(line.lives, Ordering::Release);
        }
        self.heard.set();
        Ok(Ready(line.lives))
    }

    /// Returns when everything that was committed since [`Self::ready`] is on the disk, and whether that took a flush
    /// of its own. Must not be cut off.
    pub(crate) async fn wait(&self, Ready(life): Ready) -> Result<bool> {
        let ticket = self.drawn.fetch_add(1, Ordering::AcqRel);
        let mut held = self.line.lock().await;
        let line = &mut *held;
        let Some(connection) = &mut line.connection else { return Err(sqlx::Error::WorkerCrashed) };
        if self.life.load(Ordering::Acquire) != life {
            return Err(sqlx::Error::WorkerCrashed);
        }
        if ticket < line.covered {
            return Ok(false);
        }
        let covers = self.drawn.load(Ordering::Acquire);
        match sqlx::query(FLUSH).execute(connection).await {
            Ok(_) => {
                line.covered = covers;
                self.heard.set();
                Ok(true)
            }
            Err(cause) => {
                self.life.store(0, Ordering::Release);
                line.connection = None;
                Err(cause)
            }
        }
    }

    /// Does `work` and answers when what it wrote is on the disk; see [`whole`].
    pub(crate) async fn covering<T, E>(self: &Arc<Self>, work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        let (ready, flush) = (self.ready().await?, self.clone());
        whole(async move {
            let done = work.await?;
            flush.wait(ready).await?;
            Ok(done)
        })
        .await
    }

    /// Ends its connection.
    pub(crate) async fn close(&self) {
        let mut line = self.line.lock().await;
        self.life.store(0, Ordering::Release);
        if let Some(connection) = line.connection.take()
            && let Err(cause) = connection.close().await
        {
            tracing::debug!(%cause, "a connection did not end well");
        }
    }
}

/// Runs to its end even when its caller gives up.
///
/// A transaction that is cut off between its begin and the answer would go back into the pool open, and the next one
/// would be part of it.
#[expect(clippy::disallowed_methods, reason = "the drain waits for the pool, which waits for the connection")]
pub(crate) async fn whole<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<sqlx::Error> + Send + 'static,
{
    tokio::spawn(work.in_current_span()).await.unwrap_or_else(|_| Err(E::from(sqlx::Error::WorkerCrashed)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use patio_testing::{POSTGRES, from_environment, tell};
    use std::str::FromStr;

    /// A flush whose connection bears a name, and another connection to find and end it by.
    async fn open(name: &str) -> Option<(Flush, PgConnection)> {
        let Some(server) = from_environment(POSTGRES) else {
            tell(&format!("{POSTGRES} is not set: skipped"));
            return None;
        };
        let options = PgConnectOptions::from_str(&server).unwrap();
        let other = options.connect().await.unwrap();
        Some((Flush::new(options.application_name(name)), other))
    }

    async fn end(name: &str, by: &mut PgConnection) {
        let ended = "select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity where application_name = $1";
        let ended: i64 = sqlx::query_scalar(ended).bind(name).fetch_one(by).await.unwrap();
        assert_eq!(ended, 1);
    }

    #[test]
    fn a_moment_is_within_what_has_passed_since_and_never_before_it_was() {
        let moment = Moment::default();
        assert!(!moment.is_within(Duration::MAX));
        moment.set();
        assert!(moment.is_within(Duration::from_secs(60)));
        std::thread::sleep(Duration::from_millis(20));
        assert!(!moment.is_within(Duration::from_millis(5)));
    }

    #[tokio::test]
    async fn many_wait_at_once_and_few_flushes_cover_them() {
        let Some((flush, _)) = open("flush: many").await else { return };
        let ready = flush.ready().await.unwrap();
        let all = futures::future::join_all((0..500).map(|_| flush.wait(ready))).await;
        let flushes = all.into_iter().filter(|own| *own.as_ref().unwrap()).count();
        assert_eq!(flushes, 2, "one under way, and one for all who came meanwhile");
        flush.close().await;
    }

    #[tokio::test]
    async fn a_server_that_went_away_between_commit_and_flush_is_no_success() {
        let Some((flush, mut other)) = open("flush: away").await else { return };
        let before = flush.ready().await.unwrap();
        flush.wait(before).await.unwrap();
        end("flush: away", &mut other).await;
        assert!(flush.wait(before).await.is_err(), "what was committed may be gone");
        let after = flush.ready().await.unwrap();
        assert!(flush.wait(before).await.is_err(), "nor does a new connection know of it");
        flush.wait(after).await.unwrap();
        flush.close().await;
    }

    #[tokio::test]
    async fn a_connection_that_ended_while_nobody_wrote_is_replaced_unseen() {
        let Some((flush, mut other)) = open("flush: rested").await else { return };
        flush.wait(flush.ready().await.unwrap()).await.unwrap();
        end("flush: rested", &mut other).await;
        tokio::time::sleep(RESTED + Duration::from_millis(50)).await;
        flush.wait(flush.ready().await.unwrap()).await.unwrap();
        flush.close().await;
    }
}
