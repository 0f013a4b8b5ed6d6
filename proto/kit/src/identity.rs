//! Who calls: every service judges every token by itself.
use crate::{
    clock::Clock,
    errors::{self, Reason},
};
use chrono::{DateTime, TimeDelta, Utc};
use gone::Gone;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use moka::sync::Cache;
use patio_proto::{access::Role, auth::Revocation, role};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};
use tonic::{Code, Request, Status};

mod gone;

/// The user id of the reserved developer account.
pub const DEVELOPER: i64 = 1;
/// How often the use of one session is told to auth-svc at most.
pub const USE_TOLD_EVERY: TimeDelta = TimeDelta::minutes(5);
/// How often it is looked whether the session of an open stream has ended.
const LOOKS: Duration = Duration::from_millis(500);
/// Who a token was made by.
pub const ISSUER: &str = "patio";

/// What a token says; nothing personal beyond the id.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Claims {
    /// Who made it.
    pub iss: String,
    /// The user's id, or `service:NAME`.
    pub sub: String,
    /// `op`, `tm`, `admin` or `service`.
    pub role: String,
    /// The session.
    pub sid: String,
    /// Made at, in seconds since 1970.
    pub iat: i64,
    /// Made at, in milliseconds, to compare with revocations.
    pub iat_ms: i64,
    /// Dead from then on, in seconds since 1970.
    pub exp: i64,
}

/// Who makes a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The user; 0 for a service that acts on its own.
    pub user_id: i64,
    /// `Operator`, `Manager`, `Admin` or `Service`.
    pub role: Role,
    /// The session the token belongs to.
    pub session_id: String,
    /// When the token was made.
    pub issued_at: DateTime<Utc>,
    /// When the token dies.
    pub expires_at: DateTime<Utc>,
}

impl Caller {
    /// The user, unless a service acts on its own.
    #[must_use]
    pub fn person(&self) -> Option<i64> {
        (self.user_id > 0).then_some(self.user_id)
    }

    /// Whether this is the developer account.
    #[must_use]
    pub fn is_developer(&self) -> bool {
        self.user_id == DEVELOPER
    }

    /// Whether the rule of an rpc lets this caller in.
    #[must_use]
    pub fn may(&self, at_least: Role) -> bool {
        match at_least {
            Role::Anyone => true,
            Role::Operator | Role::Manager => self.role == Role::Service || self.role as i32 >= at_least as i32,
            Role::Admin => self.role == Role::Admin,
            Role::Developer => self.is_developer(),
            Role::Service => self.role == Role::Service,
            Role::Unspecified => false,
        }
    }
}

/// Who makes this call, as the access layer found out.
///
/// # Errors
/// Unauthenticated when the call came past the access layer without a caller.
pub fn caller<T>(request: &Request<T>) -> Result<Caller, Status> {
    request.extensions().get::<Caller>().cloned().ok_or_else(|| not_signed_in("no token"))
}

/// The refusal of a token, with the reason for the log only.
#[must_use]
pub fn not_signed_in(why: &str) -> Status {
    tracing::debug!(why, "refused a token");
    errors::status(Code::Unauthenticated, Reason::NotSignedIn, &"sign in to do this")
}

/// How often what need not be known any more is dropped: to look for it takes as long as there are sessions that ended.
const DROPPED_EVERY: TimeDelta = TimeDelta::minutes(1);

/// Tokens of a user issued up to a moment are dead.
struct Ended {
    until: DateTime<Utc>,
    forget: DateTime<Utc>,
}

#[derive(Default)]
struct Known {
    keys: HashMap<String, DecodingKey>,
    sessions: Gone,
    users: HashMap<i64, Vec<Ended>>,
    sequence: i64,
    /// When those were last dropped whose tokens have expired by themselves.
    dropped: DateTime<Utc>,
}

/// The sessions that were used here, so that auth-svc can end those that nobody uses.
#[derive(Default)]
struct Uses {
    noted: HashMap<String, DateTime<Utc>>,
    untold: HashSet<String>,
}

/// The keys and revocations a process knows, and the tokens it verified lately; clones share them.
#[derive(Clone)]
pub struct Identity {
    known: Arc<RwLock<Known>>,
    verified: Cache<String, Caller>,
    uses: Arc<Mutex<Uses>>,
    clock: Clock,
}

impl Identity {
    /// Knows nothing yet, and so refuses every token.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        crate::crypto::install();
        let verified = Cache::builder().max_capacity(20_000).time_to_live(Duration::from_secs(300)).build();
        Self { known: Arc::default(), verified, uses: Arc::default(), clock }
    }

    /// Replaces the public keys: key id and raw 32 bytes each.
    pub fn set_keys(&self, keys: impl IntoIterator<Item = (String, Vec<u8>)>) {
        let keys: HashMap<_, _> = keys.into_iter().map(|(id, raw)| (id, DecodingKey::from_ed_der(&raw))).collect();
        let mut known = self.write();
        let withdrawn = known.keys.keys().any(|id| !keys.contains_key(id));
        known.keys = keys;
        drop(known);
        if withdrawn {
            self.verified.invalidate_all();
        }
    }

    /// Whether the key is known.
    #[must_use]
    pub fn knows_key(&self, id: &str) -> bool {
        self.read().keys.contains_key(id)
    }

    /// Whether any key is known, without which every token is refused.
    #[must_use]
    pub fn has_keys(&self) -> bool {
        !self.read().keys.is_empty()
    }

    /// The last revocation known.
    #[must_use]
    pub fn sequence(&self) -> i64 {
        self.read().sequence
    }

    /// Takes note of what was revoked; it holds for the next call already.
    pub fn revoke(&self, revocations: &[Revocation]) {
        let now = self.clock.now();
        let mut known = self.write();
        for revocation in revocations {
            let until = revocation.issued_until.as_ref().and_then(crate::clock::moment).unwrap_or(now);
            let forget = revocation.forget_at.as_ref().and_then(crate::clock::moment).unwrap_or(now + chrono::TimeDelta::hours(24));
            if revocation.session_id.is_empty() {
                known.users.entry(revocation.user_id).or_default().push(Ended { until, forget });
            } else {
                known.sessions.insert(&revocation.session_id, forget);
            }
            known.sequence = known.sequence.max(revocation.sequence);
        }
        if now - known.dropped >= DROPPED_EVERY {
            known.dropped = now;
            known.sessions.forget(now);
            known.users.retain(|_, all| {
                all.retain(|ended| ended.forget > now);
                !all.is_empty()
            });
        }
    }

    /// Judges a bearer token.
    ///
    /// # Errors
    /// Unauthenticated for anything but a living token of ours that nobody revoked.
    pub fn judge(&self, token: &str) -> Result<Caller, Status> {
        let caller = match self.verified.get(token) {
            Some(caller) => caller,
            None => self.verify(token)?,
        };
        self.still(&caller).map_err(not_signed_in)?;
        self.note_use(&caller);
        Ok(caller)
    }

    /// Whether somebody who was let in still would be. A stream that is merely open is no use of its session.
    ///
    /// # Errors
    /// Why not, for the log.
    pub fn still(&self, caller: &Caller) -> Result<(), &'static str> {
        if caller.expires_at <= self.clock.now() {
            return Err("expired");
        }
        let known = self.read();
        if known.sessions.holds(&caller.session_id) {
            return Err("the session has ended");
        }
        let ended = known.users.get(&caller.user_id).is_some_and(|all| all.iter().any(|ended| caller.issued_at <= ended.until));
        if ended { Err("the user's sessions have ended") } else { Ok(()) }
    }

    /// Waits until somebody who was let in would not be any more.
    pub async fn ended(&self, caller: &Caller) {
        while self.still(caller).is_ok() {
            tokio::time::sleep(LOOKS).await;
        }
    }

    fn note_use(&self, caller: &Caller) {
        if caller.person().is_none() {
            return;
        }
        let (now, mut uses) = (self.clock.now(), self.uses());
        if uses.noted.get(&caller.session_id).is_none_or(|noted| now - *noted >= USE_TOLD_EVERY) {
            uses.noted.insert(caller.session_id.clone(), now);
            uses.untold.insert(caller.session_id.clone());
        }
    }

    /// Takes some of the sessions whose use is still to be told.
    #[must_use]
    pub fn take_uses(&self, most: usize) -> Vec<String> {
        let (now, mut uses) = (self.clock.now(), self.uses());
        let taken: Vec<String> = uses.untold.iter().take(most).cloned().collect();
        if !taken.is_empty() {
            for session in &taken {
                uses.untold.remove(session);
            }
            uses.noted.retain(|_, noted| now - *noted < USE_TOLD_EVERY);
        }
        taken
    }

    /// Takes sessions back whose use could not be told.
    pub fn give_back_uses(&self, sessions: Vec<String>) {
        self.uses().untold.extend(sessions);
    }

    fn verify(&self, token: &str) -> Result<Caller, Status> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| not_signed_in("not a token"))?;
        let key = header.kid.as_deref().and_then(|id| self.read().keys.get(id).cloned()).ok_or_else(|| not_signed_in("unknown key"))?;
        let mut rules = Validation::new(Algorithm::EdDSA);
        rules.set_issuer(&[ISSUER]);
        rules.set_required_spec_claims(&["exp", "iss", "sub"]);
        rules.validate_exp = false; // judged by our own clock, for cached tokens too
        let claims = jsonwebtoken::decode::<Claims>(token, &key, &rules).map_err(|_| not_signed_in("forged"))?.claims;
        if !is_timely(&claims, self.clock.now()) {
            return Err(not_signed_in("times that no token has"));
        }
        let caller = caller_of(&claims).ok_or_else(|| not_signed_in("claims nobody has"))?;
        self.verified.insert(token.to_owned(), caller.clone());
        Ok(caller)
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// How long the longest token lives.
pub const LONGEST_LIFE: TimeDelta = TimeDelta::hours(24);
/// How far the clocks of two processes may be apart.
const SKEW: TimeDelta = TimeDelta::minutes(15);

/// Whether a token's times are such as ours have: it is not from the future, and lives no longer than a token may.
fn is_timely(claims: &Claims, now: DateTime<Utc>) -> bool {
    let made = DateTime::from_timestamp_millis(claims.iat_ms);
    let ends = DateTime::from_timestamp(claims.exp, 0);
    made.zip(ends).is_some_and(|(made, ends)| claims.iat == made.timestamp() && made <= now + SKEW && ends - made <= LONGEST_LIFE + SKEW)
}

fn caller_of(claims: &Claims) -> Option<Caller> {
    let (user_id, role) = if claims.sub.starts_with("service:") && claims.role == role::text(Role::Service) {
        (0, Role::Service)
    } else {
        (claims.sub.parse().ok().filter(|id| *id > 0)?, role::parse(&claims.role)?)
    };
    Some(Caller {
        user_id,
        role,
        session_id: claims.sid.clone(),
        issued_at: DateTime::from_timestamp_millis(claims.iat_ms)?,
        expires_at: DateTime::from_timestamp(claims.exp, 0)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::timestamp;

    #[test]
    fn tokens_from_the_future_and_those_that_live_too_long_are_none_of_ours() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let claims = |made: TimeDelta, lives: TimeDelta| Claims {
            iss: ISSUER.to_owned(),
            sub: "2".to_owned(),
            role: "admin".to_owned(),
            sid: "s".to_owned(),
            iat: (now + made).timestamp(),
            iat_ms: (now + made).timestamp_millis(),
            exp: (now + made + lives).timestamp(),
        };
        for (made, lives, ours) in [
            (TimeDelta::zero(), TimeDelta::hours(12), true),
            (TimeDelta::hours(-11), TimeDelta::hours(24), true),
            (TimeDelta::minutes(14), TimeDelta::hours(12), true),
            (TimeDelta::minutes(16), TimeDelta::hours(12), false),
            (TimeDelta::days(365), TimeDelta::hours(12), false),
            (TimeDelta::zero(), TimeDelta::hours(25), false),
            (TimeDelta::zero(), TimeDelta::days(3650), false),
        ] {
            assert_eq!(is_timely(&claims(made, lives), now), ours, "made {made}, lives {lives}");
        }
        let told_twice = Claims { iat: now.timestamp() - 60, ..claims(TimeDelta::zero(), TimeDelta::hours(1)) };
        assert!(!is_timely(&told_twice, now), "the two times of its making are one");
        assert!(!is_timely(&Claims { iat_ms: i64::MAX, ..told_twice }, now));
    }

    #[test]
    fn an_ended_session_is_known_for_as_long_as_its_token_would_live() {
        let clock = Clock::default();
        let identity = Identity::new(clock.clone());
        let end = |session: &str| {
            let forget_at = Some(timestamp(clock.now() + TimeDelta::minutes(5)));
            identity.revoke(&[Revocation { session_id: session.into(), forget_at, ..Revocation::default() }]);
        };
        let known = |session: &str| identity.read().sessions.holds(session);
        end("first");
        clock.advance(TimeDelta::minutes(4));
        end("second");
        assert!(known("first") && known("second"));
        clock.advance(TimeDelta::minutes(2));
        end("third");
        assert!(!known("first") && known("second") && known("third"));
    }
}
