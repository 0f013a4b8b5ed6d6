//! SQL statements that read and change users, and that end all sessions of a user.
use crate::{
    config::MAX_TOKEN_LIFETIME_HOURS,
    error::Error,
    hmc::Hmc,
    store::{
        revocations::{self, Revocation},
        sessions,
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    auth::identity::DEVELOPER_USER_ID,
    clock,
    db::{Db, Tx},
    on,
};
use patio_proto::{access::Role, auth as pb, role};
use sqlx::{FromRow, query, query_as, query_scalar};

/// User account as stored in the table `users`.
#[derive(Debug, Clone, FromRow)]
pub struct StoredUser {
    /// User id; ids of deleted users are not reused.
    pub id: i64,
    /// Login name (HMC, the employee registration number) of the user, as displayed.
    pub hmc: String,
    /// Comparison key of the login name (HMC): the name in uniform letter case, unique among all users.
    pub hmc_key: String,
    /// Role of the user as text in the database: `op` (operator), `tm` (manager) or `admin`.
    pub role: String,
    /// Password hash in PHC format; empty when the account has no password and cannot sign in.
    pub password_hash: String,
    /// Counter incremented when all sessions of the user are ended at once, for example by a password change. An increment invalidates
    /// the user's older device tokens (proofs of earlier sign-ins).
    pub token_version: i64,
    /// Whether the user has to change the password after signing in, for example because a supervisor set the password.
    pub must_change: bool,
    /// Time when the user was created.
    pub created_at: DateTime<Utc>,
    /// Time of the user's last sign-in; `None` when the user has never signed in.
    pub last_login_at: Option<DateTime<Utc>>,
}

impl StoredUser {
    /// Returns the user's role as the protobuf enum.
    #[must_use]
    pub fn role(&self) -> Role {
        role::parse(&self.role).unwrap_or_default()
    }

    /// Returns the password hash, or `None` when the account has no password.
    #[must_use]
    pub fn password_hash(&self) -> Option<String> {
        Some(self.password_hash.clone()).filter(|hash| !hash.is_empty())
    }

    /// Converts the user into its protobuf message, leaving out the password hash.
    #[must_use]
    pub fn to_proto(self) -> pb::User {
        pb::User {
            id: self.id,
            role: self.role().into(),
            hmc: self.hmc,
            created_at: Some(clock::to_timestamp(self.created_at)),
            last_login_at: self.last_login_at.map(clock::to_timestamp),
            developer: self.id == DEVELOPER_USER_ID,
            must_change_password: self.must_change,
        }
    }
}

/// Input for inserting a user.
pub struct NewUser {
    /// Fixed id for one of the first two users; `None` lets the database assign the next id.
    pub id: Option<i64>,
    /// Login name (HMC, the employee registration number) of the new user.
    pub hmc: Hmc,
    /// Role of the user: `Operator`, `Manager` or `Admin`.
    pub role: Role,
    /// Password hash in PHC format; empty for an account that cannot sign in.
    pub password_hash: String,
    /// Whether the user has to change the password after signing in.
    pub must_change: bool,
}

/// Returns the user whose login name (HMC) has this comparison key, or `None` when no user has that login name.
pub async fn find_by_hmc(db: &Db, key: &str) -> Result<Option<StoredUser>, Error> {
    let found = on!(db.read_pool(), c => query_as(
        "select id, hmc, hmc_key, role, password_hash, token_version, must_change, created_at, last_login_at from users where hmc_key = $1")
        .bind(key).fetch_optional(c).await)?;
    Ok(found)
}

/// Returns the user with this id, or `None` when no user has this id.
pub async fn find_by_id(db: &Db, id: i64) -> Result<Option<StoredUser>, Error> {
    let found = on!(db.read_pool(), c => query_as(
        "select id, hmc, hmc_key, role, password_hash, token_version, must_change, created_at, last_login_at from users where id = $1")
        .bind(id).fetch_optional(c).await)?;
    Ok(found)
}

/// Returns the user with this id as seen by this transaction, or `None` when no user has this id.
pub async fn find_by_id_in_tx(tx: &mut Tx<'_>, id: i64) -> Result<Option<StoredUser>, Error> {
    let found = on!(tx.connection(), c => query_as(
        "select id, hmc, hmc_key, role, password_hash, token_version, must_change, created_at, last_login_at from users where id = $1")
        .bind(id).fetch_optional(c).await)?;
    Ok(found)
}

/// Returns all users except the developer account, ordered by login name (HMC).
pub async fn list_non_developer_users(db: &Db) -> Result<Vec<StoredUser>, Error> {
    let found = on!(db.read_pool(), c => query_as(
        "select id, hmc, hmc_key, role, password_hash, token_version, must_change, created_at, last_login_at
           from users where id <> $1 order by hmc_key")
        .bind(DEVELOPER_USER_ID).fetch_all(c).await)?;
    Ok(found)
}

/// Returns `true` if the database contains at least one user.
pub async fn has_users(db: &Db) -> Result<bool, Error> {
    let count: i64 = on!(db.read_pool(), c => query_scalar("select count(*) from users").fetch_one(c).await)?;
    Ok(count > 0)
}

/// Takes the lock for changes of users and keys, and holds the lock until the commit. Rules about all users, such as 'one supervisor
/// must remain', then hold despite concurrent changes.
///
/// The statement updates a row of the table `counters`. On `PostgreSQL`, the row lock is the users lock. `SQLite` allows only one
/// writer at a time anyway.
pub async fn acquire_users_lock(tx: &mut Tx<'_>) -> Result<(), Error> {
    on!(tx.connection(), c => query("update counters set value = value + 1 where name = 'people'").execute(c).await.map(drop))?;
    Ok(())
}

/// Returns the id of the user with this login name (HMC) as seen by this transaction. Returns `None` when the login name is free.
pub async fn find_id_by_hmc(tx: &mut Tx<'_>, key: &str) -> Result<Option<i64>, Error> {
    let found = on!(tx.connection(), c => query_scalar("select id from users where hmc_key = $1").bind(key).fetch_optional(c).await)?;
    Ok(found)
}

/// Counts the supervisors other than this user and the developer account, as seen by this transaction.
pub async fn count_other_supervisors(tx: &mut Tx<'_>, id: i64) -> Result<i64, Error> {
    let count = on!(tx.connection(), c => query_scalar("select count(*) from users where role = 'admin' and id <> $1 and id <> $2")
        .bind(id).bind(DEVELOPER_USER_ID).fetch_one(c).await)?;
    Ok(count)
}

/// Inserts a user and returns the stored row.
pub async fn insert(tx: &mut Tx<'_>, new: &NewUser, at: DateTime<Utc>) -> Result<StoredUser, Error> {
    let role = role::role_text(new.role);
    let made = match new.id {
        Some(id) => on!(tx.connection(), c => query_as(
            "insert into users (id, hmc, hmc_key, role, password_hash, token_version, newest_ms, created_at, must_change)
             values ($1, $2, $3, $4, $5, 1, 0, $6, $7)
             returning id, hmc, hmc_key, role, password_hash, token_version, must_change, created_at, last_login_at")
            .bind(id).bind(&new.hmc.text).bind(&new.hmc.key).bind(role).bind(&new.password_hash).bind(at).bind(new.must_change).fetch_one(c).await),
        None => on!(tx.connection(), c => query_as(
            "insert into users (hmc, hmc_key, role, password_hash, token_version, newest_ms, created_at, must_change)
             values ($1, $2, $3, $4, 1, 0, $5, $6)
             returning id, hmc, hmc_key, role, password_hash, token_version, must_change, created_at, last_login_at")
            .bind(&new.hmc.text).bind(&new.hmc.key).bind(role).bind(&new.password_hash).bind(at).bind(new.must_change).fetch_one(c).await),
    };
    Ok(made?)
}

/// Updates the login name (HMC), role, password hash and `must_change` of a user.
pub async fn update(tx: &mut Tx<'_>, user: &StoredUser) -> Result<(), Error> {
    on!(tx.connection(), c => query("update users set hmc = $2, hmc_key = $3, role = $4, password_hash = $5, must_change = $6 where id = $1")
        .bind(user.id).bind(&user.hmc).bind(&user.hmc_key).bind(&user.role).bind(&user.password_hash).bind(user.must_change)
        .execute(c).await.map(drop))?;
    Ok(())
}

/// Sets the password hash of a user without a password; returns `false` when the user already has a password.
pub async fn set_password_hash_if_missing(tx: &mut Tx<'_>, id: i64, hash: &str) -> Result<bool, Error> {
    let changed = on!(tx.connection(), c => query("update users set password_hash = $2 where id = $1 and password_hash = ''")
        .bind(id).bind(hash).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Replaces a user's password hash with a stronger hash of the same password, without ending sessions.
pub async fn replace_password_hash(tx: &mut Tx<'_>, id: i64, hash: &str) -> Result<(), Error> {
    on!(tx.connection(), c => query("update users set password_hash = $2 where id = $1").bind(id).bind(hash).execute(c).await.map(drop))?;
    Ok(())
}

/// Returns the ids of all users, including the developer account.
pub async fn list_user_ids(tx: &mut Tx<'_>) -> Result<Vec<i64>, Error> {
    let ids = on!(tx.connection(), c => query_scalar("select id from users order by id").fetch_all(c).await)?;
    Ok(ids)
}

/// Deletes the user with this id.
pub async fn delete(tx: &mut Tx<'_>, id: i64) -> Result<(), Error> {
    on!(tx.connection(), c => query("delete from users where id = $1").bind(id).execute(c).await.map(drop))?;
    Ok(())
}

/// Records a sign-in and returns the issue time for the access token of the new session, in milliseconds since 1970.
///
/// Returns `None` when the user's stored token version is no longer `token_version`. In that case, all sessions of the user were ended
/// meanwhile, for example by a password change, and the verified password may be outdated.
///
/// The issue times of a user never decrease, even when the clocks of replicas differ. The new token is therefore newer than every
/// earlier revocation of the user's sessions.
pub async fn record_sign_in(tx: &mut Tx<'_>, id: i64, token_version: i64, now: DateTime<Utc>) -> Result<Option<i64>, Error> {
    let made_at = on!(tx.connection(), c => query_scalar(
        "update users set last_login_at = $3, newest_ms = case when newest_ms > $4 then newest_ms else $4 end
          where id = $1 and token_version = $2 returning newest_ms")
        .bind(id).bind(token_version).bind(now).bind(now.timestamp_millis()).fetch_optional(c).await)?;
    Ok(made_at)
}

/// Ends all sessions of a user: revokes every token issued up to now; later tokens stay valid.
pub async fn end_user_sessions(tx: &mut Tx<'_>, id: i64, now: DateTime<Utc>) -> Result<Revocation, Error> {
    let until: i64 = on!(tx.connection(), c => query_scalar(
        "update users set token_version = token_version + 1,
                newest_ms = case when newest_ms > $2 then newest_ms + 1 else $2 + 1 end
          where id = $1 returning newest_ms - 1")
        .bind(id).bind(now.timestamp_millis()).fetch_one(c).await)?;
    sessions::delete_user_sessions(tx, id).await?;
    let issued_before = DateTime::from_timestamp_millis(until).unwrap_or(now);
    // The maximum token lifetime, plus an hour for clock differences.
    let expires_at = issued_before.max(now) + TimeDelta::hours(MAX_TOKEN_LIFETIME_HOURS + 1);
    revocations::insert(tx, Revocation { sequence: 0, session_id: String::new(), user_id: id, issued_before, expires_at, unused: false })
        .await
}
