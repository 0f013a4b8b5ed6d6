//! SQL statements on the table of open sessions. The time of last use comes from the clock of the database
//! ([`dialect::database_time_ms_in_tx`]), which all replicas share.
use crate::{error::Error, store::dialect};
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{FromRow, query, query_as, query_scalar};

/// An open session as stored in the database.
#[derive(Debug, Clone, FromRow)]
pub struct StoredSession {
    /// Session id, which is also the `sid` claim of the session's access token.
    pub id: String,
    /// Id of the user who signed in.
    pub user_id: i64,
    /// Time at which the session was last recorded as used, in milliseconds since 1970.
    pub used_ms: i64,
    /// Expiry of the session's access token in milliseconds since 1970, by the clock of the process that issued the token.
    pub ends_ms: i64,
    /// Browser and operating system of the sign-in; empty when unknown.
    pub device: String,
    /// IP address of the client at sign-in.
    pub address: String,
    /// Time of the sign-in, in milliseconds since 1970.
    pub begun_ms: i64,
}

/// Input for inserting a new session, right after the user's password was verified.
pub struct NewSession {
    /// Session id, which is also the `sid` claim of the session's access token.
    pub id: String,
    /// Id of the user who signs in.
    pub user_id: i64,
    /// Expiry of the session's access token in milliseconds since 1970.
    pub ends_ms: i64,
    /// Browser and operating system of the client; empty when unknown.
    pub device: String,
    /// IP address of the client that signs in.
    pub address: String,
}

/// Inserts a new session; the sign-in also counts as a password confirmation.
pub async fn insert(tx: &mut Tx<'_>, begun: &NewSession, process_now: DateTime<Utc>) -> Result<(), Error> {
    let now = dialect::database_time_ms_in_tx(tx, process_now.timestamp_millis()).await?;
    on!(tx.connection(), c => query(
        "insert into sessions (id, user_id, used_ms, ends_ms, device, address, begun_ms, confirmed_ms) values ($1, $2, $3, $4, $5, $6, $3, $3)")
        .bind(&begun.id).bind(begun.user_id).bind(now).bind(begun.ends_ms).bind(&begun.device).bind(&begun.address)
        .execute(c).await.map(drop))?;
    Ok(())
}

/// Records that the session's user entered the password again. Returns `false` when the session has ended.
pub async fn record_password_confirmation(tx: &mut Tx<'_>, id: &str, process_now: DateTime<Utc>) -> Result<bool, Error> {
    let now = dialect::database_time_ms_in_tx(tx, process_now.timestamp_millis()).await?;
    let noted = on!(tx.connection(), c => query("update sessions set confirmed_ms = $2 where id = $1")
        .bind(id).bind(now).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(noted == 1)
}

/// Returns `true` if the session's user entered the password within the last `within_ms` milliseconds.
pub async fn is_password_confirmed(tx: &mut Tx<'_>, id: &str, within_ms: i64, process_now: DateTime<Utc>) -> Result<bool, Error> {
    let now = dialect::database_time_ms_in_tx(tx, process_now.timestamp_millis()).await?;
    let count: i64 = on!(tx.connection(), c => query_scalar("select count(*) from sessions where id = $1 and confirmed_ms > $2")
        .bind(id).bind(now - within_ms).fetch_one(c).await)?;
    Ok(count > 0)
}

/// Records that sessions were used now; ids of ended sessions are ignored.
pub async fn record_session_activity(tx: &mut Tx<'_>, ids: &[String], process_now: DateTime<Utc>) -> Result<(), Error> {
    let now = dialect::database_time_ms_in_tx(tx, process_now.timestamp_millis()).await?;
    for id in ids {
        on!(tx.connection(), c => query("update sessions set used_ms = $2 where id = $1 and used_ms < $2")
            .bind(id).bind(now).execute(c).await.map(drop))?;
    }
    Ok(())
}

/// Returns the id and current role (as text) of the user to whom a session belongs, or `None` when no session has this id. Expired
/// sessions are also returned, because the expiry of the caller's token was checked before.
pub async fn find_session_user(db: &Db, id: &str) -> Result<Option<(i64, String)>, Error> {
    let found = on!(db.read_pool(), c => query_as(
        "select s.user_id, u.role from sessions s join users u on u.id = s.user_id where s.id = $1").bind(id).fetch_optional(c).await)?;
    Ok(found)
}

/// Deletes a session and returns the deleted row; returns `None` when the session had already ended.
pub async fn delete(tx: &mut Tx<'_>, id: &str) -> Result<Option<StoredSession>, Error> {
    let ended = on!(tx.connection(), c => query_as(
        "delete from sessions where id = $1 returning id, user_id, used_ms, ends_ms, device, address, begun_ms")
        .bind(id).fetch_optional(c).await)?;
    Ok(ended)
}

/// Returns the ids of a user's open sessions, as seen by this transaction.
pub async fn list_user_session_ids(tx: &mut Tx<'_>, user_id: i64) -> Result<Vec<String>, Error> {
    let ids =
        on!(tx.connection(), c => query_scalar("select id from sessions where user_id = $1 order by id").bind(user_id).fetch_all(c).await)?;
    Ok(ids)
}

/// Deletes all sessions of a user.
pub async fn delete_user_sessions(tx: &mut Tx<'_>, user_id: i64) -> Result<(), Error> {
    on!(tx.connection(), c => query("delete from sessions where user_id = $1").bind(user_id).execute(c).await.map(drop))?;
    Ok(())
}

/// Deletes expired sessions, and sessions that were idle for at least `unused_ms` milliseconds. Returns only the idle sessions, so that
/// the caller can revoke them.
pub async fn delete_expired_and_idle_sessions(
    tx: &mut Tx<'_>,
    unused_ms: i64,
    process_now: DateTime<Utc>,
) -> Result<Vec<StoredSession>, Error> {
    let process_now_ms = process_now.timestamp_millis();
    let now = dialect::database_time_ms_in_tx(tx, process_now_ms).await?;
    on!(tx.connection(), c => query("delete from sessions where ends_ms <= $1").bind(process_now_ms).execute(c).await.map(drop))?;
    let ended = on!(tx.connection(), c => query_as(
        "delete from sessions where used_ms <= $1 returning id, user_id, used_ms, ends_ms, device, address, begun_ms")
        .bind(now - unused_ms).fetch_all(c).await)?;
    Ok(ended)
}

/// Returns the open sessions of a user, most recently used first.
pub async fn list_user_sessions(db: &Db, user_id: i64) -> Result<Vec<StoredSession>, Error> {
    let open = on!(db.read_pool(), c => query_as(
        "select id, user_id, used_ms, ends_ms, device, address, begun_ms from sessions where user_id = $1 order by used_ms desc, id desc")
        .bind(user_id).fetch_all(c).await)?;
    Ok(open)
}
