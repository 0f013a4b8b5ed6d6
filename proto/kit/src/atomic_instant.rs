//! Time of the last occurrence of an event. Tasks read and set this time without a lock.
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Time of the last occurrence of an event, shared between tasks without a lock.
#[derive(Debug)]
pub(crate) struct AtomicInstant {
    began: Instant,
    /// Milliseconds from `began` to the last occurrence of the event, plus one; 0 when the event never occurred.
    at: AtomicU64,
}

impl Default for AtomicInstant {
    fn default() -> Self {
        Self { began: Instant::now(), at: AtomicU64::default() }
    }
}

impl AtomicInstant {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
    }

    /// Records that the event occurs now.
    pub(crate) fn set_to_now(&self) {
        self.at.store(self.now(), Ordering::Relaxed);
    }

    /// Returns `true` when the event last occurred at most `time` ago.
    pub(crate) fn was_set_within(&self, time: Duration) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        at > 0 && u128::from(self.now().saturating_sub(at)) <= time.as_millis()
    }
}
