//! Ending sessions, at once here and within a second elsewhere.
use crate::{
    error::Error,
    store::{
        export::subject,
        revocations::{self, Revocation},
        sessions::{self, Open},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit::{self, Event},
    clock::Clock,
    db::{Db, Tx},
    identity::{Caller, Identity, USE_TOLD_EVERY},
};
use patio_proto::role;

/// How long a session may be unused.
pub const UNUSED: TimeDelta = TimeDelta::hours(4);

/// How much longer than its token a revocation is kept, for clocks that differ.
const MARGIN: TimeDelta = TimeDelta::hours(1);

/// Makes this process refuse the tokens with the next call.
///
/// The sequence number is left out: a revocation with a lower number that another replica committed
/// a moment ago may not have been asked for yet, and would be passed over.
pub fn forget_here(identity: &Identity, revocation: Revocation) {
    identity.revoke(&[Revocation { sequence: 0, ..revocation }.wire()]);
}

/// Ends the session a call is made with.
///
/// # Errors
/// Those of the database.
pub async fn sign_out(db: &Db, clock: &Clock, identity: &Identity, caller: Caller, address: String) -> Result<(), Error> {
    let user_id = caller.person().ok_or(Error::NotAllowed)?;
    let now = clock.now();
    let revocation = Revocation {
        sequence: 0,
        session_id: caller.session_id.clone(),
        user_id,
        issued_until: now,
        forget_at: caller.expires_at + MARGIN,
    };
    let event = Event { kind: "logout", subject: subject(user_id), summary: "signed out".to_owned(), address, ..Event::default() };
    let kept = db
        .write(move |tx| {
            Box::pin(async move {
                sessions::end(tx, &revocation.session_id).await?;
                let kept = revocations::keep(tx, revocation).await?;
                audit::append(tx, now, Some(&caller), event).await?;
                Ok::<_, Error>(kept)
            })
        })
        .await?;
    forget_here(identity, kept);
    Ok(())
}

/// Looks whether a caller's session was begun here by this user in this role, and has not ended.
///
/// # Errors
/// `NotSignedIn` when it was not: such a token was signed with a stolen key, and its session is ended everywhere. Those of
/// the database.
pub async fn confirm(db: &Db, clock: &Clock, identity: &Identity, caller: Caller, address: String) -> Result<(), Error> {
    let user_id = caller.person().ok_or(Error::NotAllowed)?;
    let begun = sessions::holder(db, &caller.session_id).await?;
    if begun.is_some_and(|(holder, role)| holder == user_id && role == role::text(caller.role)) {
        return Ok(());
    }
    tracing::warn!(user_id, "a token names a session that this user did not begin; a signing key may be stolen");
    metrics::counter!("patio_unknown_sessions_total").increment(1);
    let now = clock.now();
    let forget_at = caller.expires_at + MARGIN;
    let revocation = Revocation { sequence: 0, session_id: caller.session_id, user_id, issued_until: now, forget_at };
    let summary = "refused a token of a session that was not begun".to_owned();
    let event = Event { kind: "refused", subject: subject(user_id), summary, address, ..Event::default() };
    let kept = db
        .write(move |tx| {
            Box::pin(async move {
                audit::append(tx, now, None, event).await?;
                revocations::keep(tx, revocation).await
            })
        })
        .await?;
    forget_here(identity, kept);
    Err(Error::NotSignedIn)
}

/// Notes that sessions were used, as a process tells it at most every few minutes for each.
///
/// # Errors
/// Those of the database.
pub async fn note_used(db: &Db, clock: &Clock, ids: Vec<String>) -> Result<(), Error> {
    let now = clock.now();
    db.write(move |tx| Box::pin(async move { sessions::note_used(tx, &ids, now).await })).await
}

/// Ends the sessions that nobody has used for [`UNUSED`].
///
/// Use is told with a delay, which they are given on top: none ends early.
///
/// # Errors
/// Those of the database.
pub async fn end_unused(db: &Db, clock: &Clock, identity: &Identity) -> Result<(), Error> {
    let now = clock.now();
    let ended = db.write(move |tx| Box::pin(async move { end_each(tx, now).await })).await?;
    for revocation in ended {
        forget_here(identity, revocation);
    }
    Ok(())
}

async fn end_each(tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<Vec<Revocation>, Error> {
    let mut ended = Vec::new();
    for Open { id, user_id, ends_ms, .. } in sessions::end_unused(tx, (UNUSED + USE_TOLD_EVERY).num_milliseconds(), now).await? {
        let forget_at = DateTime::from_timestamp_millis(ends_ms).unwrap_or(now) + MARGIN;
        let revocation = Revocation { sequence: 0, session_id: id, user_id, issued_until: now, forget_at };
        ended.push(revocations::keep(tx, revocation).await?);
        let summary = "a session ended after four hours without use".to_owned();
        audit::append(tx, now, None, Event { kind: "logout", subject: subject(user_id), summary, ..Event::default() }).await?;
    }
    Ok(ended)
}
