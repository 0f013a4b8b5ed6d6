//! Time comes from here, so that tests can move it.
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// The clock of a process; clones show the same time.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    ahead_us: Arc<AtomicI64>,
}

impl Clock {
    /// The moment now, in whole microseconds, as both databases keep it.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
    pub fn now(&self) -> DateTime<Utc> {
        let now = Utc::now() + TimeDelta::microseconds(self.ahead_us.load(Ordering::Relaxed));
        DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
    }

    /// Moves this clock and its clones, by no less than what it shows; for tests.
    pub fn advance(&self, by: TimeDelta) {
        self.ahead_us.fetch_add(by.num_microseconds().unwrap_or(i64::MAX), Ordering::Relaxed);
    }
}

/// A moment as the contract carries it.
#[must_use]
pub fn timestamp(at: DateTime<Utc>) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds: at.timestamp(), nanos: i32::try_from(at.timestamp_subsec_nanos()).unwrap_or_default() }
}

/// A moment from the contract; none when it is out of range.
#[must_use]
pub fn moment(stamp: &prost_types::Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(stamp.seconds, u32::try_from(stamp.nanos).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_moves_by_no_less_than_it_is_told() {
        let clock = Clock::default();
        let (before, by) = (clock.now(), TimeDelta::microseconds(999));
        for _ in 0..100 {
            clock.advance(by);
        }
        assert!(clock.now() - before >= by * 100);
    }
}
