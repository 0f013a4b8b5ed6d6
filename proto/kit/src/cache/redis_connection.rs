//! Redis connection that reconnects when the Redis server has become a read-only replica.
use crate::telemetry::outage_tracker::OutageTracker;
use arc_swap::ArcSwap;
use futures::FutureExt;
use redis::{
    Client, Cmd, Pipeline, RedisError, RedisFuture, RedisResult, Value,
    aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig},
};
use std::{
    fmt::Display,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Error codes of a Redis replica. After such an error a new connection may reach the new primary.
const REPLICA_ERRORS: [&str; 2] = ["READONLY", "MASTERDOWN"];
/// Error codes of a Redis server that temporarily rejects writes: out of memory, failed persistence, too few replicas.
const WRITE_REJECTED_ERRORS: [&str; 3] = ["OOM", "MISCONF", "NOREPLICAS"];
/// Minimum interval between two reconnects to Redis. Right after a failover, the host name may still resolve to the old server.
const MIN_RECONNECT_INTERVAL: Duration = Duration::from_secs(1);
/// Redis key that is written to test whether Redis accepts writes.
const PROBE_KEY: &str = "patio:probe";
/// Time to live of the Redis key that is written as a test, in milliseconds.
const PROBE_TTL_MS: u64 = 60_000;

/// Connection to a Redis server. Clones share the connection.
///
/// A broken connection is reopened automatically. The connection is also replaced when the server has become a read-only replica,
/// because a new connection reaches the new primary.
#[derive(Clone)]
pub struct RedisConnection(Arc<ConnectionState>);

struct ConnectionState {
    client: Client,
    config: ConnectionManagerConfig,
    now: ArcSwap<ConnectionManager>,
    last_reconnect: Mutex<Option<Instant>>,
    rejects_writes: AtomicBool,
    outage: OutageTracker,
}

impl RedisConnection {
    pub(super) fn open(client: Client, config: ConnectionManagerConfig) -> RedisResult<Self> {
        let now = ArcSwap::from_pointee(ConnectionManager::new_lazy_with_config(client.clone(), config.clone())?);
        Ok(Self(Arc::new(ConnectionState {
            client,
            config,
            now,
            last_reconnect: Mutex::default(),
            rejects_writes: AtomicBool::new(false),
            outage: OutageTracker::new(),
        })))
    }

    /// Returns `true` when Redis accepted the last write. While writes are rejected, values read from Redis may be stale.
    #[must_use]
    pub fn accepts_writes(&self) -> bool {
        !self.0.rejects_writes.load(Relaxed)
    }

    /// Checks that Redis accepts writes, by writing a test key.
    ///
    /// # Errors
    /// Returns the error of the rejected write or of the connection.
    pub async fn probe_write(&self) -> RedisResult<()> {
        let tried = redis::cmd("SET").arg(PROBE_KEY).arg(1).arg("PX").arg(PROBE_TTL_MS).exec_async(&mut self.clone()).await;
        if tried.is_ok() && self.0.rejects_writes.swap(false, Relaxed) {
            tracing::info!("redis accepts writes again");
        }
        if tried.is_ok()
            && let Some(failed_requests) = self.0.outage.record_success()
        {
            tracing::info!(failed_requests, "redis available again");
        }
        tried
    }

    /// Logs a failed Redis request: the first failure of an outage as a warning, later failures at level `debug`. A successful
    /// [`Self::probe_write`] ends the outage.
    pub fn log_failure(&self, purpose: &str, cause: &dyn Display) {
        if self.0.outage.record_failure() {
            tracing::warn!(%cause, purpose, "redis unavailable, falling back to the database");
        } else {
            tracing::debug!(%cause, purpose, "redis still unavailable, falling back to the database");
        }
    }

    fn note_rejection(&self, used: &Arc<ConnectionManager>, answer: &RedisResult<Value>) {
        let code = match answer {
            Ok(Value::ServerError(error)) => error.code(),
            Ok(_) => return,
            Err(cause) => cause.code().unwrap_or_default(),
        };
        if !REPLICA_ERRORS.contains(&code) && !WRITE_REJECTED_ERRORS.contains(&code) {
            return;
        }
        if !self.0.rejects_writes.swap(true, Relaxed) {
            tracing::warn!(code, "redis rejects writes, falling back to the database");
        }
        if REPLICA_ERRORS.contains(&code) {
            self.reconnect(used);
        }
    }

    fn reconnect(&self, used: &Arc<ConnectionManager>) {
        let mut last_reconnect = self.0.last_reconnect.lock().unwrap_or_else(PoisonError::into_inner);
        if last_reconnect.is_some_and(|last_reconnect| last_reconnect.elapsed() < MIN_RECONNECT_INTERVAL) {
            return;
        }
        *last_reconnect = Some(Instant::now());
        drop(last_reconnect);
        match ConnectionManager::new_lazy_with_config(self.0.client.clone(), self.0.config.clone()) {
            Ok(new) => drop(self.0.now.compare_and_swap(used, Arc::new(new))),
            Err(cause) => tracing::warn!(%cause, "failed to create a new redis connection, the old one stays in use"),
        }
    }
}

/// Returns `true` when a Redis server was reachable but rejected the write.
pub(super) fn is_write_rejection(cause: &RedisError) -> bool {
    cause.code().is_some_and(|code| REPLICA_ERRORS.contains(&code) || WRITE_REJECTED_ERRORS.contains(&code))
}

impl ConnectionLike for RedisConnection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        async move {
            let used = self.0.now.load_full();
            let answer = ConnectionManager::clone(&used).send_packed_command(cmd).await;
            self.note_rejection(&used, &answer);
            answer
        }
        .boxed()
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        async move { ConnectionManager::clone(&self.0.now.load_full()).send_packed_commands(pipeline, offset, count).await }.boxed()
    }

    fn get_db(&self) -> i64 {
        self.0.now.load().get_db()
    }
}
