//! Lockout: five wrong passwords block the sign-in, also when attempts arrive concurrently and at several replicas.
//!
//! An attempt is reserved (counted as failed in advance) before its password is verified, first in a counter cache (memory or Redis),
//! then in the database; both must allow the attempt. The counter cache rejects blocked attempts without a database statement. The
//! database keeps blocks across restarts, and when Redis is unavailable, slow or empty.
//!
//! Redis and `PostgreSQL` each use their own clock and exchange only durations, so the clocks of the replicas do not matter.

pub mod counter_cache;

use crate::lockout_rules::{ACCOUNT_RATE_LIMIT, ADDRESS_RATE_LIMIT, CounterNames, LockoutDecision, LockoutOperation};
use crate::{error::Error, store};
use counter_cache::CounterCache;
use patio_kit::{
    cache::Cache,
    client_network::client_network,
    clock::Clock,
    db::{Db, Tx},
};
use std::time::Duration;

/// Timeout of a Redis call, after which the database alone decides whether an attempt is allowed.
const REDIS_TIMEOUT: Duration = Duration::from_millis(50);

/// Decides whether a password may be verified now, and counts failed attempts.
pub struct Lockout {
    cache: CounterCache,
    db: Db,
    clock: Clock,
}

impl Lockout {
    /// Creates a lockout with counters in the database and in a counter cache. The counter cache is in Redis if `cache` uses Redis,
    /// otherwise in the memory of this process.
    #[must_use]
    pub fn new(cache: &Cache, db: Db, clock: Clock) -> Self {
        Self { cache: CounterCache::from_cache(cache, REDIS_TIMEOUT), db, clock }
    }

    /// Checks that neither the primary counter nor a rate limit blocks a password attempt now. Does not count an attempt.
    ///
    /// # Errors
    /// Returns `LockedOut`, with the seconds until the block ends, when attempts are blocked. Returns a database error when a
    /// statement fails.
    pub async fn check_attempt(&self, counter_names: &CounterNames) -> Result<(), Error> {
        let now = self.now();
        let verdict = match self.cache.apply_lockout_operation(LockoutOperation::Check, counter_names, now).await {
            Some(verdict) => verdict,
            None => store::lockouts::check_attempt(&self.db, counter_names, now).await?,
        };
        match verdict {
            LockoutDecision::Allow(_) => Ok(()),
            LockoutDecision::Deny(wait) => Err(locked_out_error(wait)),
        }
    }

    /// Reserves a password attempt, which counts the attempt as failed in advance. Returns the number of attempts left if this attempt
    /// fails.
    ///
    /// The result 0 means that this attempt has begun a block. The block ends early if the password is correct and the caller releases
    /// the attempt.
    ///
    /// # Errors
    /// Returns `LockedOut`, with the seconds until the block ends, when the attempt is blocked; the attempt is then not reserved.
    /// Returns a database error when a statement fails.
    pub async fn reserve_attempt(&self, counter_names: &CounterNames) -> Result<i64, Error> {
        let now = self.now();
        let quick = self.cache.apply_lockout_operation(LockoutOperation::Reserve, counter_names, now).await;
        if let Some(LockoutDecision::Deny(wait)) = quick {
            return Err(locked_out_error(wait));
        }
        let touched = counter_names.clone();
        let sure = self
            .db
            .write(move |tx| {
                Box::pin(async move { store::lockouts::apply_lockout_operation(tx, &touched, LockoutOperation::Reserve, now).await })
            })
            .await?;
        match sure {
            // Two replicas may reach the two stores in different orders; the database's count is returned.
            LockoutDecision::Allow(left) => {
                if left > 0 && quick == Some(LockoutDecision::Allow(0)) {
                    // The counter cache began a wrong block: it was unavailable when an earlier success cleared the count.
                    self.cache.apply_lockout_operation(LockoutOperation::Release, counter_names, now).await;
                }
                Ok(left)
            }
            LockoutDecision::Deny(wait) => {
                // The counter cache has lost the block, as a restarted Redis does: import it again.
                self.cache.apply_lockout_operation(LockoutOperation::Import(wait), counter_names, now).await;
                Err(locked_out_error(wait))
            }
        }
    }

    /// Releases the reservation of a sign-in attempt in the database, after the password was correct. Resets the failure counts, and
    /// ends a block that the primary counter caused. The attempt no longer counts against the rate limits. After the commit, the caller also calls
    /// [`Self::release_reservation_in_cache`].
    ///
    /// # Errors
    /// Returns a database error.
    pub async fn release_reservation(tx: &mut Tx<'_>, counter_names: &CounterNames, now_ms: i64) -> Result<(), Error> {
        store::lockouts::apply_lockout_operation(tx, counter_names, LockoutOperation::Release, now_ms).await.map(drop)
    }

    /// Releases a reserved attempt in the counter cache (memory or Redis) after its password was correct. The caller must first
    /// commit the release in the database.
    pub async fn release_reservation_in_cache(&self, counter_names: &CounterNames) {
        self.cache.apply_lockout_operation(LockoutOperation::Release, counter_names, self.now()).await;
    }

    /// Deletes all failure counts and blocks of an account from the database.
    ///
    /// Returns the names of the deleted counters. After the commit, the caller passes these names to
    /// [`Self::delete_counters_from_cache`].
    ///
    /// # Errors
    /// Returns a database error.
    pub async fn delete_counters(tx: &mut Tx<'_>, account: &str, now_ms: i64) -> Result<Vec<String>, Error> {
        store::lockouts::delete_unexpired_counters(tx, account, now_ms).await
    }

    /// Deletes from the counter cache (memory or Redis) the counters that were deleted from the database.
    pub async fn delete_counters_from_cache(&self, counter_names: &[String]) {
        if !counter_names.is_empty() && !self.cache.delete_counters(counter_names).await {
            tracing::warn!(
                "failed to delete the lockout counters of an unlocked account from redis, retrying at the next sign-in; until then other auth-svc replicas may still reject sign-ins to the account"
            );
        }
    }

    /// Deletes expired lockout counters from the counter cache (memory or Redis) and the database.
    ///
    /// # Errors
    /// Returns a database error.
    pub async fn purge_expired_counters(&self) -> Result<(), Error> {
        let now = self.now();
        self.cache.purge_expired_counters(now);
        self.db.write(move |tx| Box::pin(async move { store::lockouts::purge_expired_counters(tx, now).await })).await
    }

    fn now(&self) -> i64 {
        self.clock.now().timestamp_millis()
    }
}

/// Converts a remaining wait in milliseconds to the `LockedOut` error. The wait is rounded up to whole seconds and limited to the
/// duration of a block.
#[must_use]
pub fn locked_out_error(wait_ms: i64) -> Error {
    Error::LockedOut { seconds: (wait_ms + 999).div_euclid(1000).clamp(1, crate::lockout_rules::LOCKOUT_DURATION_MS / 1000) }
}

/// Returns the names of the lockout counters of a sign-in. `account` and `address_hash` are the hashes of the login name and of the
/// address.
///
/// `device_token_id` is the id of the browser's device token (proof of an earlier sign-in). A browser with a device token has its own
/// primary counter and no rate limits. Browsers without a device token (`device_token_id` is `None`) share one primary counter per
/// account and address, and are subject to the rate limits.
///
/// The name of every counter of an account begins with a letter, a colon and the account.
/// [`store::lockouts::delete_unexpired_counters`] finds the counters by this format.
#[must_use]
pub fn sign_in_counter_names(account: &str, address_hash: &str, device_token_id: Option<&str>) -> CounterNames {
    let pair = format!("p:{account}:{address_hash}");
    match device_token_id {
        Some(device_token_id) => {
            CounterNames { primary: format!("d:{account}:{device_token_id}"), secondary: Some(pair), rate_limits: Vec::new() }
        }
        None => CounterNames {
            primary: pair,
            secondary: None,
            rate_limits: vec![(format!("a:{account}"), ACCOUNT_RATE_LIMIT), (format!("i:{address_hash}"), ADDRESS_RATE_LIMIT)],
        },
    }
}

/// Returns the names of the lockout counters for verifying the current password of a signed-in user.
///
/// The primary counter counts the password checks of the account from all addresses, and can block further checks. The secondary
/// counter is the primary counter of sign-ins from this address without a device token (proof of an earlier sign-in). Wrong current
/// passwords can therefore also block these sign-ins.
#[must_use]
pub fn password_check_counter_names(account: &str, address_hash: &str) -> CounterNames {
    CounterNames { primary: format!("o:{account}"), secondary: Some(format!("p:{account}:{address_hash}")), rate_limits: Vec::new() }
}

/// Returns the network whose addresses share one rate limit: an IPv4 address, or the /64 network of an IPv6 address. Also accepts a /64
/// network, because the gateway sends IPv6 addresses in this form. Returns `unknown` for an invalid address.
#[must_use]
pub fn client_network_prefix(address: &str) -> String {
    let address = address.strip_suffix("/64").unwrap_or(address).parse();
    address.map_or_else(|_| "unknown".to_owned(), client_network)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up_and_stay_between_1_and_180() {
        let seconds = |ms| match locked_out_error(ms) {
            Error::LockedOut { seconds } => seconds,
            other => panic!("{other}"),
        };
        assert_eq!([1, 1000, 1001, 180_000, 600_000].map(seconds), [1, 1, 2, 180, 180]);
    }

    #[test]
    fn an_address_is_an_ipv4_address_or_an_ipv6_network() {
        assert_eq!(client_network_prefix("192.0.2.7"), "192.0.2.7");
        assert_eq!(client_network_prefix("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(client_network_prefix("2001:db8:1:2:3:4:5:6"), client_network_prefix("2001:db8:1:2::9"));
        assert_ne!(client_network_prefix("2001:db8:1:2::9"), client_network_prefix("2001:db8:1:3::9"));
        assert_eq!(client_network_prefix("2001:db8:1:2::/64"), client_network_prefix("2001:db8:1:2::9"), "as the gateway sends it");
        assert_eq!(client_network_prefix("x".repeat(10_000).as_str()), "unknown");
    }
}
