//! Read replica of a `PostgreSQL` cluster. A query runs on the replica only after the replica has replayed everything that the primary had
//! written when the query began.
//!
//! Each query uses a position in the primary's write-ahead log that was read after the query began. The query therefore sees the earlier
//! saves of all processes, and clients need not send the position of their own saves. Each statement checks on its own connection that the
//! server has replayed the position, because one host name may lead to several replicas.
use crate::db::{
    Db, PostgresPool,
    pg_cluster::{PgCluster, PgServerConnections},
    pg_wal_position::WalPosition,
};
use crate::lifecycle::BackgroundTasks;
use sqlx::Error;
use std::{
    future::Future,
    sync::{
        Mutex as StdMutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    sync::Mutex,
    time::{sleep, timeout},
};

/// Maximum time of a query on the replica. After this timeout, enough time remains to run the query on the primary within the time limit
/// of the request.
const REPLICA_TIMEOUT: Duration = Duration::from_secs(1);
/// Interval at which the lag of the replica is measured.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Cache of the write-ahead log position that was last read from the primary. A query may use the cached position only if the query began
/// before the position was read.
#[derive(Default)]
struct PositionCache {
    /// Number of the first query that must not use the position `last`. Queries are numbered in the order in which they begin, and only
    /// queries with lower numbers certainly began before `last` was read.
    covered: u64,
    last: Option<WalPosition>,
}

/// Write-ahead log position that the replica has not replayed yet, and the time at which the position was read.
type Pending = Option<(WalPosition, Instant)>;

/// Connections of a service to the read replica, and the replica's last known state.
pub(super) struct PgReadReplica {
    pool: PostgresPool,
    positions: Mutex<PositionCache>,
    next_ticket: AtomicU64,
    is_usable: AtomicBool,
    pending: StdMutex<Pending>,
    on_replica: AtomicU64,
    on_primary: AtomicU64,
}

impl PgReadReplica {
    pub(super) fn new(server: &PgServerConnections) -> Self {
        Self {
            pool: server.read.clone(),
            positions: Mutex::default(),
            next_ticket: AtomicU64::default(),
            is_usable: AtomicBool::new(true),
            pending: StdMutex::default(),
            on_replica: AtomicU64::default(),
            on_primary: AtomicU64::default(),
        }
    }

    /// Returns a write-ahead log position of the primary that was read after this call began. Concurrent callers share one query.
    async fn current_position(&self, primary: &PgServerConnections) -> Result<WalPosition, Error> {
        let ticket = self.next_ticket.fetch_add(1, Ordering::AcqRel);
        let mut positions = self.positions.lock().await;
        if let Some(last) = positions.last.as_ref().filter(|_| ticket < positions.covered) {
            return Ok(last.clone());
        }
        let covers = self.next_ticket.load(Ordering::Acquire);
        let position = read_position(primary).await?;
        (positions.covered, positions.last) = (covers, Some(position.clone()));
        Ok(position)
    }

    fn set_usable(&self, is_usable: bool, cause: &str) {
        if self.is_usable.swap(is_usable, Ordering::Relaxed) == is_usable {
            return;
        }
        if is_usable {
            tracing::info!("read replica caught up, lists and reports use it again");
        } else {
            tracing::warn!(cause, "read replica unavailable or behind, lists and reports use the primary");
        }
    }

    /// Measures the lag of the replica until the process stops.
    pub(super) async fn monitor_lag(&self, cluster: &PgCluster, tasks: &BackgroundTasks) {
        while !tasks.is_stopping() {
            match timeout(REPLICA_TIMEOUT, self.check(cluster)).await {
                Ok(Ok(())) => self.set_usable(true, ""),
                Ok(Err(cause)) => self.set_usable(false, &cause.to_string()),
                Err(_) => self.set_usable(false, "timeout"),
            }
            tokio::select! {
                () = sleep(CHECK_INTERVAL) => {}
                () = tasks.wait_until_stopping() => {}
            }
        }
    }

    /// Checks whether the replica has replayed a write-ahead log position of the primary. Further checks use the same position
    /// until it is replayed or a failover occurs.
    async fn check(&self, cluster: &PgCluster) -> Result<(), Error> {
        let known = self.pending().clone();
        let (position, since) = match known {
            Some(pending) => pending,
            None => (read_position(&cluster.primary()).await?, Instant::now()),
        };
        *self.pending() = Some((position.clone(), since));
        let mut connection = self.pool.acquire_unchecked().await?;
        let done = position.wait_until_replayed(&mut connection).await;
        // A position of an old timeline is never replayed: the next check uses the position of the new primary.
        if done.is_ok() || read_position(&cluster.primary()).await?.timeline != position.timeline {
            *self.pending() = None;
        }
        done
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the metrics of the replica: its lag, whether it is used, and the number of queries on each server.
    pub(super) fn record_metrics(&self, service: &'static str) {
        let lag = self.pending().as_ref().map_or(0.0, |(_, since)| since.elapsed().as_secs_f64());
        metrics::gauge!("patio_db_replica_lag_seconds", "service" => service).set(lag);
        metrics::gauge!("patio_db_replica_usable", "service" => service).set(f64::from(u8::from(self.is_usable.load(Ordering::Relaxed))));
        for (server, count) in [("replica", &self.on_replica), ("primary", &self.on_primary)] {
            metrics::counter!("patio_db_replica_queries_total", "service" => service, "server" => server)
                .absolute(count.load(Ordering::Relaxed));
        }
    }

    pub(super) async fn close(&self) {
        self.pool.sqlx_pool().close().await;
    }
}

/// Reads the current write-ahead log position of the primary.
async fn read_position(primary: &PgServerConnections) -> Result<WalPosition, Error> {
    let mut connection = primary.read.acquire().await?;
    WalPosition::read_from_primary(&mut connection).await
}

impl Db {
    /// Runs a query on the read replica. If there is no replica, or it is unavailable, slow or behind, the query runs on the
    /// primary.
    ///
    /// The query sees everything that a query on the primary would have seen when this call began. `query` must only read, since
    /// it runs again on the primary after any failure on the replica.
    ///
    /// # Errors
    /// Returns the error of the query on the primary.
    pub async fn read_from_replica<T, E, F, Q>(&self, query: Q) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>> + Send,
        Q: Fn(Self) -> F + Send + Sync,
    {
        let Some((cluster, replica)) = self.replica() else { return query(self.clone()).await };
        if replica.is_usable.load(Ordering::Relaxed) {
            let asked = async {
                let position = replica.current_position(&cluster.primary()).await.map_err(|cause| cause.to_string())?;
                let db = Self { reading: Some(replica.pool.with_required_wal_position(position)), ..self.clone() };
                query(db).await.map_err(|_| "query failed".to_owned())
            };
            match timeout(REPLICA_TIMEOUT, asked).await {
                Ok(Ok(found)) => {
                    replica.on_replica.fetch_add(1, Ordering::Relaxed);
                    return Ok(found);
                }
                Ok(Err(cause)) => tracing::debug!(cause, "query on the read replica failed, repeating it on the primary"),
                Err(_) => replica.set_usable(false, "timeout"),
            }
        }
        replica.on_primary.fetch_add(1, Ordering::Relaxed);
        query(self.clone()).await
    }
}
