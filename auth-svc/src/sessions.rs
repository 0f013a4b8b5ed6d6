//! Ending sessions, at once here and within a second elsewhere.
use crate::{
    error::Error,
    store::{
        export::subject,
        revocations::{self, Revocation},
    },
};
use chrono::TimeDelta;
use patio_kit::{
    audit::{self, Event},
    clock::Clock,
    db::Db,
    identity::{Caller, Identity},
};

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
                let kept = revocations::keep(tx, revocation).await?;
                audit::append(tx, now, Some(&caller), event).await?;
                Ok::<_, Error>(kept)
            })
        })
        .await?;
    forget_here(identity, kept);
    Ok(())
}
