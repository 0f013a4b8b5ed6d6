//! Limits log lines about the outage of a dependency: one line at the first failure, and one line when the dependency works again.
use std::{
    fmt::Display,
    sync::atomic::{AtomicU64, Ordering},
};

/// Outage tracker of a dependency: the number of failed requests since the dependency was last available.
#[derive(Debug, Default)]
pub struct OutageTracker(AtomicU64);

impl OutageTracker {
    /// Creates an outage tracker for a dependency that is available.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Records a failed request. Returns `true` for the first failed request of an outage, which the caller must log.
    pub fn record_failure(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Records that the dependency is available. Returns the number of failed requests of the outage that ended with this success, or
    /// `None` if there was no outage.
    pub fn record_success(&self) -> Option<u64> {
        // Reads first, since a write on every success would cause contention between processor cores.
        (self.0.load(Ordering::Relaxed) > 0).then(|| self.0.swap(0, Ordering::Relaxed)).filter(|failures| *failures > 0)
    }
}

impl OutageTracker {
    /// Records the result of one run of the background task named `task`. Logs only the first failure of an outage, as a
    /// warning, and the success that ends the outage.
    pub fn log_result<E: Display>(&self, task: &'static str, done: Result<(), E>) {
        match done {
            Ok(()) => {
                if let Some(failures) = self.record_success() {
                    tracing::info!(task, failures, "background task succeeds again after failures");
                }
            }
            Err(cause) if self.record_failure() => tracing::warn!(task, %cause, "background task failed, retrying"),
            Err(cause) => tracing::debug!(task, %cause, "background task failed again, retrying"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_begins_once_and_ends_once() {
        let outage = OutageTracker::new();
        assert_eq!(outage.record_success(), None);
        assert_eq!([(); 3].map(|()| outage.record_failure()), [true, false, false]);
        assert_eq!(outage.record_success(), Some(3));
        assert_eq!(outage.record_success(), None);
        assert!(outage.record_failure(), "the next outage");
    }
}
