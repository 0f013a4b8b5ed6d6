//! Progress of running imports, stored in the shared cache so that the uploader can follow an import on any replica of import-svc.
use patio_kit::{
    cache::{Cache, CacheKey},
    clock::Clock,
};
use patio_proto::imports::{ImportPhase, ImportProgress};
use serde::{Deserialize, Serialize};
use std::{
    convert::Infallible,
    future::Future,
    sync::atomic::{AtomicI32, AtomicI64, Ordering::Relaxed},
    time::Duration,
};
use uuid::Uuid;

/// Interval at which the progress of an import is written and polled. The interval is short because an import of a
/// few thousand rows takes less than half a second.
pub const PROGRESS_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Time for which progress stays in the cache after its last update.
const CACHE_LIFETIME: Duration = Duration::from_secs(600);

/// Progress of one import as stored in the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgressRecord {
    /// Current phase of the import, as the number of an [`ImportPhase`].
    pub phase: i32,
    /// Number of rows that the current phase has read or saved so far.
    pub rows: i64,
    /// Total number of rows; `None` until the workbook has been read.
    pub total: Option<i64>,
    /// Id of the user who uploaded the file.
    pub user_id: i64,
    /// Time of this record in milliseconds since 1970. A record never replaces a record with a later time.
    pub at_ms: i64,
}

impl ProgressRecord {
    /// Converts the progress record to the gRPC message for the client.
    #[must_use]
    pub fn to_proto(&self) -> ImportProgress {
        ImportProgress { phase: self.phase, rows: self.rows, total: self.total }
    }

    /// Returns `true` if the import has ended, so no further progress follows.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.phase == i32::from(ImportPhase::Done) || self.phase == i32::from(ImportPhase::Failed)
    }
}

/// Returns the cache key for the progress of the import with this upload id.
#[must_use]
pub fn cache_key(upload: Uuid) -> CacheKey<ProgressRecord> {
    CacheKey::new(format!("upload:{upload}"), CACHE_LIFETIME)
}

/// Tracks the progress of one import and publishes the progress to the cache.
pub struct ProgressTracker {
    cache: Cache,
    clock: Clock,
    key: CacheKey<ProgressRecord>,
    user_id: i64,
    phase: AtomicI32,
    rows: AtomicI64,
    total: AtomicI64,
}

impl ProgressTracker {
    /// Creates the tracker of a new import, which begins in the reading phase.
    #[must_use]
    pub fn new(cache: Cache, clock: Clock, upload: Uuid, user_id: i64) -> Self {
        let phase = AtomicI32::new(ImportPhase::Reading.into());
        Self { cache, clock, key: cache_key(upload), user_id, phase, rows: AtomicI64::new(0), total: AtomicI64::new(-1) }
    }

    /// Sets the number of rows that the current phase has read or saved so far.
    pub fn set_processed_row_count(&self, rows: i64) {
        self.rows.store(rows, Relaxed);
    }

    /// Switches from the reading phase to the saving phase. `total` is the number of rows to save.
    pub fn enter_saving_phase(&self, total: i64) {
        self.rows.store(0, Relaxed);
        self.total.store(total, Relaxed);
        self.phase.store(ImportPhase::Saving.into(), Relaxed);
    }

    /// Publishes the last progress of the import to the cache. `phase` is `Done` or `Failed`.
    pub async fn publish_final_phase(&self, phase: ImportPhase) {
        self.phase.store(phase.into(), Relaxed);
        self.put().await;
    }

    /// Runs `work`, and publishes the progress to the cache at intervals until `work` completes.
    pub async fn run_with_progress<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::select! {
            done = work => done,
            never = self.publish_repeatedly() => match never {},
        }
    }

    async fn publish_repeatedly(&self) -> Infallible {
        loop {
            self.put().await;
            tokio::time::sleep(PROGRESS_POLL_INTERVAL).await;
        }
    }

    async fn put(&self) {
        let at_ms = self.clock.now().timestamp_millis();
        let total = self.total.load(Relaxed);
        let seen = ProgressRecord {
            phase: self.phase.load(Relaxed),
            rows: self.rows.load(Relaxed),
            total: (total >= 0).then_some(total),
            user_id: self.user_id,
            at_ms,
        };
        // If the cache is unavailable, only the progress bar is missing; the import continues.
        let _ = self.cache.put_if_newer(&self.key, at_ms, &seen).await;
    }
}
