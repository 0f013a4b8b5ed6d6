//! Read replica of a `PostgreSQL` cluster. A query runs on the replica only after the replica has replayed everything that the
//! primary had written when the query began.
//!
//! The position in the write-ahead log comes from the primary and is never remembered from an earlier request. It therefore covers
//! the saves of all processes, and needs no token between them. Each statement compares the position on its own connection, since
//! a host name may lead to several replicas.
use crate::db::{
    Db, PostgresPool,
    pg_cluster::{PgCluster, PgServer},
};
use crate::lifecycle::Tasks;
use sqlx::{Error, FromRow, PgConnection, query_as};
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

/// Maximum time of a query on the replica. The primary then still has time to respond within the limit of a request.
const REPLICA_TIMEOUT: Duration = Duration::from_secs(1);
/// Pauses between two looks at a replica that has not replayed a position yet. Together they exceed a usual flush and its transfer.
const REPLAY_PAUSES: [Duration; 5] = [1, 2, 4, 8, 16].map(Duration::from_millis);
/// Interval at which the lag of the replica is measured.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Position in the write-ahead log of a cluster: where the primary inserts its next record.
///
/// A timeline has one writer. A server that has replayed a position of the same timeline of the same system therefore has exactly
/// the content that the primary had there. A standby left behind by a failover has an older timeline.
#[derive(Debug, Clone, FromRow)]
pub(super) struct WalPosition {
    system: i64,
    timeline: i32,
    lsn: String,
}

impl WalPosition {
    async fn of_primary(pool: PostgresPool) -> Result<Self, Error> {
        let position = "select s.system_identifier as system, w.lsn::text as lsn,
                cast(cast('x' || substr(pg_walfile_name(w.lsn), 1, 8) as bit(32)) as integer) as timeline
           from pg_control_system() s cross join (select pg_current_wal_insert_lsn() as lsn) w";
        query_as(position).fetch_one(pool).await
    }

    /// Returns whether a server is a standby on this timeline, and whether it has replayed this position.
    ///
    /// The control file names a new timeline only after the standby has replayed some of it.
    async fn state_on(&self, standby: &mut PgConnection) -> Result<(bool, bool), Error> {
        let state = "select pg_is_in_recovery() and s.system_identifier = $1
                and greatest(c.timeline_id, r.min_recovery_end_timeline) = $2,
                coalesce(pg_last_wal_replay_lsn() >= cast($3 as pg_lsn), false)
           from pg_control_system() s cross join pg_control_checkpoint() c cross join pg_control_recovery() r";
        query_as(state).bind(self.system).bind(self.timeline).bind(&self.lsn).fetch_one(standby).await
    }

    /// Waits briefly until a standby has replayed this position.
    ///
    /// # Errors
    /// Returns an error when the server is behind, is not a standby, or belongs to another timeline or system.
    pub(super) async fn wait_on(&self, standby: &mut PgConnection) -> Result<(), Error> {
        for pause in REPLAY_PAUSES {
            match self.state_on(standby).await? {
                (true, true) => return Ok(()),
                (true, false) => sleep(pause).await,
                (false, _) => return Err(Error::Configuration("the server is not a standby of the primary's timeline".into())),
            }
        }
        Err(Error::Configuration("the replica is behind the primary".into()))
    }
}

/// Positions of the primary, read for all waiting queries at once.
#[derive(Default)]
struct Positions {
    /// First ticket that the last position does not cover. The queries of all earlier tickets began before it was read.
    covered: u64,
    last: Option<WalPosition>,
}

/// Position that the replica had not replayed when it was last looked at, and the time of its reading.
type Pending = Option<(WalPosition, Instant)>;

/// Connections of a service to the read replica, and the replica's last known state.
pub(super) struct PgReplica {
    pool: PostgresPool,
    positions: Mutex<Positions>,
    next_ticket: AtomicU64,
    is_usable: AtomicBool,
    pending: StdMutex<Pending>,
    on_replica: AtomicU64,
    on_primary: AtomicU64,
}

impl PgReplica {
    pub(super) fn new(server: &PgServer) -> Self {
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

    /// Returns a position that the primary had reached after this call began. Concurrent callers share one query.
    async fn current_position(&self, primary: &PgServer) -> Result<WalPosition, Error> {
        let ticket = self.next_ticket.fetch_add(1, Ordering::AcqRel);
        let mut positions = self.positions.lock().await;
        if let Some(last) = positions.last.as_ref().filter(|_| ticket < positions.covered) {
            return Ok(last.clone());
        }
        let covers = self.next_ticket.load(Ordering::Acquire);
        let position = WalPosition::of_primary(primary.read.clone()).await?;
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
    pub(super) async fn run(&self, cluster: &PgCluster, tasks: &Tasks) {
        while !tasks.is_stopping() {
            match timeout(REPLICA_TIMEOUT, self.check(cluster)).await {
                Ok(Ok(has_replayed)) => self.set_usable(has_replayed, "behind the primary"),
                Ok(Err(cause)) => self.set_usable(false, &cause.to_string()),
                Err(_) => self.set_usable(false, "timeout"),
            }
            tokio::select! {
                () = sleep(CHECK_INTERVAL) => {}
                () = tasks.stopped() => {}
            }
        }
    }

    /// Returns whether the replica has replayed a position, which stays the same until the replica has replayed it.
    async fn check(&self, cluster: &PgCluster) -> Result<bool, Error> {
        let known = self.pending().clone();
        let (position, since) = match known {
            Some(pending) => pending,
            None => (WalPosition::of_primary(cluster.primary().read.clone()).await?, Instant::now()),
        };
        *self.pending() = Some((position.clone(), since));
        let mut connection = self.pool.acquire_unchecked().await?;
        let done = position.wait_on(&mut connection).await;
        // A position of an old timeline is never replayed: the next look takes the position of the new primary.
        if done.is_ok() || WalPosition::of_primary(cluster.primary().read.clone()).await?.timeline != position.timeline {
            *self.pending() = None;
        }
        done.map(|()| true)
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
        self.pool.pool().close().await;
    }
}

impl Db {
    /// Runs a query on the read replica, or on the primary when there is no replica, or the replica is unavailable, slow or behind.
    ///
    /// The query sees everything that a query on the primary would have seen when this call began. `query` must only read, since it
    /// runs again on the primary after any failure on the replica.
    ///
    /// # Errors
    /// Returns the error of the query on the primary.
    pub async fn read_recent<T, E, F, Q>(&self, query: Q) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>> + Send,
        Q: Fn(Self) -> F + Send,
    {
        let Some((cluster, replica)) = self.replica() else { return query(self.clone()).await };
        if replica.is_usable.load(Ordering::Relaxed) {
            let asked = async {
                let position = replica.current_position(&cluster.primary()).await.map_err(|cause| cause.to_string())?;
                let db = Self { reading: Some(replica.pool.at(position)), ..self.clone() };
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
