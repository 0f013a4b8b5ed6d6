//! Clock of a process, which tests can advance.
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// Clock of a process. Clones show the same time.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    ahead_us: Arc<AtomicI64>,
}

impl Clock {
    /// Returns the current time in whole microseconds, the precision of timestamps in `SQLite` and `PostgreSQL`.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
    pub fn now(&self) -> DateTime<Utc> {
        let now = Utc::now() + TimeDelta::microseconds(self.ahead_us.load(Ordering::Relaxed));
        DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
    }

    /// Advances this clock and its clones; for tests.
    pub fn advance(&self, by: TimeDelta) {
        self.ahead_us.fetch_add(by.num_microseconds().unwrap_or(i64::MAX), Ordering::Relaxed);
    }
}

/// Converts a time to a protobuf timestamp.
#[must_use]
pub fn to_timestamp(at: DateTime<Utc>) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds: at.timestamp(), nanos: i32::try_from(at.timestamp_subsec_nanos()).unwrap_or_default() }
}

/// Converts a protobuf timestamp to a time. Returns `None` when the timestamp is out of range.
#[must_use]
pub fn from_timestamp(stamp: &prost_types::Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(stamp.seconds, u32::try_from(stamp.nanos).ok()?)
}

/// Returns the last second of the year 9999, as the start position of a list that is sorted newest first. Both `SQLite` and
/// `PostgreSQL` can store this time.
#[must_use]
pub fn max_storable_time() -> DateTime<Utc> {
    DateTime::from_timestamp(253_402_300_799, 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_small_advances_add_up() {
        let clock = Clock::default();
        let (before, by) = (clock.now(), TimeDelta::microseconds(999));
        for _ in 0..100 {
            clock.advance(by);
        }
        assert!(clock.now() - before >= by * 100);
    }
}
