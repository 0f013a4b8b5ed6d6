//! Rate limits per client address for sign-in attempts, for requests that end sessions after offline sign-outs, and for
//! Content-Security-Policy reports of browsers. Lockouts of accounts after failed sign-ins are in auth-svc.
use moka::sync::Cache;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Token-bucket rate limiter per client address. A bucket starts full and gains one token per second.
pub struct AddressRateLimiter {
    burst: f64,
    buckets: Cache<String, Arc<Mutex<Bucket>>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl AddressRateLimiter {
    /// Creates a rate limiter that allows `burst` requests of one address at once.
    #[must_use]
    pub fn new(burst: u32) -> Self {
        let idle = Duration::from_secs(u64::from(burst).max(600));
        Self { burst: f64::from(burst), buckets: Cache::builder().max_capacity(50_000).time_to_idle(idle).build() }
    }

    /// Takes one token from the bucket of a client address.
    ///
    /// # Errors
    /// When the bucket is empty, returns the number of seconds until the client may try again (always 1).
    pub fn try_take_token(&self, address: &str, now: Instant) -> Result<(), i64> {
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
    fn a_burst_passes_then_one_per_second_and_other_addresses_are_not_affected() {
        let (limiter, now) = (AddressRateLimiter::new(3), Instant::now());
        assert_eq!([(); 4].map(|()| limiter.try_take_token("a", now).is_ok()), [true, true, true, false]);
        assert!(limiter.try_take_token("b", now).is_ok());
        assert_eq!(limiter.try_take_token("a", now + Duration::from_millis(900)), Err(1));
        assert_eq!(limiter.try_take_token("a", now + Duration::from_millis(1000)), Ok(()));
        assert_eq!(limiter.try_take_token("a", now + Duration::from_millis(1100)), Err(1));
    }
}
