//! The people.
use super::{
    revocations::{self, Revocation},
    sessions,
};
use crate::{config::LONGEST_TOKEN_HOURS, error::Error, hmc::Hmc};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    clock,
    db::{Db, Tx},
    identity::DEVELOPER,
    on,
};
use patio_proto::{access::Role, auth as pb, role};
use sqlx::{FromRow, query, query_as, query_scalar};

/// A user as stored.
#[derive(Debug, Clone, FromRow)]
pub struct Stored {
    /// Never used again.
    pub id: i64,
    /// As shown.
    pub hmc: String,
    /// As compared.
    pub hmc_key: String,
    /// `op`, `tm` or `admin`.
    pub role: String,
    /// Empty when nobody can sign in with it.
    pub password_hash: String,
    /// Raised when all sessions end.
    pub token_version: i64,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// The last sign-in.
    pub last_login_at: Option<DateTime<Utc>>,
}

impl Stored {
    /// The role of the contract.
    #[must_use]
    pub fn role(&self) -> Role {
        role::parse(&self.role).unwrap_or_default()
    }

    /// The hash a password is compared with; none when nobody can sign in.
    #[must_use]
    pub fn hash(&self) -> Option<String> {
        Some(self.password_hash.clone()).filter(|hash| !hash.is_empty())
    }

    /// As the contract carries it.
    #[must_use]
    pub fn wire(self) -> pb::User {
        pb::User {
            id: self.id,
            role: self.role().into(),
            hmc: self.hmc,
            created_at: Some(clock::timestamp(self.created_at)),
            last_login_at: self.last_login_at.map(clock::timestamp),
            developer: self.id == DEVELOPER,
        }
    }
}

/// A user to be made.
pub struct New {
    /// Given by hand for the first two, else the next one.
    pub id: Option<i64>,
    /// As shown and as compared.
    pub hmc: Hmc,
    /// `Operator`, `Manager` or `Admin`.
    pub role: Role,
    /// May be empty.
    pub password_hash: String,
}

/// The user with that hmc.
pub async fn by_hmc(db: &Db, key: &str) -> Result<Option<Stored>, Error> {
    let found = on!(db.read(), c => query_as(
        "select id, hmc, hmc_key, role, password_hash, token_version, created_at, last_login_at from users where hmc_key = $1")
        .bind(key).fetch_optional(c).await)?;
    Ok(found)
}

/// The user with that id.
pub async fn by_id(db: &Db, id: i64) -> Result<Option<Stored>, Error> {
    let found = on!(db.read(), c => query_as(
        "select id, hmc, hmc_key, role, password_hash, token_version, created_at, last_login_at from users where id = $1")
        .bind(id).fetch_optional(c).await)?;
    Ok(found)
}

/// The user with that id, as this transaction sees it.
pub async fn current(tx: &mut Tx<'_>, id: i64) -> Result<Option<Stored>, Error> {
    let found = on!(tx.on(), c => query_as(
        "select id, hmc, hmc_key, role, password_hash, token_version, created_at, last_login_at from users where id = $1")
        .bind(id).fetch_optional(c).await)?;
    Ok(found)
}

/// All users but the developer, by hmc.
pub async fn all(db: &Db) -> Result<Vec<Stored>, Error> {
    let found = on!(db.read(), c => query_as(
        "select id, hmc, hmc_key, role, password_hash, token_version, created_at, last_login_at
           from users where id <> $1 order by hmc_key")
        .bind(DEVELOPER).fetch_all(c).await)?;
    Ok(found)
}

/// Whether there are users at all.
pub async fn any(db: &Db) -> Result<bool, Error> {
    let count: i64 = on!(db.read(), c => query_scalar("select count(*) from users").fetch_one(c).await)?;
    Ok(count > 0)
}

/// Lets only one transaction at a time change who there is, so that rules about all users hold.
///
/// On `PostgreSQL` the raised row stays locked until the commit; `SQLite` has one writer anyway.
pub async fn lock(tx: &mut Tx<'_>) -> Result<(), Error> {
    on!(tx.on(), c => query("update counters set value = value + 1 where name = 'people'").execute(c).await.map(drop))?;
    Ok(())
}

/// Who has an hmc now, as this transaction sees it.
pub async fn holder(tx: &mut Tx<'_>, key: &str) -> Result<Option<i64>, Error> {
    let found = on!(tx.on(), c => query_scalar("select id from users where hmc_key = $1").bind(key).fetch_optional(c).await)?;
    Ok(found)
}

/// How many supervisors there are beside one user and the developer, as this transaction sees it.
pub async fn other_admins(tx: &mut Tx<'_>, id: i64) -> Result<i64, Error> {
    let count = on!(tx.on(), c => query_scalar("select count(*) from users where role = 'admin' and id <> $1 and id <> $2")
        .bind(id).bind(DEVELOPER).fetch_one(c).await)?;
    Ok(count)
}

/// Makes a user.
pub async fn insert(tx: &mut Tx<'_>, new: &New, at: DateTime<Utc>) -> Result<Stored, Error> {
    let role = role::text(new.role);
    let made = match new.id {
        Some(id) => on!(tx.on(), c => query_as(
            "insert into users (id, hmc, hmc_key, role, password_hash, token_version, newest_ms, created_at)
             values ($1, $2, $3, $4, $5, 1, 0, $6)
             returning id, hmc, hmc_key, role, password_hash, token_version, created_at, last_login_at")
            .bind(id).bind(&new.hmc.text).bind(&new.hmc.key).bind(role).bind(&new.password_hash).bind(at).fetch_one(c).await),
        None => on!(tx.on(), c => query_as(
            "insert into users (hmc, hmc_key, role, password_hash, token_version, newest_ms, created_at)
             values ($1, $2, $3, $4, 1, 0, $5)
             returning id, hmc, hmc_key, role, password_hash, token_version, created_at, last_login_at")
            .bind(&new.hmc.text).bind(&new.hmc.key).bind(role).bind(&new.password_hash).bind(at).fetch_one(c).await),
    };
    Ok(made?)
}

/// Writes what may change of a user.
pub async fn update(tx: &mut Tx<'_>, user: &Stored) -> Result<(), Error> {
    on!(tx.on(), c => query("update users set hmc = $2, hmc_key = $3, role = $4, password_hash = $5 where id = $1")
        .bind(user.id).bind(&user.hmc).bind(&user.hmc_key).bind(&user.role).bind(&user.password_hash)
        .execute(c).await.map(drop))?;
    Ok(())
}

/// The hashes of all passwords.
pub async fn hashes(db: &Db) -> Result<Vec<String>, Error> {
    let hashes = on!(db.read(), c => query_scalar("select password_hash from users where password_hash <> ''").fetch_all(c).await)?;
    Ok(hashes)
}

/// Gives a password to a user that has none; false when it has one.
pub async fn set_missing_password(tx: &mut Tx<'_>, id: i64, hash: &str) -> Result<bool, Error> {
    let changed = on!(tx.on(), c => query("update users set password_hash = $2 where id = $1 and password_hash = ''")
        .bind(id).bind(hash).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Replaces the hash of a password by a dearer one of the same password; no session ends.
pub async fn renew_hash(tx: &mut Tx<'_>, id: i64, hash: &str) -> Result<(), Error> {
    on!(tx.on(), c => query("update users set password_hash = $2 where id = $1").bind(id).bind(hash).execute(c).await.map(drop))?;
    Ok(())
}

/// Removes a user.
pub async fn delete(tx: &mut Tx<'_>, id: i64) -> Result<(), Error> {
    on!(tx.on(), c => query("delete from users where id = $1").bind(id).execute(c).await.map(drop))?;
    Ok(())
}

/// Notes a sign-in and returns the moment in milliseconds its token is made at; none when the
/// person has been changed since `token_version` was read, and so the password may be another.
///
/// That moment is never before the newest one given out, so it is after every revocation so far,
/// even within the same millisecond and whatever the clocks of replicas say.
pub async fn signed_in(tx: &mut Tx<'_>, id: i64, token_version: i64, now: DateTime<Utc>) -> Result<Option<i64>, Error> {
    let made_at = on!(tx.on(), c => query_scalar(
        "update users set last_login_at = $3, newest_ms = case when newest_ms > $4 then newest_ms else $4 end
          where id = $1 and token_version = $2 returning newest_ms")
        .bind(id).bind(token_version).bind(now).bind(now.timestamp_millis()).fetch_optional(c).await)?;
    Ok(made_at)
}

/// Ends all sessions of a person: tokens made up to now are dead, those made from now on are not.
pub async fn end_sessions(tx: &mut Tx<'_>, id: i64, now: DateTime<Utc>) -> Result<Revocation, Error> {
    let until: i64 = on!(tx.on(), c => query_scalar(
        "update users set token_version = token_version + 1,
                newest_ms = case when newest_ms > $2 then newest_ms + 1 else $2 + 1 end
          where id = $1 returning newest_ms - 1")
        .bind(id).bind(now.timestamp_millis()).fetch_one(c).await)?;
    sessions::end_all(tx, id).await?;
    let issued_until = DateTime::from_timestamp_millis(until).unwrap_or(now);
    // An hour more than any token lives, for clocks that differ.
    let forget_at = issued_until.max(now) + TimeDelta::hours(LONGEST_TOKEN_HOURS + 1);
    revocations::keep(tx, Revocation { sequence: 0, session_id: String::new(), user_id: id, issued_until, forget_at }).await
}
