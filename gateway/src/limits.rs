//! How often one address may try to sign in, and how many streams may be open; the lockout itself is auth-svc's.
use moka::sync::Cache;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A bucket of tries for each address: full at first, refilled by one a second.
pub struct Limiter {
    burst: f64,
    buckets: Cache<String, Arc<Mutex<Bucket>>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Limiter {
    /// Lets an address try `burst` times at once.
    #[must_use]
    pub fn new(burst: u32) -> Self {
        let idle = Duration::from_secs(u64::from(burst).max(600));
        Self { burst: f64::from(burst), buckets: Cache::builder().max_capacity(50_000).time_to_idle(idle).build() }
    }

    /// Takes one try.
    ///
    /// # Errors
    /// The whole seconds until the next one, when none is left.
    pub fn take(&self, address: &str, now: Instant) -> Result<(), i64> {
        let bucket = self.buckets.get_with(address.to_owned(), || Arc::new(Mutex::new(Bucket { left: self.burst, at: now })));
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.left = (bucket.left + now.saturating_duration_since(bucket.at).as_secs_f64()).min(self.burst);
        bucket.at = now;
        if bucket.left < 1.0 {
            return Err(1);
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

/// Most streams of one person: as many as somebody may have tabs and phones.
const STREAMS_EACH: usize = 12;
/// Most streams of a gateway; each is one towards vehicle-svc, too.
const STREAMS: usize = 1_000;

/// The streams that are open, by user; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Streams(Arc<Mutex<HashMap<i64, usize>>>);

impl Streams {
    /// Room for one more stream of a user, until what this returns is dropped; none when there is no more.
    #[must_use]
    pub fn open(&self, user: i64) -> Option<Open> {
        let mut open = self.open_now();
        let all: usize = open.values().sum();
        let own = open.entry(user).or_default();
        if *own >= STREAMS_EACH || all >= STREAMS {
            return None;
        }
        *own += 1;
        Some(Open { streams: self.clone(), user })
    }

    fn open_now(&self) -> MutexGuard<'_, HashMap<i64, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream that is open.
#[derive(Debug)]
pub struct Open {
    streams: Streams,
    user: i64,
}

impl Drop for Open {
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
    fn a_person_has_so_many_streams_and_again_as_soon_as_one_ends() {
        let streams = Streams::default();
        let mut open: Vec<_> = (0..STREAMS_EACH).map(|_| streams.open(4).unwrap()).collect();
        assert!(streams.open(4).is_none() && streams.open(5).is_some());
        open.pop();
        assert!(streams.open(4).is_some());
        drop(open);
        assert!(streams.open_now().is_empty(), "nothing is kept of whoever has none");
        let all: Vec<_> = (0..).map_while(|user| streams.open(user)).collect();
        assert_eq!(all.len(), STREAMS);
    }

    #[test]
    fn a_burst_passes_then_one_a_second_and_others_are_not_touched() {
        let (limiter, now) = (Limiter::new(3), Instant::now());
        assert_eq!([(); 4].map(|()| limiter.take("a", now).is_ok()), [true, true, true, false]);
        assert!(limiter.take("b", now).is_ok());
        assert_eq!(limiter.take("a", now + Duration::from_millis(900)), Err(1));
        assert_eq!(limiter.take("a", now + Duration::from_millis(1000)), Ok(()));
        assert_eq!(limiter.take("a", now + Duration::from_millis(1100)), Err(1));
    }
}
