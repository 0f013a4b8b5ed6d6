//! Listing and ending sessions. The tokens of an ended session are rejected at once in this process and within seconds in other
//! processes.
use crate::{
    admin_action::{AdminActionContext, reject_developer_account},
    error::Error,
    store::{
        revocations::{self, Revocation},
        sessions::{self, StoredSession},
        user_audit_entries::audit_subject,
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit::{self, AuditEvent},
    auth::identity::{ACTIVITY_REPORT_INTERVAL, Caller, TokenVerifier},
    clock::Clock,
    db::{Db, Tx},
};
use patio_proto::{access::Role, role};

/// Idle timeout: time without use after which a session ends.
pub const IDLE_TIMEOUT: TimeDelta = TimeDelta::hours(4);

/// Extra time for which a revocation is stored after the revoked token has expired, to allow for clock differences.
const REVOCATION_MARGIN: TimeDelta = TimeDelta::hours(1);

/// Applies a revocation in this process at once, before the next poll of the revocation list.
///
/// The revocation is added with the sequence number 0. With the real number, the next poll would skip revocations with lower numbers
/// that this process has not fetched yet, because a poll fetches only numbers above the highest known number.
pub fn apply_revocation_locally(identity: &TokenVerifier, revocation: Revocation) {
    identity.add_revocations(&[Revocation { sequence: 0, ..revocation }.to_proto()]);
}

/// Ends the caller's session.
///
/// # Errors
/// Returns `NotAllowed` when the caller is a service, or a database error.
pub async fn sign_out(db: &Db, clock: &Clock, identity: &TokenVerifier, caller: Caller, address: String) -> Result<(), Error> {
    let user_id = caller.signed_in_user_id().ok_or(Error::NotAllowed)?;
    let now = clock.now();
    let revocation = Revocation {
        sequence: 0,
        session_id: caller.session_id.clone(),
        user_id,
        issued_before: now,
        expires_at: caller.expires_at + REVOCATION_MARGIN,
        unused: false,
    };
    let event =
        AuditEvent { kind: "logout", subject: audit_subject(user_id), summary: "signed out".to_owned(), address, ..AuditEvent::default() };
    let kept = db
        .write(move |tx| {
            Box::pin(async move {
                sessions::delete(tx, &revocation.session_id).await?;
                let kept = revocations::insert(tx, revocation).await?;
                audit::append(tx, now, Some(&caller), event).await?;
                Ok::<_, Error>(kept)
            })
        })
        .await?;
    apply_revocation_locally(identity, kept);
    Ok(())
}

/// Checks that the caller's session is open in the database, with the user and the role that the caller's token names.
///
/// # Errors
/// Returns `NotSignedIn` when the database has no session with this id, user and role. The token may then be signed with a stolen
/// key, so its session id is revoked, and every service rejects the token. Returns `NotAllowed` when the caller is a service, or a
/// database error when a statement fails.
pub async fn confirm_session(db: &Db, clock: &Clock, identity: &TokenVerifier, caller: Caller, address: String) -> Result<(), Error> {
    let user_id = caller.signed_in_user_id().ok_or(Error::NotAllowed)?;
    let begun = sessions::find_session_user(db, &caller.session_id).await?;
    if begun.is_some_and(|(holder, role)| holder == user_id && role == role::role_text(caller.role)) {
        return Ok(());
    }
    tracing::warn!(user_id, "token rejected: the signature is valid, but the database has no such session; a signing key may be stolen");
    metrics::counter!("patio_unknown_sessions_total").increment(1);
    let now = clock.now();
    let expires_at = caller.expires_at + REVOCATION_MARGIN;
    let revocation = Revocation { sequence: 0, session_id: caller.session_id, user_id, issued_before: now, expires_at, unused: false };
    let summary = "rejected a token of a session that was never started".to_owned();
    let event = AuditEvent { kind: "refused", subject: audit_subject(user_id), summary, address, ..AuditEvent::default() };
    let kept = db
        .write(move |tx| {
            Box::pin(async move {
                audit::append(tx, now, None, event).await?;
                revocations::insert(tx, revocation).await
            })
        })
        .await?;
    apply_revocation_locally(identity, kept);
    Err(Error::NotSignedIn)
}

/// Sessions of a user to end: one session, or all sessions except the caller's.
pub enum SessionsToEnd {
    /// Only the session with this id.
    One(String),
    /// All sessions of the user except the session of the caller.
    Others,
}

/// Returns the open sessions of a user, most recently used first.
///
/// # Errors
/// For another user's sessions, returns `NotAllowed` unless the caller is a supervisor, and `ReservedUser` for the developer account.
/// Returns a database error when the statement fails.
pub async fn list(db: &Db, caller: &Caller, user_id: i64) -> Result<Vec<StoredSession>, Error> {
    check_may(caller, user_id)?;
    sessions::list_user_sessions(db, user_id).await
}

/// Ends sessions of a user and returns the number of ended sessions.
///
/// # Errors
/// - `NotAllowed` for the sessions of another user, unless the caller is a supervisor.
/// - `ReservedUser` for the developer account, unless this account is the caller.
/// - `SessionNotFound` when the session has ended or belongs to another user.
/// - A database error.
pub async fn end_sessions(
    db: &Db,
    identity: &TokenVerifier,
    act: AdminActionContext,
    user_id: i64,
    which: SessionsToEnd,
) -> Result<usize, Error> {
    check_may(&act.caller, user_id)?;
    let ended = db
        .write(move |tx| {
            Box::pin(async move {
                let own = sessions::list_user_session_ids(tx, user_id).await?;
                let due: Vec<String> = match which {
                    SessionsToEnd::One(id) if own.contains(&id) => vec![id],
                    SessionsToEnd::One(_) => return Err(Error::SessionNotFound),
                    SessionsToEnd::Others => own.into_iter().filter(|id| *id != act.caller.session_id).collect(),
                };
                let summary = if due.len() == 1 { "ended a session".to_owned() } else { format!("ended {} sessions", due.len()) };
                let ended = delete_sessions(tx, due, act.now).await?;
                if !ended.is_empty() {
                    let event = AuditEvent {
                        kind: "logout",
                        subject: audit_subject(user_id),
                        summary,
                        address: act.address,
                        ..AuditEvent::default()
                    };
                    audit::append(tx, act.now, Some(&act.caller), event).await?;
                }
                Ok(ended)
            })
        })
        .await?;
    Ok(revoke_all_locally(identity, ended))
}

/// Ends the sessions of users who signed out while their phones were offline. Ids of sessions that are not open are ignored.
///
/// # Errors
/// Returns a database error.
pub async fn end_sessions_after_offline_sign_out(
    db: &Db,
    clock: &Clock,
    identity: &TokenVerifier,
    ids: Vec<String>,
    address: String,
) -> Result<(), Error> {
    let now = clock.now();
    let ended = db
        .write(move |tx| {
            Box::pin(async move {
                let ended = delete_sessions(tx, ids, now).await?;
                for revocation in &ended {
                    let summary = "signed out earlier, while offline".to_owned();
                    let event = AuditEvent {
                        kind: "logout",
                        subject: audit_subject(revocation.user_id),
                        summary,
                        address: address.clone(),
                        ..AuditEvent::default()
                    };
                    audit::append(tx, now, None, event).await?;
                }
                Ok::<_, Error>(ended)
            })
        })
        .await?;
    revoke_all_locally(identity, ended);
    Ok(())
}

async fn delete_sessions(tx: &mut Tx<'_>, ids: Vec<String>, now: DateTime<Utc>) -> Result<Vec<Revocation>, Error> {
    let mut ended = Vec::new();
    for id in ids {
        let Some(StoredSession { id, user_id, ends_ms, .. }) = sessions::delete(tx, &id).await? else { continue };
        let expires_at = DateTime::from_timestamp_millis(ends_ms).unwrap_or(now) + REVOCATION_MARGIN;
        let revocation = Revocation { sequence: 0, session_id: id, user_id, issued_before: now, expires_at, unused: false };
        ended.push(revocations::insert(tx, revocation).await?);
    }
    Ok(ended)
}

fn revoke_all_locally(identity: &TokenVerifier, ended: Vec<Revocation>) -> usize {
    let count = ended.len();
    for revocation in ended {
        apply_revocation_locally(identity, revocation);
    }
    count
}

/// Checks that the caller may manage the sessions of a user. Users may manage their own sessions, and supervisors those of all users
/// except the developer account.
fn check_may(caller: &Caller, user_id: i64) -> Result<(), Error> {
    if caller.signed_in_user_id() == Some(user_id) {
        return Ok(());
    }
    if caller.role != Role::Admin {
        return Err(Error::NotAllowed);
    }
    reject_developer_account(user_id)
}

/// Records that sessions were used just now. Each process reports the use of a session at most once every few minutes, so the recorded
/// time may be outdated by this interval.
///
/// # Errors
/// Returns a database error.
pub async fn record_session_activity(db: &Db, clock: &Clock, ids: Vec<String>) -> Result<(), Error> {
    let now = clock.now();
    db.write(move |tx| Box::pin(async move { sessions::record_session_activity(tx, &ids, now).await })).await
}

/// Ends the sessions that were idle for longer than the idle timeout.
///
/// The recorded time of last use may be outdated by the interval of activity reports. The idle timeout is therefore extended by this
/// interval, so that no session in use ends early.
///
/// # Errors
/// Returns a database error.
pub async fn end_idle_sessions(db: &Db, clock: &Clock, identity: &TokenVerifier) -> Result<(), Error> {
    let now = clock.now();
    let ended = db.write(move |tx| Box::pin(async move { end_each(tx, now).await })).await?;
    for revocation in ended {
        apply_revocation_locally(identity, revocation);
    }
    Ok(())
}

async fn end_each(tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<Vec<Revocation>, Error> {
    let mut ended = Vec::new();
    for StoredSession { id, user_id, ends_ms, .. } in
        sessions::delete_expired_and_idle_sessions(tx, (IDLE_TIMEOUT + ACTIVITY_REPORT_INTERVAL).num_milliseconds(), now).await?
    {
        let expires_at = DateTime::from_timestamp_millis(ends_ms).unwrap_or(now) + REVOCATION_MARGIN;
        let revocation = Revocation { sequence: 0, session_id: id, user_id, issued_before: now, expires_at, unused: true };
        ended.push(revocations::insert(tx, revocation).await?);
        let summary = "session expired after 4 hours of inactivity".to_owned();
        audit::append(tx, now, None, AuditEvent { kind: "logout", subject: audit_subject(user_id), summary, ..AuditEvent::default() })
            .await?;
    }
    Ok(ended)
}
