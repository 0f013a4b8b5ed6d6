//! User administration and its rules: the reserved developer account cannot be changed, and at least one supervisor must
//! remain.
use crate::{
    admin_action::{
        AdminActionContext, acquire_users_lock_and_check_supervisor, check_recent_password_confirmation, reject_developer_account,
        write_audit_entry,
    },
    error::Error,
    hmc::Hmc,
    password::{self, PasswordHasher},
    sessions,
    store::{
        dialect,
        revocations::Revocation,
        sessions as open_sessions, user_audit_entries,
        users::{self, NewUser, StoredUser},
    },
};
use chrono::DateTime;
use patio_kit::{
    audit,
    auth::identity::{Caller, DEVELOPER_USER_ID, TokenVerifier},
    clock::Clock,
    db::{Db, Tx},
    pagination::HistoryWindow,
};
use patio_proto::{access::Role, audit::Event, role};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// User administration: lists, creates, changes, deletes and exports users.
pub struct UserAdminService {
    /// Database of auth-svc.
    pub db: Db,
    /// Source of the current time.
    pub clock: Clock,
    /// Verifier of access tokens. Contains this process's copy of the public keys and the revocation list.
    pub identity: TokenVerifier,
    /// Password hasher for the passwords of new and changed users.
    pub passwords: PasswordHasher,
    /// Comparison key of the configured login name (HMC) of the developer account. This login name is reserved even if the
    /// developer account now has another login name.
    pub developer_key: String,
}

/// Input for creating a user.
pub struct NewUserInput {
    /// Login name (HMC) of the new user.
    pub hmc: Hmc,
    /// Initial password of the new user.
    pub password: String,
    /// Role of the new user.
    pub role: Role,
    /// Whether the user has to replace the initial password after the first sign-in.
    pub must_change: bool,
}

/// Input for changing a user; fields that are `None` stay unchanged.
#[derive(Clone)]
pub struct UserChangeInput {
    /// Id of the user to change.
    pub id: i64,
    /// New login name (HMC), or `None` to leave it unchanged.
    pub hmc: Option<Hmc>,
    /// New role, or `None` to leave it unchanged.
    pub role: Option<Role>,
    /// New password, or `None` to leave it unchanged.
    pub password: Option<String>,
}

impl UserAdminService {
    /// Returns all users except the developer account, ordered by login name (HMC).
    ///
    /// # Errors
    /// Returns a database error.
    pub async fn list(&self) -> Result<Vec<StoredUser>, Error> {
        users::list_non_developer_users(&self.db).await
    }

    /// Returns audit entries of a user's account, newest first. `window` selects the page: a start position and a maximum number.
    ///
    /// # Errors
    /// Returns `UserNotFound` when no user has this id, or a database error.
    pub async fn list_user_history(&self, id: i64, window: HistoryWindow) -> Result<Vec<Event>, Error> {
        let listed = |db: Db| async move {
            users::find_by_id(&db, id).await?.ok_or(Error::UserNotFound(id))?;
            Ok::<_, Error>(audit::list_subject_history(&db, &user_audit_entries::audit_subject(id), &window).await?)
        };
        self.db.read_from_replica(listed).await
    }

    /// Returns the login name (HMC) for each of these user ids; unknown ids are left out.
    ///
    /// # Errors
    /// Returns a database error.
    pub async fn find_login_names_by_ids(&self, ids: &[i64]) -> Result<HashMap<i64, String>, Error> {
        let found = dialect::list_login_names(&self.db, &json!(ids).to_string()).await?;
        Ok(found.into_iter().collect())
    }

    /// Creates a user and returns the stored user.
    ///
    /// # Errors
    /// - `HmcTaken`, `ReservedHmc`, `PasswordRejected` or `Busy`.
    /// - `PasswordConfirmationRequired` when a supervisor is created without a recent password confirmation.
    /// - `NotAllowed` when the caller is not a supervisor, `NotSignedIn` when the caller was deleted.
    /// - A database error.
    pub async fn create(&self, act: AdminActionContext, new_user: NewUserInput) -> Result<StoredUser, Error> {
        let NewUserInput { hmc, password, role, must_change } = new_user;
        password::check_password_rules(&password, &hmc.key)?;
        self.check_not_reserved(&hmc)?;
        let password_hash = self.passwords.hash(password).await?;
        let new = NewUser { id: None, hmc, role, password_hash, must_change };
        self.db
            .write(move |tx| {
                Box::pin(async move {
                    acquire_users_lock_and_check_supervisor(tx, &act).await?;
                    check_free(tx, &new.hmc, 0).await?;
                    if new.role == Role::Admin {
                        check_recent_password_confirmation(tx, &act).await?;
                    }
                    let made = users::insert(tx, &new, act.now).await?;
                    let values = json!({ "user_type": made.role });
                    write_audit_entry(tx, &act, made.id, "created the user", [None, Some(values)]).await?;
                    Ok(made)
                })
            })
            .await
    }

    /// Changes a user and returns the changed user. Any change ends all sessions of that user.
    ///
    /// # Errors
    /// - `ReservedUser`, `OwnPassword`, `UserNotFound`, `HmcTaken`, `ReservedHmc`, `LastAdmin`, `PasswordRejected` or `Busy`.
    /// - `PasswordConfirmationRequired` when a password or the supervisor role is set without a recent password confirmation.
    /// - `NotAllowed` when the caller is not a supervisor, `NotSignedIn` when the caller was deleted.
    /// - A database error.
    pub async fn update(&self, act: AdminActionContext, change: UserChangeInput) -> Result<StoredUser, Error> {
        reject_developer_account(change.id)?;
        if change.password.is_some() && act.caller.user_id == change.id {
            return Err(Error::OwnPassword);
        }
        let known = users::find_by_id(&self.db, change.id).await?.ok_or(Error::UserNotFound(change.id))?;
        if let Some(hmc) = &change.hmc {
            self.check_not_reserved(hmc)?;
        }
        let hash = match &change.password {
            Some(password) => {
                password::check_password_rules(password, change.hmc.as_ref().map_or(&known.hmc_key, |hmc| &hmc.key))?;
                Some(self.passwords.hash(password.clone()).await?)
            }
            None => None,
        };
        let (user, ended) = self.db.write(move |tx| Box::pin(async move { apply(tx, &act, &change, hash).await })).await?;
        if let Some(ended) = ended {
            sessions::apply_revocation_locally(&self.identity, ended);
        }
        Ok(user)
    }

    /// Deletes a user and ends all sessions of that user.
    ///
    /// # Errors
    /// - `ReservedUser`, `OwnAccount`, `UserNotFound` or `LastAdmin`.
    /// - `NotAllowed` when the caller is not a supervisor, `NotSignedIn` when the caller was deleted.
    /// - A database error.
    pub async fn delete(&self, act: AdminActionContext, id: i64) -> Result<(), Error> {
        reject_developer_account(id)?;
        if act.caller.user_id == id {
            return Err(Error::OwnAccount);
        }
        let ended = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    acquire_users_lock_and_check_supervisor(tx, &act).await?;
                    let user = users::find_by_id_in_tx(tx, id).await?.ok_or(Error::UserNotFound(id))?;
                    check_not_last(tx, &user).await?;
                    let ended = users::end_user_sessions(tx, id, act.now).await?;
                    users::delete(tx, id).await?;
                    let values = json!({ "user_type": user.role });
                    write_audit_entry(tx, &act, id, "deleted the user", [Some(values), None]).await?;
                    Ok::<_, Error>(ended)
                })
            })
            .await?;
        sessions::apply_revocation_locally(&self.identity, ended);
        Ok(())
    }

    /// Returns the personal data of a user as JSON: the account, open sessions and newest audit entries.
    ///
    /// # Errors
    /// For another user's data, returns `NotAllowed` unless the caller is a supervisor, and `ReservedUser` for the developer account.
    /// Returns `UserNotFound` when no user has this id, or a database error.
    pub async fn export_personal_data(&self, caller: &Caller, id: i64) -> Result<String, Error> {
        let own = caller.user_id == id;
        if !own && caller.role != Role::Admin {
            return Err(Error::NotAllowed);
        }
        if !own {
            reject_developer_account(id)?;
        }
        let user = users::find_by_id(&self.db, id).await?.ok_or(Error::UserNotFound(id))?;
        let user = json!({
            "id": user.id, "hmc": user.hmc, "user_type": user.role,
            "created_at": user.created_at, "last_login_at": user.last_login_at,
        });
        let moment = DateTime::from_timestamp_millis;
        let open = open_sessions::list_user_sessions(&self.db, id).await?;
        let open: Value = open
            .iter()
            .map(|one| {
                json!({
                    "device": one.device, "address": one.address, "begun_at": moment(one.begun_ms), "used_at": moment(one.used_ms),
                    "ends_at": moment(one.ends_ms),
                })
            })
            .collect();
        let mut text = format!(
            "{{\"user\":{user},\"sessions\":{open},\"audit_total\":{},\"audit\":[",
            user_audit_entries::count_entries(&self.db, id).await?
        )
        .into_bytes();
        user_audit_entries::write_entries_as_json(&self.db, id, &mut text).await?;
        text.extend_from_slice(b"]}");
        String::from_utf8(text).map_err(|cause| Error::Internal(cause.to_string()))
    }

    fn check_not_reserved(&self, hmc: &Hmc) -> Result<(), Error> {
        if hmc.key == self.developer_key { Err(Error::ReservedHmc) } else { Ok(()) }
    }
}

async fn check_free(tx: &mut Tx<'_>, hmc: &Hmc, for_user: i64) -> Result<(), Error> {
    match users::find_id_by_hmc(tx, &hmc.key).await? {
        Some(DEVELOPER_USER_ID) => Err(Error::ReservedHmc),
        Some(id) if id != for_user => Err(Error::HmcTaken),
        _ => Ok(()),
    }
}

async fn check_not_last(tx: &mut Tx<'_>, user: &StoredUser) -> Result<(), Error> {
    if user.role() == Role::Admin && users::count_other_supervisors(tx, user.id).await? == 0 { Err(Error::LastAdmin) } else { Ok(()) }
}

async fn apply(
    tx: &mut Tx<'_>,
    act: &AdminActionContext,
    change: &UserChangeInput,
    hash: Option<String>,
) -> Result<(StoredUser, Option<Revocation>), Error> {
    acquire_users_lock_and_check_supervisor(tx, act).await?;
    let old = users::find_by_id_in_tx(tx, change.id).await?.ok_or(Error::UserNotFound(change.id))?;
    let makes_admin = change.role == Some(Role::Admin) && old.role() != Role::Admin;
    if makes_admin || hash.is_some() {
        check_recent_password_confirmation(tx, act).await?;
    }
    let mut new = old.clone();
    if let Some(hmc) = &change.hmc {
        check_free(tx, hmc, old.id).await?;
        (new.hmc, new.hmc_key) = (hmc.text.clone(), hmc.key.clone());
    }
    if let Some(role) = change.role {
        if role != Role::Admin {
            check_not_last(tx, &old).await?;
        }
        role::role_text(role).clone_into(&mut new.role);
    }
    if let Some(hash) = hash {
        (new.password_hash, new.must_change) = (hash, true);
    }
    let Some((before, after)) = difference(&old, &new) else { return Ok((old, None)) };
    users::update(tx, &new).await?;
    let ended = users::end_user_sessions(tx, new.id, act.now).await?;
    write_audit_entry(tx, act, new.id, "changed the user", [Some(before), Some(after)]).await?;
    Ok((new, Some(ended)))
}

/// Returns the old and new values of the changed fields for the audit entry, or `None` when nothing changed.
///
/// A changed password or login name (HMC) is recorded without the old and new value, because audit entries remain after the user
/// is deleted.
fn difference(old: &StoredUser, new: &StoredUser) -> Option<(Value, Value)> {
    let (mut before, mut after) = (Map::new(), Map::new());
    if old.role != new.role {
        before.insert("user_type".to_owned(), old.role.as_str().into());
        after.insert("user_type".to_owned(), new.role.as_str().into());
    }
    for (name, old, new) in [("hmc", &old.hmc, &new.hmc), ("password", &old.password_hash, &new.password_hash)] {
        if old != new {
            after.insert(name.to_owned(), "changed".into());
        }
    }
    (!after.is_empty()).then_some((before.into(), after.into()))
}
