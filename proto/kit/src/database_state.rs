//! Shared state of the database of this process: the address for error messages, and the time at which a read-only server was last found.
use crate::{atomic_instant::AtomicInstant, telemetry::outage_tracker::OutageTracker};
use std::{
    sync::{LazyLock, OnceLock},
    time::Duration,
};

/// Time after the discovery of a read-only server during which every connection is checked before use.
const SUSPICION_PERIOD: Duration = Duration::from_secs(10);

/// Address of the database of this process.
static ADDRESS: OnceLock<String> = OnceLock::new();
/// Time at which a read-only server was last found, such as a primary that became a standby.
static READ_ONLY: LazyLock<AtomicInstant> = LazyLock::new(AtomicInstant::default);
/// Tracker of database outages: counts the requests that failed since the database was last available.
static OUTAGE: OutageTracker = OutageTracker::new();

/// Sets the address of the database, for log events. Only the first call in a process has an effect.
pub(crate) fn set_database_address(address: String) {
    ADDRESS.get_or_init(|| address);
}

/// Returns a text for error messages: the address of the database and the name of the setting with this address. Empty before a
/// database is open.
pub(crate) fn describe_database_address() -> &'static str {
    ADDRESS.get().map_or("", String::as_str)
}

/// Logs that a request failed because the database is unavailable, as a warning if the request is the first to fail in an outage.
pub(crate) fn log_database_unavailable(cause: &sqlx::Error) {
    if OUTAGE.record_failure() {
        tracing::warn!(%cause, database = describe_database_address(), "database unavailable, requests fail");
    } else {
        tracing::debug!(%cause, database = describe_database_address(), "database still unavailable, requests fail");
    }
}

/// Records that a health check of the database succeeded.
pub(crate) fn record_database_available() {
    if let Some(failed_requests) = OUTAGE.record_success() {
        tracing::info!(database = describe_database_address(), failed_requests, "database available again");
    }
}

/// Records that a read-only server was found. For the next ten seconds, every connection is checked before use, and connections to a
/// read-only server are closed.
pub(crate) fn record_read_only_server() {
    READ_ONLY.set_to_now();
}

/// Returns `true` for ten seconds after a call of [`record_read_only_server`].
pub(crate) fn is_failover_suspected() -> bool {
    READ_ONLY.was_set_within(SUSPICION_PERIOD)
}
