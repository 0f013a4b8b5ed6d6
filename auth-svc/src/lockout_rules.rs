//! Rules of the lockout, independent of any store: how one password attempt changes its failure counters.
//! `lockout.lua` implements the same rules for Redis; change both together.
use std::collections::HashMap;

/// Number of consecutive wrong passwords after which sign-in is blocked.
pub const MAX_TRIES: i64 = 5;
/// Duration in milliseconds of the block that follows too many wrong passwords.
pub const BLOCK_MS: i64 = 180_000;
/// Period in milliseconds without a failed attempt after which earlier failures no longer count.
pub const FAILURE_EXPIRY_MS: i64 = 30 * 60_000;

/// State of one failure counter; times are in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Counter {
    /// Number of failed attempts that still count towards a block.
    pub failures: i64,
    /// Time from which the failures no longer count, in milliseconds since 1970.
    pub until_ms: i64,
    /// Time of the last failed attempt, in milliseconds since 1970.
    pub last_ms: i64,
    /// Time at which the block ends, in milliseconds since 1970; 0 or in the past when attempts are not blocked.
    pub blocked_ms: i64,
}

/// Failure counters by name; a missing counter has no failures.
pub type Counters = HashMap<String, Counter>;

/// Rate limit for failed attempts of several devices or users together: a token bucket that refills at a constant rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Maximum number of failed attempts in a burst.
    pub limit: i64,
    /// Milliseconds after which one failure no longer counts against the rate limit.
    pub ms: i64,
}

/// Rate limit per account: 20 failures in a burst, then one failure every 36 seconds, which is 100 an hour.
///
/// A single address cannot reach this limit, since its own block allows only five failures in 180 seconds. Attackers at many
/// addresses can lock the owner out on new devices, but never on a known device.
pub const ACCOUNT_RATE_LIMIT: RateLimit = RateLimit { limit: 20, ms: BLOCK_MS / MAX_TRIES };
/// Rate limit per address: 50 failures in a burst, then one failure every 12 seconds, which is 100 in any ten minutes.
pub const ADDRESS_RATE_LIMIT: RateLimit = RateLimit { limit: 50, ms: 12_000 };

/// Names of the failure counters that apply to one password attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buckets {
    /// Name of the counter whose failures and block decide whether the attempt is allowed.
    pub primary: String,
    /// Name of a second counter, which counts the attempt but cannot block it; `None` when the attempt has only one counter.
    pub secondary: Option<String>,
    /// Rate limits that apply to the attempt, each with the name of its counter.
    pub wide: Vec<(String, RateLimit)>,
}

impl Buckets {
    /// Returns all counter names in sorted order; locking them in this order avoids deadlocks.
    #[must_use]
    pub fn sorted_counter_names(&self) -> Vec<String> {
        let mut all: Vec<String> =
            [&self.primary].into_iter().chain(&self.secondary).chain(self.wide.iter().map(|(bucket, _)| bucket)).cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Operation on the failure counters of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Checks whether an attempt is blocked, without counting the attempt.
    Check,
    /// Reserves an attempt before its password is verified.
    Reserve,
    /// Releases a reserved attempt after the password was verified successfully.
    Release,
    /// Copies a block from the other store (fast store or database); the number is the remaining time in milliseconds.
    Import(i64),
}

/// Decision whether a password attempt is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The attempt is blocked for this many more milliseconds.
    Deny(i64),
    /// The attempt is allowed. The number is how many attempts are left if this attempt fails; with 0, a wrong password begins
    /// a block.
    Allow(i64),
}

/// Applies one operation to the failure counters at the time `now`, in milliseconds since 1970.
pub fn apply(cells: &mut Counters, buckets: &Buckets, act: Op, now: i64) -> Decision {
    match act {
        Op::Check => check(cells, buckets, now),
        Op::Reserve => match check(cells, buckets, now) {
            Decision::Allow(_) => book(cells, buckets, now),
            refused => refused,
        },
        Op::Release => settle(cells, buckets, now),
        Op::Import(wait) => {
            let cell = fresh(cells, &buckets.primary, now);
            cell.failures = 0;
            cell.blocked_ms = cell.blocked_ms.max(now + wait);
            Decision::Deny(wait)
        }
    }
}

fn check(cells: &Counters, buckets: &Buckets, now: i64) -> Decision {
    let cell = |bucket: &str| cells.get(bucket).copied().unwrap_or_default();
    let block = cell(&buckets.primary).blocked_ms - now;
    let wide = buckets.wide.iter().map(|(bucket, rule)| wait(cell(bucket), *rule, now));
    match wide.chain([block]).max().unwrap_or_default() {
        wait if wait > 0 => Decision::Deny(wait),
        _ => Decision::Allow(MAX_TRIES),
    }
}

/// Returns the number of milliseconds for which a rate limit still blocks attempts. The counter's `until_ms` is the time from which
/// no failure counts.
const fn wait(cell: Counter, rule: RateLimit, now: i64) -> i64 {
    cell.until_ms - now - (rule.limit - 1) * rule.ms
}

fn book(cells: &mut Counters, buckets: &Buckets, now: i64) -> Decision {
    for (bucket, rule) in &buckets.wide {
        let cell = fresh(cells, bucket, now);
        cell.until_ms = cell.until_ms.max(now) + rule.ms;
        (cell.failures, cell.last_ms) = (cell.failures + 1, now);
    }
    if let Some(shadow) = &buckets.secondary {
        let cell = fresh(cells, shadow, now);
        fail(cell, now);
        if cell.failures >= MAX_TRIES {
            cell.failures = 0;
            if cell.blocked_ms <= now {
                cell.blocked_ms = now + BLOCK_MS;
            }
        }
    }
    let cell = fresh(cells, &buckets.primary, now);
    fail(cell, now);
    let left = MAX_TRIES - cell.failures;
    if left <= 0 {
        (cell.failures, cell.blocked_ms) = (0, now + BLOCK_MS);
    }
    Decision::Allow(left.max(0))
}

fn settle(cells: &mut Counters, buckets: &Buckets, now: i64) -> Decision {
    for (bucket, rule) in &buckets.wide {
        let cell = fresh(cells, bucket, now);
        if cell.failures > 0 {
            cell.failures -= 1;
            cell.until_ms -= rule.ms;
        }
    }
    if let Some(shadow) = &buckets.secondary {
        fresh(cells, shadow, now).failures = 0;
    }
    let cell = fresh(cells, &buckets.primary, now);
    (cell.failures, cell.blocked_ms) = (0, 0);
    Decision::Allow(MAX_TRIES)
}

fn fresh<'c>(cells: &'c mut Counters, bucket: &str, now: i64) -> &'c mut Counter {
    let cell = cells.entry(bucket.to_owned()).or_default();
    if cell.until_ms <= now {
        cell.failures = 0;
    }
    cell
}

fn fail(cell: &mut Counter, now: i64) {
    (cell.failures, cell.last_ms, cell.until_ms) = (cell.failures + 1, now, now + FAILURE_EXPIRY_MS);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(key: &str) -> Buckets {
        Buckets { primary: key.to_owned(), secondary: None, wide: Vec::new() }
    }

    fn known(mark: &str, address: &str) -> Buckets {
        Buckets { secondary: Some(address.to_owned()), ..at(mark) }
    }

    #[test]
    fn five_tries_then_a_block_that_further_tries_do_not_change_then_five_again() {
        let (mut cells, p) = (Counters::new(), at("p"));
        let decisions: Vec<_> = (0..5).map(|i| apply(&mut cells, &p, Op::Reserve, i)).collect();
        assert_eq!(decisions, [4, 3, 2, 1, 0].map(Decision::Allow));
        for passed in [0, 1, 179_999] {
            assert_eq!(apply(&mut cells, &p, Op::Reserve, 4 + passed), Decision::Deny(180_000 - passed));
        }
        assert_eq!(apply(&mut cells, &p, Op::Reserve, 4 + 180_000), Decision::Allow(4));
    }

    #[test]
    fn a_success_clears_the_count_and_even_the_block_its_own_try_began() {
        let (mut cells, p) = (Counters::new(), at("p"));
        for _ in 0..5 {
            apply(&mut cells, &p, Op::Reserve, 0);
        }
        apply(&mut cells, &p, Op::Release, 1);
        assert_eq!(apply(&mut cells, &p, Op::Reserve, 2), Decision::Allow(4));
    }

    #[test]
    fn failures_are_forgotten_half_an_hour_after_the_last() {
        let (mut cells, p) = (Counters::new(), at("p"));
        for _ in 0..3 {
            apply(&mut cells, &p, Op::Reserve, 0);
        }
        assert_eq!(apply(&mut cells, &p, Op::Reserve, FAILURE_EXPIRY_MS - 1), Decision::Allow(1));
        assert_eq!(apply(&mut cells, &p, Op::Reserve, 2 * FAILURE_EXPIRY_MS), Decision::Allow(4));
    }

    #[test]
    fn a_known_device_is_not_blocked_with_its_address_but_blocks_it() {
        let mut cells = Counters::new();
        for _ in 0..5 {
            apply(&mut cells, &at("p"), Op::Reserve, 0);
        }
        assert_eq!(apply(&mut cells, &known("d", "p"), Op::Reserve, 1), Decision::Allow(4));
        apply(&mut cells, &known("d", "p"), Op::Release, 2);
        assert_eq!(apply(&mut cells, &at("p"), Op::Reserve, 3), Decision::Deny(179_997), "its success lifts nobody else's block");
        for _ in 0..5 {
            apply(&mut cells, &known("e", "q"), Op::Reserve, 0);
        }
        assert_eq!(apply(&mut cells, &at("q"), Op::Reserve, 1), Decision::Deny(179_999), "dropping the mark does not help");
    }

    #[test]
    fn one_account_takes_twenty_failures_from_anywhere_and_then_one_in_36_seconds() {
        let mut cells = Counters::new();
        let from = |address: i64| Buckets { wide: vec![("a".to_owned(), ACCOUNT_RATE_LIMIT)], ..at(&format!("p{address}")) };
        for address in 0..20 {
            assert_eq!(apply(&mut cells, &from(address), Op::Reserve, 1_000), Decision::Allow(4));
        }
        assert_eq!(apply(&mut cells, &from(20), Op::Reserve, 2_000), Decision::Deny(35_000));
        assert_eq!(apply(&mut cells, &from(20), Op::Reserve, 37_000), Decision::Allow(4));
        assert_eq!(apply(&mut cells, &from(21), Op::Reserve, 37_001), Decision::Deny(35_999));
    }

    #[test]
    fn an_attacker_at_one_address_cannot_lock_the_owner_out_elsewhere() {
        let from = |address: &str| Buckets { wide: vec![("a".to_owned(), ACCOUNT_RATE_LIMIT)], ..at(address) };
        // The owner signs in on a new device at another address, and on a known device at the attacker's address.
        for owner in [from("new"), known("mark", "theirs")] {
            let (mut cells, mut tried) = (Counters::new(), 0);
            for now in (0..7_200_000).step_by(1_000) {
                tried += i32::from(matches!(apply(&mut cells, &from("theirs"), Op::Reserve, now), Decision::Allow(_)));
                assert_eq!(apply(&mut cells, &owner, Op::Reserve, now), Decision::Allow(4), "after {now} ms");
                apply(&mut cells, &owner, Op::Release, now);
            }
            assert!((200..=220).contains(&tried), "two hours of five tries in three minutes, and twenty at once: {tried}");
        }
    }

    #[test]
    fn one_address_takes_a_hundred_failures_in_any_ten_minutes_and_successes_do_not_count() {
        let (mut cells, mut tried) = (Counters::new(), Vec::new());
        let on = |name: usize| Buckets { wide: vec![("i".to_owned(), ADDRESS_RATE_LIMIT)], ..at(&format!("p{name}")) };
        for name in 0..200 {
            assert_eq!(apply(&mut cells, &on(name), Op::Reserve, 1), Decision::Allow(4));
            apply(&mut cells, &on(name), Op::Release, 1);
        }
        // Pausing between bursts, or trying without a pause, yields no additional attempts.
        for (from, step) in [(0, 100), (1_500_000, 100), (3_500_000, 12_000)] {
            for now in (from..from + 1_200_000).step_by(step) {
                if let Decision::Allow(_) = apply(&mut cells, &on(200 + tried.len()), Op::Reserve, now) {
                    tried.push(now);
                }
            }
        }
        let most = tried.iter().map(|from| tried.iter().filter(|now| (*from..=from + 600_000).contains(now)).count()).max();
        assert!(matches!(most, Some(99 | 100)), "{most:?}");
    }

    #[test]
    fn the_limits_are_as_documented() {
        assert_eq!((MAX_TRIES, BLOCK_MS, FAILURE_EXPIRY_MS), (5, 180_000, 1_800_000));
        assert_eq!((ACCOUNT_RATE_LIMIT.limit, ACCOUNT_RATE_LIMIT.ms), (20, 36_000));
        assert_eq!((ADDRESS_RATE_LIMIT.limit, ADDRESS_RATE_LIMIT.ms), (50, 12_000));
    }

    #[test]
    fn failures_expire_at_the_very_end_of_their_memory() {
        let (mut cells, p) = (Counters::new(), at("p"));
        apply(&mut cells, &p, Op::Reserve, 0);
        assert_eq!(apply(&mut cells, &p, Op::Reserve, FAILURE_EXPIRY_MS), Decision::Allow(4));
    }

    #[test]
    fn a_success_gives_back_its_own_booking_of_a_wide_limit_and_no_more() {
        let on = Buckets { wide: vec![("a".to_owned(), ACCOUNT_RATE_LIMIT)], ..at("p") };
        let mut cells = Counters::new();
        apply(&mut cells, &on, Op::Reserve, 0);
        apply(&mut cells, &on, Op::Reserve, 0);
        apply(&mut cells, &on, Op::Release, 0);
        assert_eq!((cells["a"].failures, cells["a"].until_ms), (1, ACCOUNT_RATE_LIMIT.ms));
        apply(&mut cells, &on, Op::Release, 0);
        apply(&mut cells, &on, Op::Release, 0);
        assert_eq!((cells["a"].failures, cells["a"].until_ms), (0, 0), "a success without a booking gives nothing back");
    }

    #[test]
    fn the_count_of_an_address_begins_anew_after_a_success_or_a_block_of_its_known_device() {
        let mut cells = Counters::new();
        for _ in 0..2 {
            apply(&mut cells, &known("d", "p"), Op::Reserve, 0);
        }
        apply(&mut cells, &known("d", "p"), Op::Release, 0);
        assert_eq!(apply(&mut cells, &at("p"), Op::Reserve, 1), Decision::Allow(4));
        for _ in 0..5 {
            apply(&mut cells, &known("e", "q"), Op::Reserve, 0);
        }
        assert_eq!(apply(&mut cells, &at("q"), Op::Reserve, BLOCK_MS), Decision::Allow(4));
    }

    #[test]
    fn a_block_from_the_other_store_is_imported() {
        let (mut cells, p) = (Counters::new(), at("p"));
        apply(&mut cells, &p, Op::Reserve, 0);
        apply(&mut cells, &p, Op::Import(1_000), 0);
        assert_eq!(apply(&mut cells, &p, Op::Check, 1), Decision::Deny(999));
        assert_eq!(apply(&mut cells, &p, Op::Reserve, 1_000), Decision::Allow(4));
    }
}
