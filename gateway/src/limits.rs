//! How often one address may try to sign in; the lockout itself is auth-svc's.
use moka::sync::Cache;
use std::{
    sync::{Arc, Mutex, PoisonError},
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

#[cfg(test)]
mod tests {
    use super::*;

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
