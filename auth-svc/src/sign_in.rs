//! Sign-in and change of one's own password. The lockout limits how often a password is verified, and every failure is recorded.
use crate::{
    admin_action::{self, AdminActionContext},
    auth_keys::{self, AuthKeys, IssuedToken, TokenSubject},
    error::Error,
    hmc::Hmc,
    lockout::{Lockout, locked_out_error, password_check_counter_names, sign_in_counter_names},
    lockout_rules::{CounterNames, LOCKOUT_DURATION_MS, MAX_FAILED_ATTEMPTS},
    password::{self, PasswordHasher},
    sessions,
    store::{
        sessions::{self as open_sessions, NewSession},
        user_audit_entries::audit_subject,
        users::{self, StoredUser},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit::{self, AuditEvent},
    auth::identity::{Caller, TokenVerifier},
    clock::Clock,
    db::{Db, Tx},
};
use serde_json::json;
use std::sync::Arc;

/// Maximum number of device tokens (proofs of earlier sign-ins) of one browser that are checked; further tokens are ignored.
pub const MAX_CHECKED_DEVICE_TOKENS: usize = 10;
/// Compile-time check: the audit text "fifth time: blocked for 180 seconds" contains these numbers, and the web app translates that
/// exact text.
const _: () = assert!(MAX_FAILED_ATTEMPTS == 5 && LOCKOUT_DURATION_MS == 180_000);

/// Input for a sign-in: a request whose fields have been checked.
pub struct SignInAttempt {
    /// Login name (HMC) of the user who signs in.
    pub hmc: Hmc,
    /// Password that the user entered, not verified yet.
    pub password: String,
    /// IP address of the client.
    pub address: String,
    /// Device tokens (proofs of earlier sign-ins) from the browser's cookie, possibly of several users; not verified yet.
    pub device_tokens: Vec<String>,
    /// Whether the client address has used up its rate limit. If so, only a browser with a device token (proof of an earlier
    /// sign-in) of this user may sign in.
    pub is_limited: bool,
    /// Browser and operating system, shown in the list of sessions.
    pub device: String,
}

/// Result of a successful sign-in.
pub struct SignInResult {
    /// Access token of the new session, with its expiry.
    pub issued_token: IssuedToken,
    /// The user who signed in.
    pub user: StoredUser,
    /// Device token for the browser to store. At a later sign-in, the token proves that this user has signed in with this browser
    /// before.
    pub device_token: String,
    /// Id of the new session.
    pub session_id: String,
    /// Key with which the user's phone encrypts vehicle saves that the phone has not sent yet.
    pub phone_key: Vec<u8>,
}

/// IP address and device from which a user signs in.
#[derive(Clone)]
struct Place {
    address: String,
    device: String,
}

/// Input for changing the caller's own password.
pub struct PasswordChangeInput {
    /// Current password that the caller entered, not verified yet.
    pub old: String,
    /// New password that the caller chose.
    pub new: String,
    /// IP address of the client.
    pub address: String,
}

/// Sign-in service: verifies passwords, issues tokens and lifts lockouts.
pub struct SignInService {
    /// Database of auth-svc.
    pub db: Db,
    /// Source of the current time.
    pub clock: Clock,
    /// Verifier of access tokens. Contains this process's copy of the public keys and the revocation list.
    pub identity: TokenVerifier,
    /// Keys for access tokens and device tokens (proofs of earlier sign-ins).
    pub keys: Arc<AuthKeys>,
    /// Verifies and hashes passwords.
    pub passwords: PasswordHasher,
    /// Lockout that decides whether a password may be verified.
    pub lockout: Lockout,
    /// Lifetime of the access tokens that this service issues.
    pub token_lifetime: TimeDelta,
    /// Time for which a signing key signs tokens before the key is rotated.
    pub signing_key_lifetime: TimeDelta,
}

/// Data for the audit entry of a failed password attempt: subject, client address, and description of the failure.
struct FailedAttempt {
    subject: String,
    address: String,
    wrong: &'static str,
}

impl SignInService {
    /// Signs a user in, or returns an error with the number of attempts left.
    ///
    /// An unknown login name (HMC) causes the same statements and hashing as a known login name, so that the response time does
    /// not reveal which login names exist.
    ///
    /// # Errors
    /// Returns `WrongCredentials`, `LockedOut`, `RateLimited`, `Busy` or a database error.
    pub async fn sign_in(&self, attempt: SignInAttempt) -> Result<SignInResult, Error> {
        // Without a device token issued by auth-svc, a rate-limited request ends here, before any database statement.
        let device_tokens: Vec<&String> =
            attempt.device_tokens.iter().take(MAX_CHECKED_DEVICE_TOKENS).filter(|mark| self.keys.is_authentic_device_token(mark)).collect();
        if attempt.is_limited && device_tokens.is_empty() {
            return Err(Error::RateLimited);
        }
        let account = self.keys.hash_login_name(&attempt.hmc.key);
        let stored = users::find_by_hmc(&self.db, &attempt.hmc.key).await?;
        let known = stored.as_ref().and_then(|user| {
            device_tokens
                .into_iter()
                .find_map(|mark| Some((mark.clone(), self.keys.verify_device_token(mark, user.id, user.token_version)?)))
        });
        if attempt.is_limited && known.is_none() {
            return Err(Error::RateLimited);
        }
        let (kept, mark) = known.unzip();
        let counter_names = sign_in_counter_names(&account, &self.keys.hash_client_address(&attempt.address), mark.as_deref());
        let failure = FailedAttempt {
            subject: stored.as_ref().map_or_else(|| format!("unknown hmc {account}"), |user| audit_subject(user.id)),
            address: attempt.address.clone(),
            wrong: "sign-in failed",
        };
        let hash = stored.as_ref().and_then(StoredUser::password_hash);
        let left = match self.verify(&counter_names, attempt.password.clone(), hash).await? {
            Compared::Right(left) => {
                let place = Place { address: attempt.address, device: attempt.device };
                let known = async |user| self.admit(self.renewed(user, attempt.password).await, place, &counter_names).await;
                if let Some(user) = stored
                    && let Some(admitted) = known(user).await?
                {
                    return Ok(SignInResult { device_token: kept.unwrap_or(admitted.device_token), ..admitted });
                }
                left
            }
            Compared::Wrong(left) => left,
        };
        Err(self.record_failure(failure, left, |left| Error::WrongCredentials { left }).await)
    }

    /// Reserves a password attempt in the lockout, then verifies the password. Returns the result with the number of attempts
    /// left.
    async fn verify(&self, counter_names: &CounterNames, password: String, hash: Option<String>) -> Result<Compared, Error> {
        self.lockout.check_attempt(counter_names).await?;
        let permit = self.passwords.acquire_permit().await?;
        let left = self.lockout.reserve_attempt(counter_names).await?;
        let right = self.passwords.verify(permit, password, hash).await?;
        Ok(if right { Compared::Right(left) } else { Compared::Wrong(left) })
    }

    /// Rehashes a verified password when its stored hash has a lower cost than the current cost. The returned flag is `true` if the
    /// password was rehashed.
    ///
    /// When hashing fails, for instance under load, the old hash stays until a later sign-in.
    async fn renewed(&self, user: StoredUser, password: String) -> (StoredUser, bool) {
        if !self.passwords.needs_rehash(&user.password_hash) {
            return (user, false);
        }
        match self.passwords.hash(password).await {
            Ok(password_hash) => (StoredUser { password_hash, ..user }, true),
            Err(cause) => {
                tracing::debug!(%cause, "failed to rehash a password, the old hash stays until a later sign-in");
                (user, false)
            }
        }
    }

    /// Stores the new session and issues its access token; returns `None` when the user was changed while the password was
    /// being verified.
    async fn admit(
        &self,
        (user, renewed): (StoredUser, bool),
        place: Place,
        counter_names: &CounterNames,
    ) -> Result<Option<SignInResult>, Error> {
        let now = self.clock.now();
        let hash = renewed.then(|| user.password_hash.clone());
        let (session, token_lifetime) = (auth_keys::generate_session_id(), self.token_lifetime);
        let session_id = session.clone();
        let (entry, settled, id, version) =
            (Self::login_event(&user, &place.address, now), counter_names.clone(), user.id, user.token_version);
        let made_at = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    let Some(made_at) = users::record_sign_in(tx, id, version, now).await? else { return Ok(None) };
                    if let Some(hash) = hash {
                        users::replace_password_hash(tx, id, &hash).await?;
                    }
                    let ends_ms = made_at + token_lifetime.num_milliseconds();
                    let begun = NewSession { id: session, user_id: id, ends_ms, device: place.device, address: place.address };
                    open_sessions::insert(tx, &begun, now).await?;
                    Lockout::release_reservation(tx, &settled, now.timestamp_millis()).await?;
                    audit::append(tx, now, Some(&entry.0), entry.1).await?;
                    Ok::<_, Error>(Some(made_at))
                })
            })
            .await?;
        let Some(made_at) = made_at else { return Ok(None) };
        self.lockout.release_reservation_in_cache(counter_names).await;
        let (session, must_change_password) = (session_id.clone(), user.must_change);
        let holder = TokenSubject { subject: id.to_string(), role: user.role(), session, must_change_password };
        let issued_token = self.keys.issue_access_token(&self.db, holder, made_at, token_lifetime).await?;
        let (mark, phone_key) = (self.keys.issue_device_token(id, version)?, self.keys.derive_pending_saves_key(id));
        Ok(Some(SignInResult {
            issued_token,
            user: StoredUser { last_login_at: Some(now), ..user },
            device_token: mark,
            session_id,
            phone_key,
        }))
    }

    fn login_event(user: &StoredUser, address: &str, now: DateTime<Utc>) -> (Caller, AuditEvent) {
        let who = Caller {
            user_id: user.id,
            role: user.role(),
            session_id: String::new(),
            issued_at: now,
            expires_at: now,
            must_change_password: false,
        };
        let event = AuditEvent {
            kind: "login",
            subject: audit_subject(user.id),
            summary: "signed in".to_owned(),
            address: address.to_owned(),
            ..AuditEvent::default()
        };
        (who, event)
    }

    /// Writes the audit entry of a failed attempt and returns the error for the caller. The error is `LockedOut` when no attempts are
    /// left, and a database error when the entry cannot be written.
    async fn record_failure(&self, failure: FailedAttempt, left: i64, wrong: impl FnOnce(i64) -> Error) -> Error {
        let now = self.clock.now();
        let (kind, summary, error) = match left {
            0 => ("lockout", format!("{}, fifth time: blocked for 180 seconds", failure.wrong), locked_out_error(LOCKOUT_DURATION_MS)),
            left => ("login-failed", format!("{}, attempts left: {left}", failure.wrong), wrong(left)),
        };
        metrics::counter!("patio_sign_in_failures_total", "kind" => kind).increment(1);
        let event = AuditEvent { kind, subject: failure.subject, summary, address: failure.address, ..AuditEvent::default() };
        match self.db.write(move |tx| Box::pin(async move { audit::append(tx, now, None, event).await })).await {
            Ok(()) => error,
            Err(cause) => Error::Database(cause),
        }
    }

    /// Changes the caller's own password and ends all of the caller's sessions.
    ///
    /// # Errors
    /// Returns `WrongCurrentPassword`, `LockedOut` after five wrong passwords, `PasswordRejected`, `Busy` or a database error.
    /// Returns `NotAllowed` when the caller is a service, and `NotSignedIn` when the user was deleted or the user's sessions have
    /// ended.
    pub async fn change_own_password(&self, caller: &Caller, change: PasswordChangeInput) -> Result<StoredUser, Error> {
        let user = users::find_by_id(&self.db, caller.signed_in_user_id().ok_or(Error::NotAllowed)?).await?.ok_or(Error::NotSignedIn)?;
        password::check_password_rules(&change.new, &user.hmc_key)?;
        if user.must_change && change.new == change.old {
            return Err(Error::PasswordRejected("The new password must differ from the one that was set for you."));
        }
        let counter_names = self.compare_own(&user, change.old, &change.address).await?;
        let changed = StoredUser { password_hash: self.passwords.hash(change.new).await?, must_change: false, ..user };
        self.replace_password(caller.clone(), changed.clone(), &counter_names, change.address).await?;
        Ok(changed)
    }

    /// Verifies the current password of a signed-in user; five wrong passwords in a row cause a lockout.
    async fn compare_own(&self, user: &StoredUser, password: String, address: &str) -> Result<CounterNames, Error> {
        let account = self.keys.hash_login_name(&user.hmc_key);
        let counter_names = password_check_counter_names(&account, &self.keys.hash_client_address(address));
        match self.verify(&counter_names, password, user.password_hash()).await? {
            Compared::Right(_) => Ok(counter_names),
            Compared::Wrong(left) => {
                let failure = FailedAttempt {
                    subject: audit_subject(user.id),
                    address: address.to_owned(),
                    wrong: "entered a wrong current password",
                };
                Err(self.record_failure(failure, left, |left| Error::WrongCurrentPassword { left }).await)
            }
        }
    }

    /// Verifies the caller's password again. Afterwards, the session may perform actions that require a recent password confirmation,
    /// until `CONFIRMATION_MAX_AGE` has passed.
    ///
    /// # Errors
    /// Returns `WrongCurrentPassword`, `LockedOut` after five wrong passwords, `Busy` or a database error. Returns `NotAllowed` when
    /// the caller is a service, and `NotSignedIn` when the user was deleted or the session has ended.
    pub async fn confirm_password(&self, caller: &Caller, password: String, address: &str) -> Result<(), Error> {
        let user = users::find_by_id(&self.db, caller.signed_in_user_id().ok_or(Error::NotAllowed)?).await?.ok_or(Error::NotSignedIn)?;
        let counter_names = self.compare_own(&user, password, address).await?;
        let (now, id, settled) = (self.clock.now(), caller.session_id.clone(), counter_names.clone());
        let noted = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    Lockout::release_reservation(tx, &settled, now.timestamp_millis()).await?;
                    open_sessions::record_password_confirmation(tx, &id, now).await
                })
            })
            .await?;
        self.lockout.release_reservation_in_cache(&counter_names).await;
        if noted { Ok(()) } else { Err(Error::NotSignedIn) }
    }

    async fn replace_password(&self, caller: Caller, user: StoredUser, counter_names: &CounterNames, address: String) -> Result<(), Error> {
        let (now, settled) = (self.clock.now(), counter_names.clone());
        let ended = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    users::acquire_users_lock(tx).await?;
                    if users::find_by_id_in_tx(tx, user.id).await?.is_none_or(|now| now.token_version != user.token_version) {
                        return Err(Error::NotSignedIn);
                    }
                    users::update(tx, &user).await?;
                    let ended = users::end_user_sessions(tx, user.id, now).await?;
                    Lockout::release_reservation(tx, &settled, now.timestamp_millis()).await?;
                    note_own_password(tx, &caller, address, now).await?;
                    Ok(ended)
                })
            })
            .await?;
        self.lockout.release_reservation_in_cache(counter_names).await;
        sessions::apply_revocation_locally(&self.identity, ended);
        Ok(())
    }

    /// Deletes the lockout counters (blocks, failed attempts, rate limits) of a user's account. Returns `true` if any were deleted.
    ///
    /// # Errors
    /// Returns `ReservedUser` for the developer account, `UserNotFound` when no user has this id, `NotAllowed` when the caller is not a
    /// supervisor, `NotSignedIn` when the caller was deleted, or a database error.
    pub async fn lift_lockout(&self, act: AdminActionContext, id: i64) -> Result<bool, Error> {
        admin_action::reject_developer_account(id)?;
        let user = users::find_by_id(&self.db, id).await?.ok_or(Error::UserNotFound(id))?;
        let account = self.keys.hash_login_name(&user.hmc_key);
        let lifted = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    admin_action::acquire_users_lock_and_check_supervisor(tx, &act).await?;
                    let lifted = Lockout::delete_counters(tx, &account, act.now.timestamp_millis()).await?;
                    if !lifted.is_empty() {
                        admin_action::write_audit_entry(tx, &act, id, "unlocked the account", [None, None]).await?;
                    }
                    Ok::<_, Error>(lifted)
                })
            })
            .await?;
        self.lockout.delete_counters_from_cache(&lifted).await;
        Ok(!lifted.is_empty())
    }
}

/// Result of verifying a password, with the number of attempts left.
enum Compared {
    Right(i64),
    Wrong(i64),
}

async fn note_own_password(tx: &mut Tx<'_>, caller: &Caller, address: String, now: DateTime<Utc>) -> Result<(), Error> {
    let event = AuditEvent {
        kind: "user-changed",
        subject: audit_subject(caller.user_id),
        summary: "changed their password".to_owned(),
        new: Some(json!({ "password": "changed" })),
        address,
        ..AuditEvent::default()
    };
    Ok(audit::append(tx, now, Some(caller), event).await?)
}
