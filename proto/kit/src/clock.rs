//! Time comes from here, so that tests can move it.
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// The clock of a process; clones show the same time.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    ahead_ms: Arc<AtomicI64>,
}

impl Clock {
    /// The moment now, in whole microseconds, as both databases keep it.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
    pub fn now(&self) -> DateTime<Utc> {
        let now = Utc::now() + TimeDelta::milliseconds(self.ahead_ms.load(Ordering::Relaxed));
        DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
    }

    /// Moves this clock and its clones; for tests.
    pub fn advance(&self, by: TimeDelta) {
        self.ahead_ms.fetch_add(by.num_milliseconds(), Ordering::Relaxed);
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
