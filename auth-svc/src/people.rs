//! The rules of who may be what: nobody touches user 1, and one supervisor always stays.
use crate::{
    error::Error,
    hmc::Hmc,
    password::{self, Passwords},
    sessions,
    store::{
        dialect, export,
        revocations::Revocation,
        sessions as open_sessions,
        users::{self, New, Stored},
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, Event},
    clock::Clock,
    db::{Db, Tx},
    identity::{Caller, DEVELOPER, Identity},
};
use patio_proto::{access::Role, role};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The people and who they are to each other.
pub struct People {
    /// Where they are kept.
    pub db: Db,
    /// The time.
    pub clock: Clock,
    /// What this process believes of tokens.
    pub identity: Identity,
    /// Makes hashes.
    pub passwords: Passwords,
    /// The configured developer code, reserved even where user 1 has another one.
    pub developer_key: String,
}

/// Who does something to somebody, when, and from where.
#[derive(Clone)]
pub struct Act {
    /// Who.
    pub caller: Caller,
    /// When.
    pub now: DateTime<Utc>,
    /// From where.
    pub address: String,
}

/// What is to change of a user; what is none stays.
#[derive(Clone)]
pub struct Change {
    /// Whom.
    pub id: i64,
    /// A new hmc.
    pub hmc: Option<Hmc>,
    /// A new role.
    pub role: Option<Role>,
    /// A new password.
    pub password: Option<String>,
}

impl People {
    /// All users but the developer.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn list(&self) -> Result<Vec<Stored>, Error> {
        users::all(&self.db).await
    }

    /// The hmc of each id that exists.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn names(&self, ids: &[i64]) -> Result<HashMap<i64, String>, Error> {
        let found = dialect::names(&self.db, &json!(ids).to_string()).await?;
        Ok(found.into_iter().collect())
    }

    /// Makes a user.
    ///
    /// # Errors
    /// `HmcTaken`, `ReservedHmc`, `BadPassword`, and those of the database.
    pub async fn create(&self, act: Act, hmc: Hmc, password: String, role: Role) -> Result<Stored, Error> {
        password::check(&password, &hmc.key)?;
        self.check_not_reserved(&hmc)?;
        let password_hash = self.passwords.hash(password).await?;
        let new = New { id: None, hmc, role, password_hash };
        self.db
            .write(move |tx| {
                Box::pin(async move {
                    begin(tx, &act).await?;
                    check_free(tx, &new.hmc, 0).await?;
                    let made = users::insert(tx, &new, act.now).await?;
                    let values = json!({ "user_type": made.role });
                    note(tx, &act, made.id, "created the user", [None, Some(values)]).await?;
                    Ok(made)
                })
            })
            .await
    }

    /// Changes a user; a change ends that person's sessions.
    ///
    /// # Errors
    /// `ReservedUser`, `OwnPassword`, `NoUser`, `HmcTaken`, `ReservedHmc`, `LastAdmin`, `BadPassword`, and those of the
    /// database.
    pub async fn update(&self, act: Act, change: Change) -> Result<Stored, Error> {
        check_touchable(change.id)?;
        if change.password.is_some() && act.caller.user_id == change.id {
            return Err(Error::OwnPassword);
        }
        let known = users::by_id(&self.db, change.id).await?.ok_or(Error::NoUser(change.id))?;
        if let Some(hmc) = &change.hmc {
            self.check_not_reserved(hmc)?;
        }
        let hash = match &change.password {
            Some(password) => {
                password::check(password, change.hmc.as_ref().map_or(&known.hmc_key, |hmc| &hmc.key))?;
                Some(self.passwords.hash(password.clone()).await?)
            }
            None => None,
        };
        let (user, ended) = self.db.write(move |tx| Box::pin(async move { apply(tx, &act, &change, hash).await })).await?;
        if let Some(ended) = ended {
            sessions::forget_here(&self.identity, ended);
        }
        Ok(user)
    }

    /// Deletes a user and ends that person's sessions.
    ///
    /// # Errors
    /// `ReservedUser`, `OwnAccount`, `NoUser`, `LastAdmin`, and those of the database.
    pub async fn delete(&self, act: Act, id: i64) -> Result<(), Error> {
        check_touchable(id)?;
        if act.caller.user_id == id {
            return Err(Error::OwnAccount);
        }
        let ended = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    begin(tx, &act).await?;
                    let user = users::current(tx, id).await?.ok_or(Error::NoUser(id))?;
                    check_not_last(tx, &user).await?;
                    let ended = users::end_sessions(tx, id, act.now).await?;
                    users::delete(tx, id).await?;
                    let values = json!({ "user_type": user.role });
                    note(tx, &act, id, "deleted the user", [Some(values), None]).await?;
                    Ok::<_, Error>(ended)
                })
            })
            .await?;
        sessions::forget_here(&self.identity, ended);
        Ok(())
    }

    /// Everything held about a person, as JSON; only one's own unless one is a supervisor.
    ///
    /// # Errors
    /// `NotAllowed`, `ReservedUser`, `NoUser`, and those of the database.
    pub async fn export(&self, caller: &Caller, id: i64) -> Result<String, Error> {
        let own = caller.user_id == id;
        if !own && caller.role != Role::Admin {
            return Err(Error::NotAllowed);
        }
        if !own {
            check_touchable(id)?;
        }
        let user = users::by_id(&self.db, id).await?.ok_or(Error::NoUser(id))?;
        let user = json!({
            "id": user.id, "hmc": user.hmc, "user_type": user.role,
            "created_at": user.created_at, "last_login_at": user.last_login_at,
        });
        let moment = DateTime::from_timestamp_millis;
        let open = open_sessions::of(&self.db, id).await?;
        let open: Value = open.iter().map(|one| json!({ "used_at": moment(one.used_ms), "ends_at": moment(one.ends_ms) })).collect();
        let mut text = format!("{{\"user\":{user},\"sessions\":{open},\"audit_total\":{},\"audit\":[", export::count(&self.db, id).await?)
            .into_bytes();
        export::write_entries(&self.db, id, &mut text).await?;
        text.extend_from_slice(b"]}");
        String::from_utf8(text).map_err(|cause| Error::Broken(cause.to_string()))
    }

    fn check_not_reserved(&self, hmc: &Hmc) -> Result<(), Error> {
        if hmc.key == self.developer_key { Err(Error::ReservedHmc) } else { Ok(()) }
    }
}

/// Takes the lock under which rules about all users hold, and makes sure that the caller still may:
/// a token can be believed for a moment after its owner was demoted on another replica.
pub(crate) async fn begin(tx: &mut Tx<'_>, act: &Act) -> Result<(), Error> {
    users::lock(tx).await?;
    match users::current(tx, act.caller.user_id).await? {
        Some(user) if user.role() == Role::Admin => Ok(()),
        Some(_) => Err(Error::NotAllowed),
        None => Err(Error::NotSignedIn),
    }
}

pub(crate) fn check_touchable(id: i64) -> Result<(), Error> {
    if id == DEVELOPER { Err(Error::ReservedUser) } else { Ok(()) }
}

async fn check_free(tx: &mut Tx<'_>, hmc: &Hmc, for_user: i64) -> Result<(), Error> {
    match users::holder(tx, &hmc.key).await? {
        Some(DEVELOPER) => Err(Error::ReservedHmc),
        Some(id) if id != for_user => Err(Error::HmcTaken),
        _ => Ok(()),
    }
}

async fn check_not_last(tx: &mut Tx<'_>, user: &Stored) -> Result<(), Error> {
    if user.role() == Role::Admin && users::other_admins(tx, user.id).await? == 0 { Err(Error::LastAdmin) } else { Ok(()) }
}

async fn apply(tx: &mut Tx<'_>, act: &Act, change: &Change, hash: Option<String>) -> Result<(Stored, Option<Revocation>), Error> {
    begin(tx, act).await?;
    let old = users::current(tx, change.id).await?.ok_or(Error::NoUser(change.id))?;
    let mut new = old.clone();
    if let Some(hmc) = &change.hmc {
        check_free(tx, hmc, old.id).await?;
        (new.hmc, new.hmc_key) = (hmc.text.clone(), hmc.key.clone());
    }
    if let Some(role) = change.role {
        if role != Role::Admin {
            check_not_last(tx, &old).await?;
        }
        role::text(role).clone_into(&mut new.role);
    }
    if let Some(hash) = hash {
        new.password_hash = hash;
    }
    let Some((before, after)) = difference(&old, &new) else { return Ok((old, None)) };
    users::update(tx, &new).await?;
    let ended = users::end_sessions(tx, new.id, act.now).await?;
    note(tx, act, new.id, "changed the user", [Some(before), Some(after)]).await?;
    Ok((new, Some(ended)))
}

/// The fields that differ, old and new; of a password only that it changed, and of an hmc too:
/// entries outlive the person, and whoever reads them finds the hmc by the id as long as there is one.
fn difference(old: &Stored, new: &Stored) -> Option<(Value, Value)> {
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

pub(crate) async fn note(tx: &mut Tx<'_>, act: &Act, id: i64, summary: &str, [old, new]: [Option<Value>; 2]) -> Result<(), Error> {
    let event =
        Event { kind: "user-changed", subject: export::subject(id), summary: summary.to_owned(), old, new, address: act.address.clone() };
    Ok(audit::append(tx, act.now, Some(&act.caller), event).await?)
}
