//! Limits how many event streams (server-sent events) may be open at once, per user and in total.
use patio_kit::{lifecycle::BackgroundTasks, telemetry::to_gauge_value};
use std::{
    collections::HashMap,
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Maximum number of open event streams per user, enough for several browser tabs and devices.
const MAX_STREAMS_PER_USER: usize = 12;
/// Maximum number of open event streams per gateway process. The number is limited because each event stream also keeps
/// a gRPC stream to a service open.
const MAX_STREAMS: usize = 1_000;
/// Interval at which the numbers of open streams and of users with an open stream are published as metrics.
const METRICS_INTERVAL: Duration = Duration::from_secs(1);

/// Limiter of open event streams, which counts the open streams of each user. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct EventStreamLimiter(Arc<Mutex<HashMap<i64, usize>>>);

impl EventStreamLimiter {
    /// Reserves an event stream for a user until the returned permit is dropped. Returns `None` when a limit is reached.
    #[must_use]
    pub fn try_acquire(&self, user: i64) -> Option<EventStreamPermit> {
        let mut open = self.open_now();
        let all: usize = open.values().sum();
        let own = open.entry(user).or_default();
        if *own >= MAX_STREAMS_PER_USER || all >= MAX_STREAMS {
            return None;
        }
        *own += 1;
        Some(EventStreamPermit { streams: self.clone(), user })
    }

    /// Starts the background task that publishes the numbers of open streams and of users with an open stream.
    pub fn spawn_metrics_publisher(&self, tasks: &BackgroundTasks) {
        let streams = self.clone();
        tasks.spawn_repeating(METRICS_INTERVAL, move || {
            let (users, open) = {
                let open = streams.open_now();
                (open.len(), open.values().sum())
            };
            metrics::gauge!("patio_users_online").set(to_gauge_value(users));
            metrics::gauge!("patio_open_event_streams").set(to_gauge_value(open));
            ready(())
        });
    }

    fn open_now(&self) -> MutexGuard<'_, HashMap<i64, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Permit to keep one event stream open, released when dropped.
#[derive(Debug)]
pub struct EventStreamPermit {
    streams: EventStreamLimiter,
    user: i64,
}

impl Drop for EventStreamPermit {
    fn drop(&mut self) {
        let mut open = self.streams.open_now();
        if let Some(own) = open.get_mut(&self.user) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_limited_per_user_and_in_total_and_freed_when_they_end() {
        let streams = EventStreamLimiter::default();
        let mut open: Vec<_> = (0..MAX_STREAMS_PER_USER).map(|_| streams.try_acquire(4).unwrap()).collect();
        assert!(streams.try_acquire(4).is_none() && streams.try_acquire(5).is_some());
        open.pop();
        assert!(streams.try_acquire(4).is_some());
        drop(open);
        assert!(streams.open_now().is_empty(), "users without open streams are removed");
        let all: Vec<_> = (0..).map_while(|user| streams.try_acquire(user)).collect();
        assert_eq!(all.len(), MAX_STREAMS);
    }
}
