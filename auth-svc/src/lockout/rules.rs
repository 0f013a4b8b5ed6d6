//! The rules of the lockout, without any store: what one attempt does to the cells it touches.
//! `lockout.lua` says the same for Redis, line by line.
use std::collections::HashMap;

/// How many wrong passwords begin a block.
pub const TRIES: i64 = 5;
/// How long a block lasts.
pub const BLOCK_MS: i64 = 180_000;
/// How long failures are remembered after the last one.
pub const MEMORY_MS: i64 = 30 * 60_000;

/// What is known of one bucket; moments in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Cell {
    /// Failures that count.
    pub failures: i64,
    /// From then on they do not.
    pub until_ms: i64,
    /// The last one.
    pub last_ms: i64,
    /// The end of the block; past or 0 when there is none.
    pub blocked_ms: i64,
}

/// Cells by bucket; one that is absent is empty.
pub type Cells = HashMap<String, Cell>;

/// A limit that is wider than one person at one address: so many failures at once, of which one is given
/// back every so often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wide {
    /// The failures.
    pub limit: i64,
    /// How often one is given back.
    pub ms: i64,
}

/// 20 failures for one account, then one in 36 seconds: a hundred an hour.
///
/// One address, whose block after five lasts five times as long, never gets there: only many
/// together can make the owner wait, and never on a device that is known.
pub const PER_ACCOUNT: Wide = Wide { limit: 20, ms: BLOCK_MS / TRIES };
/// 50 failures for one address, then one in twelve seconds: a hundred in any ten minutes.
pub const PER_ADDRESS: Wide = Wide { limit: 50, ms: 12_000 };

/// The buckets that one attempt touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buckets {
    /// Whose count and block decide.
    pub decider: String,
    /// Where the attempt is counted too.
    pub shadow: Option<String>,
    /// The wider limits it falls under.
    pub wide: Vec<(String, Wide)>,
}

impl Buckets {
    /// All of them in one order, in which any two attempts lock them.
    #[must_use]
    pub fn all(&self) -> Vec<String> {
        let mut all: Vec<String> =
            [&self.decider].into_iter().chain(&self.shadow).chain(self.wide.iter().map(|(bucket, _)| bucket)).cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// What to do to the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Only looks whether a try is refused.
    Look,
    /// Books a try, before its password is compared.
    Reserve,
    /// Takes the booking back, as the password was right.
    Settle,
    /// Takes over a block of so many milliseconds that another store knows.
    Adopt(i64),
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Refused for so many milliseconds.
    Refused(i64),
    /// Goes on; so many tries are left if it is wrong. 0: it began the block and may still be right.
    Go(i64),
}

/// Does one act at one moment.
pub fn apply(cells: &mut Cells, buckets: &Buckets, act: Act, now: i64) -> Verdict {
    match act {
        Act::Look => look(cells, buckets, now),
        Act::Reserve => match look(cells, buckets, now) {
            Verdict::Go(_) => book(cells, buckets, now),
            refused => refused,
        },
        Act::Settle => settle(cells, buckets, now),
        Act::Adopt(wait) => {
            let cell = fresh(cells, &buckets.decider, now);
            cell.failures = 0;
            cell.blocked_ms = cell.blocked_ms.max(now + wait);
            Verdict::Refused(wait)
        }
    }
}

fn look(cells: &Cells, buckets: &Buckets, now: i64) -> Verdict {
    let cell = |bucket: &str| cells.get(bucket).copied().unwrap_or_default();
    let block = cell(&buckets.decider).blocked_ms - now;
    let wide = buckets.wide.iter().map(|(bucket, rule)| wait(cell(bucket), *rule, now));
    match wide.chain([block]).max().unwrap_or_default() {
        wait if wait > 0 => Verdict::Refused(wait),
        _ => Verdict::Go(TRIES),
    }
}

/// How long a wider limit refuses; `until_ms` is when everything will have been given back.
const fn wait(cell: Cell, rule: Wide, now: i64) -> i64 {
    cell.until_ms - now - (rule.limit - 1) * rule.ms
}

fn book(cells: &mut Cells, buckets: &Buckets, now: i64) -> Verdict {
    for (bucket, rule) in &buckets.wide {
        let cell = fresh(cells, bucket, now);
        cell.until_ms = cell.until_ms.max(now) + rule.ms;
        (cell.failures, cell.last_ms) = (cell.failures + 1, now);
    }
    if let Some(shadow) = &buckets.shadow {
        let cell = fresh(cells, shadow, now);
        fail(cell, now);
        if cell.failures >= TRIES {
            cell.failures = 0;
            if cell.blocked_ms <= now {
                cell.blocked_ms = now + BLOCK_MS;
            }
        }
    }
    let cell = fresh(cells, &buckets.decider, now);
    fail(cell, now);
    let left = TRIES - cell.failures;
    if left <= 0 {
        (cell.failures, cell.blocked_ms) = (0, now + BLOCK_MS);
    }
    Verdict::Go(left.max(0))
}

fn settle(cells: &mut Cells, buckets: &Buckets, now: i64) -> Verdict {
    for (bucket, rule) in &buckets.wide {
        let cell = fresh(cells, bucket, now);
        if cell.failures > 0 {
            cell.failures -= 1;
            cell.until_ms -= rule.ms;
        }
    }
    if let Some(shadow) = &buckets.shadow {
        fresh(cells, shadow, now).failures = 0;
    }
    let cell = fresh(cells, &buckets.decider, now);
    (cell.failures, cell.blocked_ms) = (0, 0);
    Verdict::Go(TRIES)
}

fn fresh<'c>(cells: &'c mut Cells, bucket: &str, now: i64) -> &'c mut Cell {
    let cell = cells.entry(bucket.to_owned()).or_default();
    if cell.until_ms <= now {
        cell.failures = 0;
    }
    cell
}

fn fail(cell: &mut Cell, now: i64) {
    (cell.failures, cell.last_ms, cell.until_ms) = (cell.failures + 1, now, now + MEMORY_MS);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(decider: &str) -> Buckets {
        Buckets { decider: decider.to_owned(), shadow: None, wide: Vec::new() }
    }

    fn known(mark: &str, address: &str) -> Buckets {
        Buckets { shadow: Some(address.to_owned()), ..at(mark) }
    }

    #[test]
    fn five_tries_then_a_block_that_further_tries_do_not_change_then_five_again() {
        let (mut cells, p) = (Cells::new(), at("p"));
        let told: Vec<_> = (0..5).map(|i| apply(&mut cells, &p, Act::Reserve, i)).collect();
        assert_eq!(told, [4, 3, 2, 1, 0].map(Verdict::Go));
        for passed in [0, 1, 179_999] {
            assert_eq!(apply(&mut cells, &p, Act::Reserve, 4 + passed), Verdict::Refused(180_000 - passed));
        }
        assert_eq!(apply(&mut cells, &p, Act::Reserve, 4 + 180_000), Verdict::Go(4));
    }

    #[test]
    fn a_success_clears_the_count_and_even_the_block_its_own_try_began() {
        let (mut cells, p) = (Cells::new(), at("p"));
        for _ in 0..5 {
            apply(&mut cells, &p, Act::Reserve, 0);
        }
        apply(&mut cells, &p, Act::Settle, 1);
        assert_eq!(apply(&mut cells, &p, Act::Reserve, 2), Verdict::Go(4));
    }

    #[test]
    fn failures_are_forgotten_half_an_hour_after_the_last() {
        let (mut cells, p) = (Cells::new(), at("p"));
        for _ in 0..3 {
            apply(&mut cells, &p, Act::Reserve, 0);
        }
        assert_eq!(apply(&mut cells, &p, Act::Reserve, MEMORY_MS - 1), Verdict::Go(1));
        assert_eq!(apply(&mut cells, &p, Act::Reserve, 2 * MEMORY_MS), Verdict::Go(4));
    }

    #[test]
    fn a_known_device_is_not_blocked_with_its_address_but_blocks_it() {
        let mut cells = Cells::new();
        for _ in 0..5 {
            apply(&mut cells, &at("p"), Act::Reserve, 0);
        }
        assert_eq!(apply(&mut cells, &known("d", "p"), Act::Reserve, 1), Verdict::Go(4));
        apply(&mut cells, &known("d", "p"), Act::Settle, 2);
        assert_eq!(apply(&mut cells, &at("p"), Act::Reserve, 3), Verdict::Refused(179_997), "its success lifts nobody else's block");
        for _ in 0..5 {
            apply(&mut cells, &known("e", "q"), Act::Reserve, 0);
        }
        assert_eq!(apply(&mut cells, &at("q"), Act::Reserve, 1), Verdict::Refused(179_999), "dropping the mark does not help");
    }

    #[test]
    fn one_account_takes_twenty_failures_from_anywhere_and_then_one_in_36_seconds() {
        let mut cells = Cells::new();
        let from = |address: i64| Buckets { wide: vec![("a".to_owned(), PER_ACCOUNT)], ..at(&format!("p{address}")) };
        for address in 0..20 {
            assert_eq!(apply(&mut cells, &from(address), Act::Reserve, 1_000), Verdict::Go(4));
        }
        assert_eq!(apply(&mut cells, &from(20), Act::Reserve, 2_000), Verdict::Refused(35_000));
        assert_eq!(apply(&mut cells, &from(20), Act::Reserve, 37_000), Verdict::Go(4));
        assert_eq!(apply(&mut cells, &from(21), Act::Reserve, 37_001), Verdict::Refused(35_999));
    }

    #[test]
    fn nobody_at_one_address_can_keep_the_owner_of_an_account_out_anywhere_else() {
        let from = |address: &str| Buckets { wide: vec![("a".to_owned(), PER_ACCOUNT)], ..at(address) };
        // On a new device elsewhere, and on a known one at the very place of whoever tries.
        for owner in [from("new"), known("mark", "theirs")] {
            let (mut cells, mut tried) = (Cells::new(), 0);
            for now in (0..7_200_000).step_by(1_000) {
                tried += i32::from(matches!(apply(&mut cells, &from("theirs"), Act::Reserve, now), Verdict::Go(_)));
                assert_eq!(apply(&mut cells, &owner, Act::Reserve, now), Verdict::Go(4), "after {now} ms");
                apply(&mut cells, &owner, Act::Settle, now);
            }
            assert!((200..=220).contains(&tried), "two hours of five tries in three minutes, and twenty at once: {tried}");
        }
    }

    #[test]
    fn one_address_takes_a_hundred_failures_in_any_ten_minutes_and_successes_do_not_count() {
        let (mut cells, mut tried) = (Cells::new(), Vec::new());
        let on = |name: usize| Buckets { wide: vec![("i".to_owned(), PER_ADDRESS)], ..at(&format!("p{name}")) };
        for name in 0..200 {
            assert_eq!(apply(&mut cells, &on(name), Act::Reserve, 1), Verdict::Go(4));
            apply(&mut cells, &on(name), Act::Settle, 1);
        }
        // Whoever waits for the end of a window, or tries without a pause, gets no more.
        for (from, step) in [(0, 100), (1_500_000, 100), (3_500_000, 12_000)] {
            for now in (from..from + 1_200_000).step_by(step) {
                if let Verdict::Go(_) = apply(&mut cells, &on(200 + tried.len()), Act::Reserve, now) {
                    tried.push(now);
                }
            }
        }
        let most = tried.iter().map(|from| tried.iter().filter(|now| (*from..=from + 600_000).contains(now)).count()).max();
        assert!(matches!(most, Some(99 | 100)), "{most:?}");
    }

    #[test]
    fn the_limits_are_as_documented() {
        assert_eq!((TRIES, BLOCK_MS, MEMORY_MS), (5, 180_000, 1_800_000));
        assert_eq!((PER_ACCOUNT.limit, PER_ACCOUNT.ms), (20, 36_000));
        assert_eq!((PER_ADDRESS.limit, PER_ADDRESS.ms), (50, 12_000));
    }

    #[test]
    fn failures_expire_at_the_very_end_of_their_memory() {
        let (mut cells, p) = (Cells::new(), at("p"));
        apply(&mut cells, &p, Act::Reserve, 0);
        assert_eq!(apply(&mut cells, &p, Act::Reserve, MEMORY_MS), Verdict::Go(4));
    }

    #[test]
    fn a_success_gives_back_its_own_booking_of_a_wide_limit_and_no_more() {
        let on = Buckets { wide: vec![("a".to_owned(), PER_ACCOUNT)], ..at("p") };
        let mut cells = Cells::new();
        apply(&mut cells, &on, Act::Reserve, 0);
        apply(&mut cells, &on, Act::Reserve, 0);
        apply(&mut cells, &on, Act::Settle, 0);
        assert_eq!((cells["a"].failures, cells["a"].until_ms), (1, PER_ACCOUNT.ms));
        apply(&mut cells, &on, Act::Settle, 0);
        apply(&mut cells, &on, Act::Settle, 0);
        assert_eq!((cells["a"].failures, cells["a"].until_ms), (0, 0), "a success without a booking gives nothing back");
    }

    #[test]
    fn the_count_of_an_address_begins_anew_after_a_success_or_a_block_of_its_known_device() {
        let mut cells = Cells::new();
        for _ in 0..2 {
            apply(&mut cells, &known("d", "p"), Act::Reserve, 0);
        }
        apply(&mut cells, &known("d", "p"), Act::Settle, 0);
        assert_eq!(apply(&mut cells, &at("p"), Act::Reserve, 1), Verdict::Go(4));
        for _ in 0..5 {
            apply(&mut cells, &known("e", "q"), Act::Reserve, 0);
        }
        assert_eq!(apply(&mut cells, &at("q"), Act::Reserve, BLOCK_MS), Verdict::Go(4));
    }

    #[test]
    fn a_block_that_another_store_knew_is_taken_over_whole() {
        let (mut cells, p) = (Cells::new(), at("p"));
        apply(&mut cells, &p, Act::Reserve, 0);
        apply(&mut cells, &p, Act::Adopt(1_000), 0);
        assert_eq!(apply(&mut cells, &p, Act::Look, 1), Verdict::Refused(999));
        assert_eq!(apply(&mut cells, &p, Act::Reserve, 1_000), Verdict::Go(4));
    }
}
