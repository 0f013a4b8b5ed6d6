//! The lockout: five tries are five tries, however many arrive at once and wherever.
//!
//! A try is booked before its password is compared. It is booked twice: in a quick store, which
//! refuses what is blocked without troubling the database, and in the database, which only sees
//! what the quick store lets through and whose word counts as well. So a Redis that is away, slow,
//! or came back empty gives nobody a further try, and a block outlives every restart.
//!
//! Each store goes by its own clock, Redis and `PostgreSQL` by theirs: between them, and to a
//! person, only how long something lasts is told. So the clocks of replicas play no part.

pub mod front;
pub mod rules;

use crate::{error::Error, store};
use front::Front;
use patio_kit::{
    cache::Cache,
    clock::Clock,
    db::{Db, Tx},
};
use rules::{Act, Buckets, PER_ACCOUNT, PER_ADDRESS, Verdict};
use std::{net::IpAddr, time::Duration};

/// How long Redis may take before the database decides alone.
const PATIENCE: Duration = Duration::from_millis(50);

/// Decides whether a password may be compared now.
pub struct Lockout {
    front: Front,
    db: Db,
    clock: Clock,
}

impl Lockout {
    /// A lockout whose quick store goes with the cache.
    #[must_use]
    pub fn new(cache: &Cache, db: Db, clock: Clock) -> Self {
        Self { front: Front::of(cache, PATIENCE), db, clock }
    }

    /// Refuses, cheaply, what is blocked at this moment.
    ///
    /// # Errors
    /// `LockedOut` with the seconds left.
    pub async fn look(&self, buckets: &Buckets) -> Result<(), Error> {
        let now = self.now();
        let verdict = match self.front.act(Act::Look, buckets, now).await {
            Some(verdict) => verdict,
            None => store::lockouts::look(&self.db, buckets, now).await?,
        };
        match verdict {
            Verdict::Go(_) => Ok(()),
            Verdict::Refused(wait) => Err(locked_out(wait)),
        }
    }

    /// Books a try and tells how many are left if it turns out wrong; 0: the block has begun.
    ///
    /// # Errors
    /// `LockedOut` with the seconds left, and then nothing was booked.
    pub async fn reserve(&self, buckets: &Buckets) -> Result<i64, Error> {
        let now = self.now();
        let quick = self.front.act(Act::Reserve, buckets, now).await;
        if let Some(Verdict::Refused(wait)) = quick {
            return Err(locked_out(wait));
        }
        let touched = buckets.clone();
        let sure = self.db.write(move |tx| Box::pin(async move { store::lockouts::apply(tx, &touched, Act::Reserve, now).await })).await?;
        match sure {
            // Two replicas can pass the two stores in different orders; the database's order is told.
            Verdict::Go(left) => {
                if left > 0 && quick == Some(Verdict::Go(0)) {
                    // The quick store began a block that there is not: it missed a success while it was away.
                    self.front.act(Act::Settle, buckets, now).await;
                }
                Ok(left)
            }
            Verdict::Refused(wait) => {
                // The quick store has lost the block, as an empty Redis does: it is told again.
                self.front.act(Act::Adopt(wait), buckets, now).await;
                Err(locked_out(wait))
            }
        }
    }

    /// Takes a booking back in the transaction of the success; [`Self::settled`] follows the commit.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn settle(tx: &mut Tx<'_>, buckets: &Buckets, now_ms: i64) -> Result<(), Error> {
        store::lockouts::apply(tx, buckets, Act::Settle, now_ms).await.map(drop)
    }

    /// Takes a booking back in the quick store.
    pub async fn settled(&self, buckets: &Buckets) {
        self.front.act(Act::Settle, buckets, self.now()).await;
    }

    /// Lifts whatever failures have put on an account, in the transaction of whoever lifts it; the buckets
    /// it stood in, for [`Self::lifted`] after the commit.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn lift(tx: &mut Tx<'_>, account: &str, now_ms: i64) -> Result<Vec<String>, Error> {
        store::lockouts::lift(tx, account, now_ms).await
    }

    /// Lifts in the quick store what was lifted in the database.
    pub async fn lifted(&self, buckets: &[String]) {
        if !buckets.is_empty() && !self.front.lift(buckets).await {
            tracing::warn!("redis could not be told that a lockout was lifted: what stands there ends by itself");
        }
    }

    /// Forgets what has no effect any more.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn tidy(&self) -> Result<(), Error> {
        let now = self.now();
        self.front.tidy(now);
        self.db.write(move |tx| Box::pin(async move { store::lockouts::forget(tx, now).await })).await
    }

    fn now(&self) -> i64 {
        self.clock.now().timestamp_millis()
    }
}

/// The refusal during a block: whole seconds, rounded up, never more than a block lasts.
#[must_use]
pub fn locked_out(wait_ms: i64) -> Error {
    Error::LockedOut { seconds: (wait_ms + 999).div_euclid(1000).clamp(1, rules::BLOCK_MS / 1000) }
}

/// The buckets of a sign-in: a known device has its own, others share that of account and place
/// and fall under the wider limits. Account and place are keyed hashes; every name but that of a
/// place begins with a letter and the account, by which [`store::lockouts::lift`] finds them.
#[must_use]
pub fn sign_in_buckets(account: &str, place: &str, mark: Option<&str>) -> Buckets {
    let pair = format!("p:{account}:{place}");
    match mark {
        Some(mark) => Buckets { decider: format!("d:{account}:{mark}"), shadow: Some(pair), wide: Vec::new() },
        None => {
            Buckets { decider: pair, shadow: None, wide: vec![(format!("a:{account}"), PER_ACCOUNT), (format!("i:{place}"), PER_ADDRESS)] }
        }
    }
}

/// The buckets of a signed-in person who gives the old password: one wherever it comes from, and
/// the attempt counts against signing in from there too.
#[must_use]
pub fn own_password_buckets(account: &str, place: &str) -> Buckets {
    Buckets { decider: format!("o:{account}"), shadow: Some(format!("p:{account}:{place}")), wide: Vec::new() }
}

/// What counts as one address: an IPv4 address, or the /64 of an IPv6 one.
#[must_use]
pub fn network(address: &str) -> String {
    match address.parse::<IpAddr>().map(|ip| ip.to_canonical()) {
        Ok(IpAddr::V4(v4)) => v4.to_string(),
        Ok(IpAddr::V6(v6)) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        Err(_) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up_and_stay_between_1_and_180() {
        let told = |ms| match locked_out(ms) {
            Error::LockedOut { seconds } => seconds,
            other => panic!("{other}"),
        };
        assert_eq!([1, 1000, 1001, 180_000, 600_000].map(told), [1, 1, 2, 180, 180]);
    }

    #[test]
    fn an_address_is_an_ipv4_address_or_an_ipv6_network() {
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), network("2001:db8:1:2::9"));
        assert_ne!(network("2001:db8:1:2::9"), network("2001:db8:1:3::9"));
        assert_eq!(network("x".repeat(10_000).as_str()), "unknown");
    }
}
