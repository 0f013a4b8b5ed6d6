//! How far an import is, kept where every replica can look.
use patio_kit::{
    cache::{Cache, Key},
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

/// How often progress is put down, and looked at: an import of some thousand rows takes less than half a second.
pub const EVERY: Duration = Duration::from_millis(50);
/// How long it is kept after the last change.
const KEPT: Duration = Duration::from_secs(600);

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// An [`ImportPhase`] by number.
    pub phase: i32,
    /// Rows read, or saved.
    pub rows: i64,
    /// Known once the sheet has been read.
    pub total: Option<i64>,
    /// Whose upload it is.
    pub user_id: i64,
    /// When it was put down, in milliseconds since 1970; a later one replaces it.
    pub at_ms: i64,
}

impl Seen {
    /// As the contract carries it.
    #[must_use]
    pub fn progress(&self) -> ImportProgress {
        ImportProgress { phase: self.phase, rows: self.rows, total: self.total }
    }

    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.phase == i32::from(ImportPhase::Done) || self.phase == i32::from(ImportPhase::Failed)
    }
}

/// Where the progress of an upload is kept.
#[must_use]
pub fn key(upload: Uuid) -> Key<Seen> {
    Key::new(format!("upload:{upload}"), KEPT)
}

/// The progress of one import, told as it goes.
pub struct Progress {
    cache: Cache,
    clock: Clock,
    key: Key<Seen>,
    user_id: i64,
    phase: AtomicI32,
    rows: AtomicI64,
    total: AtomicI64,
}

impl Progress {
    /// Of an upload that has begun to be read.
    #[must_use]
    pub fn new(cache: Cache, clock: Clock, upload: Uuid, user_id: i64) -> Self {
        let phase = AtomicI32::new(ImportPhase::Reading.into());
        Self { cache, clock, key: key(upload), user_id, phase, rows: AtomicI64::new(0), total: AtomicI64::new(-1) }
    }

    /// So many rows have been read, or saved.
    pub fn reach(&self, rows: i64) {
        self.rows.store(rows, Relaxed);
    }

    /// All rows have been read, and saving begins.
    pub fn save(&self, total: i64) {
        self.rows.store(0, Relaxed);
        self.total.store(total, Relaxed);
        self.phase.store(ImportPhase::Saving.into(), Relaxed);
    }

    /// Tells the end.
    pub async fn end(&self, phase: ImportPhase) {
        self.phase.store(phase.into(), Relaxed);
        self.put().await;
    }

    /// Tells the progress of `work` while it goes on.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::select! {
            done = work => done,
            never = self.keep_putting() => match never {},
        }
    }

    async fn keep_putting(&self) -> Infallible {
        loop {
            self.put().await;
            tokio::time::sleep(EVERY).await;
        }
    }

    async fn put(&self) {
        let at_ms = self.clock.now().timestamp_millis();
        let total = self.total.load(Relaxed);
        let seen = Seen {
            phase: self.phase.load(Relaxed),
            rows: self.rows.load(Relaxed),
            total: (total >= 0).then_some(total),
            user_id: self.user_id,
            at_ms,
        };
        // A cache that is away costs the person the bar, not the import.
        let _ = self.cache.put_newer(&self.key, at_ms, &seen).await;
    }
}
