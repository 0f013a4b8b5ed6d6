//! Authentication of callers. Every service verifies tokens itself, with the signing keys and revocations that auth-svc publishes.
use crate::{
    auth::{key_poll_schedule::KeyPollSchedule, revoked_sessions::RevokedSessions},
    clock::Clock,
    errors::{self, ErrorReason},
    user_activity::UserActivity,
};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use moka::sync::Cache;
use patio_proto::{access::Role, auth::Revocation};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};
use tonic::{Code, Request, Status};

mod claims;

pub use claims::{Claims, MAX_TOKEN_LIFETIME};
use claims::{caller_from_claims, has_plausible_iat_and_exp};

/// User id of the reserved developer account.
pub const DEVELOPER_USER_ID: i64 = 1;
/// Minimum interval between two activity reports of one session to auth-svc.
pub const ACTIVITY_REPORT_INTERVAL: TimeDelta = TimeDelta::minutes(5);
/// Interval at which the session of an open stream is checked for revocation and expiry.
const SESSION_CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Value of the `iss` (issuer) claim in all Patio tokens.
pub const TOKEN_ISSUER: &str = "patio";

/// Authenticated caller of an rpc: a user or a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Id of the user; 0 for a service that acts on its own.
    pub user_id: i64,
    /// Role of the caller: `Operator`, `Manager`, `Admin` or `Service`.
    pub role: Role,
    /// Id of the session that the token belongs to.
    pub session_id: String,
    /// Time at which the token was issued.
    pub issued_at: DateTime<Utc>,
    /// Time at which the token expires.
    pub expires_at: DateTime<Utc>,
    /// Whether the user has to change the password before most other rpcs are allowed.
    pub must_change_password: bool,
}

impl Caller {
    /// Returns the user's id, or `None` for a service that acts on its own.
    #[must_use]
    pub fn signed_in_user_id(&self) -> Option<i64> {
        (self.user_id > 0).then_some(self.user_id)
    }

    /// Returns `true` when the caller is the reserved developer account.
    #[must_use]
    pub fn is_developer(&self) -> bool {
        self.user_id == DEVELOPER_USER_ID
    }

    /// Returns `true` when the caller's role satisfies `at_least`, the minimum role of an rpc.
    #[must_use]
    pub fn has_role_at_least(&self, at_least: Role) -> bool {
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

/// Returns the authenticated caller of a request. The access-control middleware stored the caller in the request's extensions.
///
/// # Errors
/// Returns `Unauthenticated` when the request has no caller.
pub fn authenticated_caller<T>(request: &Request<T>) -> Result<Caller, Status> {
    request.extensions().get::<Caller>().cloned().ok_or_else(|| invalid_token_status("no token"))
}

/// Builds the `Unavailable` error for calls that arrive before this process has loaded any signing key.
fn keys_not_loaded_status() -> Status {
    let status = errors::status(Code::Unavailable, ErrorReason::Unavailable, &"The server is starting. Try again in a moment.");
    errors::with_dependency_failure(status, "auth-svc", &"no signing key is loaded")
}

/// Builds the `Unavailable` error for calls whose token names an unknown signing key while auth-svc cannot be asked for its keys.
fn token_undecided_status() -> Status {
    let status =
        errors::status(Code::Unavailable, ErrorReason::Unavailable, &"Your sign-in cannot be checked right now. Try again in a moment.");
    errors::with_dependency_failure(status, "auth-svc", &"the signing keys were not polled in time")
}

/// Builds the error status for a rejected token. The cause is logged, but not sent to the caller.
#[must_use]
pub fn invalid_token_status(cause: &str) -> Status {
    tracing::debug!(cause, "token rejected, the caller has to sign in");
    errors::status(Code::Unauthenticated, ErrorReason::NotSignedIn, &"Sign in to continue.")
}

/// Builds the error status for a token whose session was revoked. A device that receives this status deletes the user's stored
/// data.
fn session_ended() -> Status {
    errors::status(Code::Unauthenticated, ErrorReason::SessionEnded, &"This session has ended. Sign in again.")
}

/// Reason why an authenticated caller is no longer valid: expired or revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidCallerReason {
    /// The token expired, or the session of the token was idle for too long.
    Expired,
    /// The session was revoked, or all sessions of the user were revoked.
    Revoked,
}

/// Minimum interval between two purges of expired revocations. A purge scans all revocations and must be rare.
const PURGE_INTERVAL: TimeDelta = TimeDelta::minutes(1);

/// Revocation of all tokens issued to one user up to and including the time `until`.
struct UserRevocation {
    until: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

#[derive(Default)]
struct Known {
    keys: HashMap<String, DecodingKey>,
    /// Sessions that a user or supervisor ended, for example by a sign-out.
    sessions: RevokedSessions,
    /// Sessions that expired because they were idle.
    unused: RevokedSessions,
    users: HashMap<i64, Vec<UserRevocation>>,
    sequence: i64,
    /// Time at which expired revocations were last purged.
    last_purge: DateTime<Utc>,
}

/// Sessions that were recently active in this process. The activity is reported to auth-svc, which expires idle sessions.
#[derive(Default)]
struct SessionActivity {
    reported: HashMap<String, DateTime<Utc>>,
    unreported: HashSet<String>,
}

/// Verifier of bearer tokens. Contains the signing keys and revocations that this process has loaded, and a cache of verified tokens.
/// Clones share this state.
#[derive(Clone)]
pub struct TokenVerifier {
    known: Arc<RwLock<Known>>,
    verified: Cache<String, Caller>,
    uses: Arc<Mutex<SessionActivity>>,
    key_poll_schedule: Arc<KeyPollSchedule>,
    clock: Clock,
}

impl TokenVerifier {
    /// Creates a token verifier that has no signing keys yet. Without signing keys, every token is rejected.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        crate::auth::ed25519::install_jwt_crypto_provider();
        let verified = Cache::builder().max_capacity(20_000).time_to_live(Duration::from_secs(300)).build();
        Self { known: Arc::default(), verified, uses: Arc::default(), key_poll_schedule: Arc::default(), clock }
    }

    /// Replaces the public signing keys, given as key id and 32 raw bytes each.
    pub fn replace_signing_keys(&self, keys: impl IntoIterator<Item = (String, Vec<u8>)>) {
        let keys: HashMap<_, _> = keys.into_iter().map(|(id, raw)| (id, DecodingKey::from_ed_der(&raw))).collect();
        let mut known = self.write();
        let withdrawn = known.keys.keys().any(|id| !keys.contains_key(id));
        known.keys = keys;
        drop(known);
        if withdrawn {
            self.verified.invalidate_all();
        }
    }

    /// Returns `true` when this process has loaded the signing key with the given id.
    #[must_use]
    pub fn has_signing_key(&self, id: &str) -> bool {
        self.read().keys.contains_key(id)
    }

    /// Returns `true` when this process has loaded at least one signing key. Without keys, every token is rejected.
    #[must_use]
    pub fn has_any_signing_key(&self) -> bool {
        !self.read().keys.is_empty()
    }

    /// Returns the sequence number of the last revocation that this process has loaded.
    #[must_use]
    pub fn last_revocation_sequence(&self) -> i64 {
        self.read().sequence
    }

    /// Adds revocations of sessions and of users' tokens. The revocations take effect immediately.
    pub fn add_revocations(&self, revocations: &[Revocation]) {
        let now = self.clock.now();
        let mut known = self.write();
        for revocation in revocations {
            let until = revocation.issued_before.as_ref().and_then(crate::clock::from_timestamp).unwrap_or(now);
            let expires_at =
                revocation.expires_at.as_ref().and_then(crate::clock::from_timestamp).unwrap_or(now + chrono::TimeDelta::hours(24));
            if revocation.session_id.is_empty() {
                known.users.entry(revocation.user_id).or_default().push(UserRevocation { until, expires_at });
            } else if revocation.unused {
                known.unused.insert(&revocation.session_id, expires_at);
            } else {
                known.sessions.insert(&revocation.session_id, expires_at);
            }
            known.sequence = known.sequence.max(revocation.sequence);
        }
        if now - known.last_purge >= PURGE_INTERVAL {
            known.last_purge = now;
            known.sessions.purge_expired(now);
            known.unused.purge_expired(now);
            known.users.retain(|_, all| {
                all.retain(|ended| ended.expires_at > now);
                !all.is_empty()
            });
        }
    }

    /// Verifies a bearer token and returns its caller.
    ///
    /// # Errors
    /// Returns `Unauthenticated` when the token is invalid, expired or revoked.
    pub fn authenticate(&self, token: &str) -> Result<Caller, Status> {
        let caller = match self.verified.get(token) {
            Some(caller) => caller,
            None => self.verify(token)?,
        };
        self.ensure_caller_valid(&caller).map_err(|over| match over {
            InvalidCallerReason::Expired => invalid_token_status("expired or unused"),
            InvalidCallerReason::Revoked => session_ended(),
        })?;
        self.record_activity(&caller);
        Ok(caller)
    }

    /// Verifies a bearer token. In an idle process, a user's call first waits until signing keys and revocations have been polled again,
    /// because an idle process polls rarely. Calls of other services do not wait. A call with a token of an unknown signing key waits for
    /// a poll of the keys, because auth-svc may have created the key since the last poll.
    ///
    /// # Errors
    /// Returns `Unauthenticated` when the token is invalid, expired or revoked. Returns `Unavailable` when no signing keys are loaded, or when
    /// the token's key is unknown and the keys could not be polled in time; `Unauthenticated` would make clients end valid sessions.
    pub async fn authenticate_with_current_keys(&self, token: &str) -> Result<Caller, Status> {
        let judged = self.authenticate(token);
        let is_service = judged.as_ref().is_ok_and(|caller| caller.signed_in_user_id().is_none());
        let judged = if !is_service && self.key_poll_schedule.wait_until_keys_current().await { self.authenticate(token) } else { judged };
        if judged.is_ok() {
            return judged;
        }
        if !self.has_any_signing_key() {
            return Err(keys_not_loaded_status());
        }
        let Some(key) = self.unknown_signing_key(token) else { return judged };
        let is_polled = self.key_poll_schedule.wait_until_keys_polled().await;
        if is_polled || self.has_signing_key(&key) { self.authenticate(token) } else { Err(token_undecided_status()) }
    }

    /// Returns the id of the token's signing key if auth-svc could have created this key (a UUID of 32 digits) and this process has not
    /// loaded it.
    fn unknown_signing_key(&self, token: &str) -> Option<String> {
        let id = jsonwebtoken::decode_header(token).ok()?.kid?;
        let is_key_id = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_key_id && !self.has_signing_key(&id)).then_some(id)
    }

    /// Returns the schedule on which signing keys and revocations are polled from auth-svc.
    pub(super) fn key_poll_schedule(&self) -> &KeyPollSchedule {
        &self.key_poll_schedule
    }

    /// Returns the record of the last call by any user to this process. Background tasks use the record to poll less often while no
    /// user makes calls.
    #[must_use]
    pub fn user_activity(&self) -> Arc<UserActivity> {
        self.key_poll_schedule.activity().clone()
    }

    /// Checks that the token and the session of an authenticated caller are still valid. The check does not count as activity
    /// of the session.
    ///
    /// # Errors
    /// Returns the reason why the caller is no longer valid: expired or revoked.
    pub fn ensure_caller_valid(&self, caller: &Caller) -> Result<(), InvalidCallerReason> {
        let known = self.read();
        let ended = |all: &Vec<UserRevocation>| all.iter().any(|ended| caller.issued_at <= ended.until);
        if known.sessions.contains(&caller.session_id) || known.users.get(&caller.user_id).is_some_and(ended) {
            return Err(InvalidCallerReason::Revoked);
        }
        let is_over = caller.expires_at <= self.clock.now() || known.unused.contains(&caller.session_id);
        if is_over { Err(InvalidCallerReason::Expired) } else { Ok(()) }
    }

    /// Waits until the caller is no longer valid: the token expired, or the session was revoked or was idle for too long.
    pub async fn wait_until_caller_invalid(&self, caller: &Caller) {
        while self.ensure_caller_valid(caller).is_ok() {
            tokio::time::sleep(SESSION_CHECK_INTERVAL).await;
            self.key_poll_schedule.wait_until_keys_current().await;
        }
    }

    fn record_activity(&self, caller: &Caller) {
        if caller.signed_in_user_id().is_none() {
            return;
        }
        let (now, mut uses) = (self.clock.now(), self.uses());
        if uses.reported.get(&caller.session_id).is_none_or(|reported| now - *reported >= ACTIVITY_REPORT_INTERVAL) {
            uses.reported.insert(caller.session_id.clone(), now);
            uses.unreported.insert(caller.session_id.clone());
        }
    }

    /// Removes up to `limit` session ids from the queue of unreported activity, and returns them for a report to auth-svc.
    #[must_use]
    pub fn take_unreported_sessions(&self, limit: usize) -> Vec<String> {
        let (now, mut uses) = (self.clock.now(), self.uses());
        let taken: Vec<String> = uses.unreported.iter().take(limit).cloned().collect();
        if !taken.is_empty() {
            for session in &taken {
                uses.unreported.remove(session);
            }
            uses.reported.retain(|_, reported| now - *reported < ACTIVITY_REPORT_INTERVAL);
        }
        taken
    }

    /// Puts session ids back into the queue of unreported activity after a failed report.
    pub fn requeue_unreported_sessions(&self, sessions: Vec<String>) {
        self.uses().unreported.extend(sessions);
    }

    fn verify(&self, token: &str) -> Result<Caller, Status> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| invalid_token_status("not a token"))?;
        let key =
            header.kid.as_deref().and_then(|id| self.read().keys.get(id).cloned()).ok_or_else(|| invalid_token_status("unknown key"))?;
        let mut rules = Validation::new(Algorithm::EdDSA);
        rules.set_issuer(&[TOKEN_ISSUER]);
        rules.set_required_spec_claims(&["exp", "iss", "sub"]);
        rules.validate_exp = false; // expiry is checked by the process clock, for cached tokens too
        let claims = jsonwebtoken::decode::<Claims>(token, &key, &rules).map_err(|_| invalid_token_status("forged"))?.claims;
        if !has_plausible_iat_and_exp(&claims, self.clock.now()) {
            return Err(invalid_token_status("token times out of range"));
        }
        let caller = caller_from_claims(&claims).ok_or_else(|| invalid_token_status("invalid claims"))?;
        self.verified.insert(token.to_owned(), caller.clone());
        Ok(caller)
    }

    fn uses(&self) -> MutexGuard<'_, SessionActivity> {
        self.uses.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::to_timestamp;

    #[test]
    fn a_revoked_session_is_remembered_until_its_token_expires() {
        let clock = Clock::default();
        let identity = TokenVerifier::new(clock.clone());
        let end = |session: &str| {
            let expires_at = Some(to_timestamp(clock.now() + TimeDelta::minutes(5)));
            identity.add_revocations(&[Revocation { session_id: session.into(), expires_at, ..Revocation::default() }]);
        };
        let known = |session: &str| identity.read().sessions.contains(session);
        end("first");
        clock.advance(TimeDelta::minutes(4));
        end("second");
        assert!(known("first") && known("second"));
        clock.advance(TimeDelta::minutes(2));
        end("third");
        assert!(!known("first") && known("second") && known("third"));
    }
}
