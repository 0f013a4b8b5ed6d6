//! Sessions that ended. Each sign-out leaves one until its token would have died, hundreds of thousands in a day maybe.
use chrono::{DateTime, Utc};
use std::hash::{BuildHasher, RandomState};

/// By the first byte of a hash they are in so many parts, each in order: what comes and goes moves little.
const PARTS: usize = 1 << u8::BITS;
/// The bits of one in which its minute stands; above them stands what follows the hash's first byte.
const MINUTE: u64 = 0xffff;
/// A part that is full grows by its so manieth, as to double it would take twice what is needed.
const GROWS: usize = 8;

/// Sessions that ended, eight bytes each: a hash of its id that nobody can foresee, and the minute in which it is forgotten.
pub(super) struct Gone {
    hashes: RandomState,
    parts: Vec<Vec<u64>>,
}

impl Default for Gone {
    fn default() -> Self {
        Self { hashes: RandomState::new(), parts: vec![Vec::new(); PARTS] }
    }
}

/// The minute of a moment, counted from 1970 in a circle of 45 days.
fn minute(moment: DateTime<Utc>) -> u16 {
    u16::try_from(moment.timestamp().div_euclid(60).rem_euclid(1 << u16::BITS)).unwrap_or_default()
}

impl Gone {
    /// The part of a session, and its place there.
    fn place(&self, session: &str) -> (usize, u64) {
        let hash = self.hashes.hash_one(session);
        (usize::from(hash.to_be_bytes()[0]), (hash << u8::BITS) & !MINUTE)
    }

    /// Takes note of one, to be forgotten in the minute after `until`.
    pub(super) fn insert(&mut self, session: &str, until: DateTime<Utc>) {
        let (part, hash) = self.place(session);
        let (part, new) = (&mut self.parts[part], hash | u64::from(minute(until)));
        match part.binary_search_by_key(&hash, |one| one & !MINUTE) {
            Ok(at) => part[at] = new,
            Err(at) => {
                if part.len() == part.capacity() {
                    part.reserve_exact(part.len() / GROWS + 1);
                }
                part.insert(at, new);
            }
        }
    }

    /// Whether a session has ended, as far as that is not forgotten.
    pub(super) fn holds(&self, session: &str) -> bool {
        let (part, hash) = self.place(session);
        self.parts[part].binary_search_by_key(&hash, |one| one & !MINUTE).is_ok()
    }

    /// Forgets those whose minute has passed.
    pub(super) fn forget(&mut self, now: DateTime<Utc>) {
        let this = u64::from(minute(now));
        for part in &mut self.parts {
            part.retain(|one| (one & MINUTE).wrapping_sub(this) & MINUTE < MINUTE / 2);
            part.shrink_to(part.len() + part.len() / GROWS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    fn bytes(gone: &Gone) -> usize {
        gone.parts.iter().map(|part| part.capacity() * size_of::<u64>()).sum()
    }

    #[test]
    fn many_are_known_until_their_minute_and_take_little() {
        let (mut gone, now) = (Gone::default(), DateTime::from_timestamp(65_536 * 60 * 500 - 90, 0).unwrap());
        let of = |number: usize| format!("session {number}");
        for number in 0..100_000 {
            let until = now + TimeDelta::minutes(i64::try_from(number % 2).unwrap() * 5);
            gone.insert(&of(number), until);
            gone.insert(&of(number), until);
        }
        assert!((0..100_000).all(|number| gone.holds(&of(number))) && !gone.holds(&of(100_000)));
        assert!(bytes(&gone) < 100_000 * 9, "{}", bytes(&gone));
        gone.forget(now);
        assert!(gone.holds(&of(0)), "until its minute is over");
        gone.forget(now + TimeDelta::minutes(2));
        assert!((0..100_000).all(|number| gone.holds(&of(number)) == (number % 2 == 1)), "over the end of the circle, too");
        assert!(bytes(&gone) < 50_000 * 10, "{}", bytes(&gone));
        gone.forget(now + TimeDelta::days(2));
        assert_eq!(bytes(&gone), 0);
    }
}
