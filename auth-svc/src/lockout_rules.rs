//! Rules of the sign-in lockout, independent of where the counters are stored: how a password attempt changes the failure counters.
//! `lockout.lua` implements the same rules for Redis; change both together.
use std::collections::HashMap;

/// Number of consecutive wrong passwords after which sign-in is blocked.
pub const MAX_FAILED_ATTEMPTS: i64 = 5;
/// Duration in milliseconds of the block that follows too many wrong passwords.
pub const LOCKOUT_DURATION_MS: i64 = 180_000;
/// Time in milliseconds after which failures expire: when no further attempt fails within this time, earlier failures no longer count.
pub const FAILURE_EXPIRY_MS: i64 = 30 * 60_000;

/// State of one failure counter; times are in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct FailureCounter {
    /// Number of failed attempts that still count towards a block.
    pub failures: i64,
    /// Time from which the failures no longer count, in milliseconds since 1970. For a rate limit, the time at which the token
    /// bucket is full again.
    pub until_ms: i64,
    /// Time of the last failed attempt, in milliseconds since 1970.
    pub last_ms: i64,
    /// Time at which the block ends, in milliseconds since 1970; 0 or in the past when attempts are not blocked.
    pub blocked_ms: i64,
}

/// Failure counters by name; a missing counter has no failures.
pub type FailureCounters = HashMap<String, FailureCounter>;

/// Rate limit for the failed attempts on one account or from one address: a token bucket that refills at a constant rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Maximum number of failed attempts that the rate limit allows in a burst.
    pub limit: i64,
    /// Milliseconds after which one failure no longer counts against the rate limit.
    pub ms: i64,
}

/// Rate limit per account: 20 failures in a burst, then one failure every 36 seconds, which is 100 an hour.
///
/// A single address cannot reach this limit, because five failures block further attempts from this address on the account for 180
/// seconds. Attackers with many addresses can reach the limit. The owner of the account then cannot sign in on new devices, but still
/// can on devices with an earlier sign-in.
pub const ACCOUNT_RATE_LIMIT: RateLimit = RateLimit { limit: 20, ms: LOCKOUT_DURATION_MS / MAX_FAILED_ATTEMPTS };
/// Rate limit per address: 50 failures in a burst, then one failure every 12 seconds, so at most 100 in any ten minutes.
pub const ADDRESS_RATE_LIMIT: RateLimit = RateLimit { limit: 50, ms: 12_000 };

/// Names of the failure counters on which one password attempt is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterNames {
    /// Name of the primary counter: too many failures on this counter begin a block, and attempts are rejected until the block ends.
    pub primary: String,
    /// Name of a second counter, which counts the attempt but cannot block it; `None` when the attempt has only one counter.
    pub secondary: Option<String>,
    /// Rate limits that apply to the attempt, each with the name of its counter. Empty when only the primary counter can block the
    /// attempt.
    pub rate_limits: Vec<(String, RateLimit)>,
}

impl CounterNames {
    /// Returns all counter names in sorted order; locking them in this order avoids deadlocks.
    #[must_use]
    pub fn sorted_counter_names(&self) -> Vec<String> {
        let mut all: Vec<String> =
            [&self.primary].into_iter().chain(&self.secondary).chain(self.rate_limits.iter().map(|(bucket, _)| bucket)).cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Operation that a password attempt performs on its failure counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockoutOperation {
    /// Checks whether an attempt is blocked, without counting the attempt.
    Check,
    /// Reserves an attempt before its password is verified: the attempt is counted as failed in advance.
    Reserve,
    /// Releases a reserved attempt after its password was correct. Resets the failure counts and ends a block of the primary counter.
    /// The attempt no longer counts against the rate limits.
    Release,
    /// Restores a block in the counter cache (memory or Redis) from the database, for example after a restart of Redis. Contains the
    /// remaining time of the block in milliseconds.
    Import(i64),
}

/// Result of an operation on the failure counters: whether the password attempt is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockoutDecision {
    /// The attempt is blocked for this many more milliseconds.
    Deny(i64),
    /// The attempt is allowed. After `Reserve`, the number is how many attempts are left if this attempt fails; 0 means that this
    /// attempt has begun a block. After `Check` and `Release`, the number is always [`MAX_FAILED_ATTEMPTS`].
    Allow(i64),
}

/// Applies one operation to the failure counters at the time `now`, in milliseconds since 1970.
pub fn apply_lockout_operation(
    counters: &mut FailureCounters,
    counter_names: &CounterNames,
    operation: LockoutOperation,
    now: i64,
) -> LockoutDecision {
    match operation {
        LockoutOperation::Check => check(counters, counter_names, now),
        LockoutOperation::Reserve => match check(counters, counter_names, now) {
            LockoutDecision::Allow(_) => reserve_attempt(counters, counter_names, now),
            refused => refused,
        },
        LockoutOperation::Release => release_reservation(counters, counter_names, now),
        LockoutOperation::Import(wait) => {
            let counter = unexpired_counter(counters, &counter_names.primary, now);
            counter.failures = 0;
            counter.blocked_ms = counter.blocked_ms.max(now + wait);
            LockoutDecision::Deny(wait)
        }
    }
}

fn check(counters: &FailureCounters, counter_names: &CounterNames, now: i64) -> LockoutDecision {
    let counter = |bucket: &str| counters.get(bucket).copied().unwrap_or_default();
    let block = counter(&counter_names.primary).blocked_ms - now;
    let rate_limits = counter_names.rate_limits.iter().map(|(bucket, rule)| remaining_wait(counter(bucket), *rule, now));
    match rate_limits.chain([block]).max().unwrap_or_default() {
        wait if wait > 0 => LockoutDecision::Deny(wait),
        _ => LockoutDecision::Allow(MAX_FAILED_ATTEMPTS),
    }
}

/// Returns the number of milliseconds for which a rate limit still blocks attempts; 0 or negative when attempts are allowed.
/// `counter.until_ms` is the time at which the token bucket is full again.
const fn remaining_wait(counter: FailureCounter, rule: RateLimit, now: i64) -> i64 {
    counter.until_ms - now - (rule.limit - 1) * rule.ms
}

fn reserve_attempt(counters: &mut FailureCounters, counter_names: &CounterNames, now: i64) -> LockoutDecision {
    for (bucket, rule) in &counter_names.rate_limits {
        let counter = unexpired_counter(counters, bucket, now);
        counter.until_ms = counter.until_ms.max(now) + rule.ms;
        (counter.failures, counter.last_ms) = (counter.failures + 1, now);
    }
    if let Some(shadow) = &counter_names.secondary {
        let counter = unexpired_counter(counters, shadow, now);
        record_failure(counter, now);
        if counter.failures >= MAX_FAILED_ATTEMPTS {
            counter.failures = 0;
            if counter.blocked_ms <= now {
                counter.blocked_ms = now + LOCKOUT_DURATION_MS;
            }
        }
    }
    let counter = unexpired_counter(counters, &counter_names.primary, now);
    record_failure(counter, now);
    let left = MAX_FAILED_ATTEMPTS - counter.failures;
    if left <= 0 {
        (counter.failures, counter.blocked_ms) = (0, now + LOCKOUT_DURATION_MS);
    }
    LockoutDecision::Allow(left.max(0))
}

fn release_reservation(counters: &mut FailureCounters, counter_names: &CounterNames, now: i64) -> LockoutDecision {
    for (bucket, rule) in &counter_names.rate_limits {
        let counter = unexpired_counter(counters, bucket, now);
        if counter.failures > 0 {
            counter.failures -= 1;
            counter.until_ms -= rule.ms;
        }
    }
    if let Some(shadow) = &counter_names.secondary {
        unexpired_counter(counters, shadow, now).failures = 0;
    }
    let counter = unexpired_counter(counters, &counter_names.primary, now);
    (counter.failures, counter.blocked_ms) = (0, 0);
    LockoutDecision::Allow(MAX_FAILED_ATTEMPTS)
}

fn unexpired_counter<'c>(counters: &'c mut FailureCounters, bucket: &str, now: i64) -> &'c mut FailureCounter {
    let counter = counters.entry(bucket.to_owned()).or_default();
    if counter.until_ms <= now {
        counter.failures = 0;
    }
    counter
}

fn record_failure(counter: &mut FailureCounter, now: i64) {
    (counter.failures, counter.last_ms, counter.until_ms) = (counter.failures + 1, now, now + FAILURE_EXPIRY_MS);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(key: &str) -> CounterNames {
        CounterNames { primary: key.to_owned(), secondary: None, rate_limits: Vec::new() }
    }

    fn known(mark: &str, address: &str) -> CounterNames {
        CounterNames { secondary: Some(address.to_owned()), ..at(mark) }
    }

    #[test]
    fn five_tries_then_a_block_that_further_tries_do_not_change_then_five_again() {
        let (mut counters, p) = (FailureCounters::new(), at("p"));
        let decisions: Vec<_> = (0..5).map(|i| apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, i)).collect();
        assert_eq!(decisions, [4, 3, 2, 1, 0].map(LockoutDecision::Allow));
        for passed in [0, 1, 179_999] {
            assert_eq!(
                apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, 4 + passed),
                LockoutDecision::Deny(180_000 - passed)
            );
        }
        assert_eq!(apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, 4 + 180_000), LockoutDecision::Allow(4));
    }

    #[test]
    fn a_success_clears_the_count_and_even_the_block_its_own_try_began() {
        let (mut counters, p) = (FailureCounters::new(), at("p"));
        for _ in 0..5 {
            apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, 0);
        }
        apply_lockout_operation(&mut counters, &p, LockoutOperation::Release, 1);
        assert_eq!(apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, 2), LockoutDecision::Allow(4));
    }

    #[test]
    fn failures_are_forgotten_half_an_hour_after_the_last() {
        let (mut counters, p) = (FailureCounters::new(), at("p"));
        for _ in 0..3 {
            apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, 0);
        }
        assert_eq!(apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, FAILURE_EXPIRY_MS - 1), LockoutDecision::Allow(1));
        assert_eq!(apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, 2 * FAILURE_EXPIRY_MS), LockoutDecision::Allow(4));
    }

    #[test]
    fn a_known_device_is_not_blocked_with_its_address_but_blocks_it() {
        let mut counters = FailureCounters::new();
        for _ in 0..5 {
            apply_lockout_operation(&mut counters, &at("p"), LockoutOperation::Reserve, 0);
        }
        assert_eq!(apply_lockout_operation(&mut counters, &known("d", "p"), LockoutOperation::Reserve, 1), LockoutDecision::Allow(4));
        apply_lockout_operation(&mut counters, &known("d", "p"), LockoutOperation::Release, 2);
        assert_eq!(
            apply_lockout_operation(&mut counters, &at("p"), LockoutOperation::Reserve, 3),
            LockoutDecision::Deny(179_997),
            "its success ends no other block"
        );
        for _ in 0..5 {
            apply_lockout_operation(&mut counters, &known("e", "q"), LockoutOperation::Reserve, 0);
        }
        assert_eq!(
            apply_lockout_operation(&mut counters, &at("q"), LockoutOperation::Reserve, 1),
            LockoutDecision::Deny(179_999),
            "dropping the mark does not help"
        );
    }

    #[test]
    fn one_account_takes_twenty_failures_from_anywhere_and_then_one_in_36_seconds() {
        let mut counters = FailureCounters::new();
        let from = |address: i64| CounterNames { rate_limits: vec![("a".to_owned(), ACCOUNT_RATE_LIMIT)], ..at(&format!("p{address}")) };
        for address in 0..20 {
            assert_eq!(apply_lockout_operation(&mut counters, &from(address), LockoutOperation::Reserve, 1_000), LockoutDecision::Allow(4));
        }
        assert_eq!(apply_lockout_operation(&mut counters, &from(20), LockoutOperation::Reserve, 2_000), LockoutDecision::Deny(35_000));
        assert_eq!(apply_lockout_operation(&mut counters, &from(20), LockoutOperation::Reserve, 37_000), LockoutDecision::Allow(4));
        assert_eq!(apply_lockout_operation(&mut counters, &from(21), LockoutOperation::Reserve, 37_001), LockoutDecision::Deny(35_999));
    }

    #[test]
    fn an_attacker_at_one_address_cannot_lock_the_owner_out_elsewhere() {
        let from = |address: &str| CounterNames { rate_limits: vec![("a".to_owned(), ACCOUNT_RATE_LIMIT)], ..at(address) };
        // The owner signs in on a new device at another address, and on a known device at the attacker's address.
        for owner in [from("new"), known("mark", "theirs")] {
            let (mut counters, mut tried) = (FailureCounters::new(), 0);
            for now in (0..7_200_000).step_by(1_000) {
                tried += i32::from(matches!(
                    apply_lockout_operation(&mut counters, &from("theirs"), LockoutOperation::Reserve, now),
                    LockoutDecision::Allow(_)
                ));
                assert_eq!(
                    apply_lockout_operation(&mut counters, &owner, LockoutOperation::Reserve, now),
                    LockoutDecision::Allow(4),
                    "after {now} ms"
                );
                apply_lockout_operation(&mut counters, &owner, LockoutOperation::Release, now);
            }
            assert!((200..=220).contains(&tried), "two hours of five tries in three minutes, and twenty at once: {tried}");
        }
    }

    #[test]
    fn one_address_takes_a_hundred_failures_in_any_ten_minutes_and_successes_do_not_count() {
        let (mut counters, mut tried) = (FailureCounters::new(), Vec::new());
        let on = |name: usize| CounterNames { rate_limits: vec![("i".to_owned(), ADDRESS_RATE_LIMIT)], ..at(&format!("p{name}")) };
        for name in 0..200 {
            assert_eq!(apply_lockout_operation(&mut counters, &on(name), LockoutOperation::Reserve, 1), LockoutDecision::Allow(4));
            apply_lockout_operation(&mut counters, &on(name), LockoutOperation::Release, 1);
        }
        // Pausing between bursts, or trying without a pause, yields no additional attempts.
        for (from, step) in [(0, 100), (1_500_000, 100), (3_500_000, 12_000)] {
            for now in (from..from + 1_200_000).step_by(step) {
                if let LockoutDecision::Allow(_) =
                    apply_lockout_operation(&mut counters, &on(200 + tried.len()), LockoutOperation::Reserve, now)
                {
                    tried.push(now);
                }
            }
        }
        let most = tried.iter().map(|from| tried.iter().filter(|now| (*from..=from + 600_000).contains(now)).count()).max();
        assert!(matches!(most, Some(99 | 100)), "{most:?}");
    }

    #[test]
    fn the_limits_are_as_documented() {
        assert_eq!((MAX_FAILED_ATTEMPTS, LOCKOUT_DURATION_MS, FAILURE_EXPIRY_MS), (5, 180_000, 1_800_000));
        assert_eq!((ACCOUNT_RATE_LIMIT.limit, ACCOUNT_RATE_LIMIT.ms), (20, 36_000));
        assert_eq!((ADDRESS_RATE_LIMIT.limit, ADDRESS_RATE_LIMIT.ms), (50, 12_000));
    }

    #[test]
    fn failures_expire_at_the_very_end_of_their_memory() {
        let (mut counters, p) = (FailureCounters::new(), at("p"));
        apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, 0);
        assert_eq!(apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, FAILURE_EXPIRY_MS), LockoutDecision::Allow(4));
    }

    #[test]
    fn a_success_gives_back_its_own_booking_of_a_rate_limit_and_no_more() {
        let on = CounterNames { rate_limits: vec![("a".to_owned(), ACCOUNT_RATE_LIMIT)], ..at("p") };
        let mut counters = FailureCounters::new();
        apply_lockout_operation(&mut counters, &on, LockoutOperation::Reserve, 0);
        apply_lockout_operation(&mut counters, &on, LockoutOperation::Reserve, 0);
        apply_lockout_operation(&mut counters, &on, LockoutOperation::Release, 0);
        assert_eq!((counters["a"].failures, counters["a"].until_ms), (1, ACCOUNT_RATE_LIMIT.ms));
        apply_lockout_operation(&mut counters, &on, LockoutOperation::Release, 0);
        apply_lockout_operation(&mut counters, &on, LockoutOperation::Release, 0);
        assert_eq!((counters["a"].failures, counters["a"].until_ms), (0, 0), "a success without a booking gives nothing back");
    }

    #[test]
    fn the_count_of_an_address_begins_anew_after_a_success_or_a_block_of_its_known_device() {
        let mut counters = FailureCounters::new();
        for _ in 0..2 {
            apply_lockout_operation(&mut counters, &known("d", "p"), LockoutOperation::Reserve, 0);
        }
        apply_lockout_operation(&mut counters, &known("d", "p"), LockoutOperation::Release, 0);
        assert_eq!(apply_lockout_operation(&mut counters, &at("p"), LockoutOperation::Reserve, 1), LockoutDecision::Allow(4));
        for _ in 0..5 {
            apply_lockout_operation(&mut counters, &known("e", "q"), LockoutOperation::Reserve, 0);
        }
        assert_eq!(
            apply_lockout_operation(&mut counters, &at("q"), LockoutOperation::Reserve, LOCKOUT_DURATION_MS),
            LockoutDecision::Allow(4)
        );
    }

    #[test]
    fn a_block_from_the_other_store_is_imported() {
        let (mut counters, p) = (FailureCounters::new(), at("p"));
        apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, 0);
        apply_lockout_operation(&mut counters, &p, LockoutOperation::Import(1_000), 0);
        assert_eq!(apply_lockout_operation(&mut counters, &p, LockoutOperation::Check, 1), LockoutDecision::Deny(999));
        assert_eq!(apply_lockout_operation(&mut counters, &p, LockoutOperation::Reserve, 1_000), LockoutDecision::Allow(4));
    }
}
