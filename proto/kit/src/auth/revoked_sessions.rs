//! Compact set of revoked sessions. Each sign-out adds a session to the set. The session stays in the set until the session's token
//! expires. The set is compact because hundreds of thousands of sessions may be added per day.
use chrono::{DateTime, Utc};
use std::hash::{BuildHasher, RandomState};

/// Number of sorted partitions of the set. The first byte of a session id's hash selects the partition. An insertion moves entries
/// of one partition only.
const PARTITIONS: usize = 1 << u8::BITS;
/// Bit mask of the low 16 bits of an entry, which contain the expiry minute. The other 48 bits contain bytes two to seven of the session
/// id's hash. Byte one is not stored, because it selects the partition.
const MINUTE_MASK: u64 = 0xffff;
/// Divisor for the growth of a full partition: its capacity grows by one eighth, because doubling the capacity would waste memory.
const GROWTH_DIVISOR: usize = 8;

/// Set of revoked sessions at eight bytes each: a randomly seeded hash of the session id, and the expiry minute.
pub(super) struct RevokedSessions {
    hashes: RandomState,
    parts: Vec<Vec<u64>>,
}

impl Default for RevokedSessions {
    fn default() -> Self {
        Self { hashes: RandomState::new(), parts: vec![Vec::new(); PARTITIONS] }
    }
}

/// Returns the number of minutes from 1970 to `moment` in 16 bits, which wrap around every 45 days.
fn minute(moment: DateTime<Utc>) -> u16 {
    u16::try_from(moment.timestamp().div_euclid(60).rem_euclid(1 << u16::BITS)).unwrap_or_default()
}

impl RevokedSessions {
    /// Returns the index of the partition for a session, and the hash bits that identify the session in that partition.
    fn place(&self, session: &str) -> (usize, u64) {
        let hash = self.hashes.hash_one(session);
        (usize::from(hash.to_be_bytes()[0]), (hash << u8::BITS) & !MINUTE_MASK)
    }

    /// Adds a revoked session to the set. `until` is the expiry time of the session's token. The entry expires in the minute after
    /// `until`.
    pub(super) fn insert(&mut self, session: &str, until: DateTime<Utc>) {
        let (part, hash) = self.place(session);
        let (part, new) = (&mut self.parts[part], hash | u64::from(minute(until)));
        match part.binary_search_by_key(&hash, |one| one & !MINUTE_MASK) {
            Ok(at) => part[at] = new,
            Err(at) => {
                if part.len() == part.capacity() {
                    part.reserve_exact(part.len() / GROWTH_DIVISOR + 1);
                }
                part.insert(at, new);
            }
        }
    }

    /// Returns `true` when the set contains the session.
    pub(super) fn contains(&self, session: &str) -> bool {
        let (part, hash) = self.place(session);
        self.parts[part].binary_search_by_key(&hash, |one| one & !MINUTE_MASK).is_ok()
    }

    /// Removes expired entries from the set. The tokens of these sessions have expired too, so the entries are no longer needed.
    pub(super) fn purge_expired(&mut self, now: DateTime<Utc>) {
        let this = u64::from(minute(now));
        for part in &mut self.parts {
            part.retain(|one| (one & MINUTE_MASK).wrapping_sub(this) & MINUTE_MASK < MINUTE_MASK / 2);
            part.shrink_to(part.len() + part.len() / GROWTH_DIVISOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    fn bytes(gone: &RevokedSessions) -> usize {
        gone.parts.iter().map(|part| part.capacity() * size_of::<u64>()).sum()
    }

    #[test]
    fn sessions_are_remembered_until_their_minute_in_little_memory() {
        let (mut gone, now) = (RevokedSessions::default(), DateTime::from_timestamp(65_536 * 60 * 500 - 90, 0).unwrap());
        let of = |number: usize| format!("session {number}");
        for number in 0..100_000 {
            let until = now + TimeDelta::minutes(i64::try_from(number % 2).unwrap() * 5);
            gone.insert(&of(number), until);
            gone.insert(&of(number), until);
        }
        assert!((0..100_000).all(|number| gone.contains(&of(number))) && !gone.contains(&of(100_000)));
        assert!(bytes(&gone) < 100_000 * 9, "{}", bytes(&gone));
        gone.purge_expired(now);
        assert!(gone.contains(&of(0)), "a session stays until its expiry minute is over");
        gone.purge_expired(now + TimeDelta::minutes(2));
        assert!(
            (0..100_000).all(|number| gone.contains(&of(number)) == (number % 2 == 1)),
            "expiry works across the wrap-around of minutes"
        );
        assert!(bytes(&gone) < 50_000 * 10, "{}", bytes(&gone));
        gone.purge_expired(now + TimeDelta::days(2));
        assert_eq!(bytes(&gone), 0);
    }
}
