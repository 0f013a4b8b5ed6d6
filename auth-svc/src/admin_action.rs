//! Shared steps of administrative actions on user accounts: the acting user, the permission checks and the audit entry.
//!
//! The actions themselves are in other modules, such as user administration (`users`).
use crate::{
    error::Error,
    store::{sessions as open_sessions, user_audit_entries, users},
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit::{self, AuditEvent},
    auth::identity::{Caller, DEVELOPER_USER_ID},
    db::Tx,
};
use patio_proto::access::Role;
use serde_json::Value;

/// Maximum time since the caller last entered the password, for administrative actions that require a recent password confirmation.
const CONFIRMATION_MAX_AGE: TimeDelta = TimeDelta::minutes(5);

/// The acting user, the time and the client's IP address of an administrative action on a user account.
#[derive(Clone)]
pub struct AdminActionContext {
    /// The signed-in user who performs the action.
    pub caller: Caller,
    /// Time of the administrative action.
    pub now: DateTime<Utc>,
    /// IP address of the client that performs the action, for the audit entry.
    pub address: String,
}

/// Locks user administration until the commit, and checks in the database that the caller is still a supervisor.
///
/// The role in the caller's access token may be outdated for a few seconds, when another replica has just processed the caller's
/// demotion.
pub(crate) async fn acquire_users_lock_and_check_supervisor(tx: &mut Tx<'_>, act: &AdminActionContext) -> Result<(), Error> {
    users::acquire_users_lock(tx).await?;
    match users::find_by_id_in_tx(tx, act.caller.user_id).await? {
        Some(user) if user.role() == Role::Admin => Ok(()),
        Some(_) => Err(Error::NotAllowed),
        None => Err(Error::NotSignedIn),
    }
}

/// Checks that the caller entered the password within the last [`CONFIRMATION_MAX_AGE`], at sign-in or to confirm an action. Returns
/// `PasswordConfirmationRequired` otherwise. The check prevents lasting damage by a stranger who finds an unlocked phone.
pub(crate) async fn check_recent_password_confirmation(tx: &mut Tx<'_>, act: &AdminActionContext) -> Result<(), Error> {
    let is_confirmed =
        open_sessions::is_password_confirmed(tx, &act.caller.session_id, CONFIRMATION_MAX_AGE.num_milliseconds(), act.now).await?;
    if is_confirmed { Ok(()) } else { Err(Error::PasswordConfirmationRequired) }
}

/// Rejects the id of the reserved developer account with `ReservedUser`. Administrative actions must not change this account.
pub(crate) fn reject_developer_account(id: i64) -> Result<(), Error> {
    if id == DEVELOPER_USER_ID { Err(Error::ReservedUser) } else { Ok(()) }
}

/// Appends an audit entry for an administrative action on a user, with the old and new values.
pub(crate) async fn write_audit_entry(
    tx: &mut Tx<'_>,
    act: &AdminActionContext,
    id: i64,
    summary: &str,
    [old, new]: [Option<Value>; 2],
) -> Result<(), Error> {
    let event = AuditEvent {
        kind: "user-changed",
        subject: user_audit_entries::audit_subject(id),
        summary: summary.to_owned(),
        old,
        new,
        address: act.address.clone(),
    };
    Ok(audit::append(tx, act.now, Some(&act.caller), event).await?)
}
