//! The sessions that have not ended, and when each was last used, by the clock of [`dialect::moment`].
use super::dialect;
use crate::error::Error;
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{FromRow, query, query_as};

/// A session that has not ended.
#[derive(Debug, Clone, FromRow)]
pub struct Open {
    /// Its id, as its token tells it.
    pub id: String,
    /// Whose it is.
    pub user_id: i64,
    /// When its use was last noted.
    pub used_ms: i64,
    /// When its token dies, by the clock of the process that made it.
    pub ends_ms: i64,
}

/// Notes that a session has begun.
pub async fn begin(tx: &mut Tx<'_>, id: &str, user_id: i64, ends_ms: i64, here: DateTime<Utc>) -> Result<(), Error> {
    let now = dialect::moment_in(tx, here.timestamp_millis()).await?;
    on!(tx.on(), c => query("insert into sessions (id, user_id, used_ms, ends_ms) values ($1, $2, $3, $4)")
        .bind(id).bind(user_id).bind(now).bind(ends_ms).execute(c).await.map(drop))?;
    Ok(())
}

/// Notes that sessions were used; those that have ended stay so.
pub async fn note_used(tx: &mut Tx<'_>, ids: &[String], here: DateTime<Utc>) -> Result<(), Error> {
    let now = dialect::moment_in(tx, here.timestamp_millis()).await?;
    for id in ids {
        on!(tx.on(), c => query("update sessions set used_ms = $2 where id = $1 and used_ms < $2")
            .bind(id).bind(now).execute(c).await.map(drop))?;
    }
    Ok(())
}

/// Who began a session that has not ended: the user and the role as it is written in tokens.
pub async fn holder(db: &Db, id: &str) -> Result<Option<(i64, String)>, Error> {
    let found = on!(db.read(), c => query_as(
        "select s.user_id, u.role from sessions s join users u on u.id = s.user_id where s.id = $1").bind(id).fetch_optional(c).await)?;
    Ok(found)
}

/// Forgets a session.
pub async fn end(tx: &mut Tx<'_>, id: &str) -> Result<(), Error> {
    on!(tx.on(), c => query("delete from sessions where id = $1").bind(id).execute(c).await.map(drop))?;
    Ok(())
}

/// Forgets all sessions of a person.
pub async fn end_all(tx: &mut Tx<'_>, user_id: i64) -> Result<(), Error> {
    on!(tx.on(), c => query("delete from sessions where user_id = $1").bind(user_id).execute(c).await.map(drop))?;
    Ok(())
}

/// Forgets the sessions that ended by themselves, and those not used for so long, which it returns.
pub async fn end_unused(tx: &mut Tx<'_>, unused_ms: i64, here: DateTime<Utc>) -> Result<Vec<Open>, Error> {
    let here = here.timestamp_millis();
    let now = dialect::moment_in(tx, here).await?;
    on!(tx.on(), c => query("delete from sessions where ends_ms <= $1").bind(here).execute(c).await.map(drop))?;
    let ended = on!(tx.on(), c => query_as("delete from sessions where used_ms <= $1 returning id, user_id, used_ms, ends_ms")
        .bind(now - unused_ms).fetch_all(c).await)?;
    Ok(ended)
}

/// The sessions of a person, the latest first.
pub async fn of(db: &Db, user_id: i64) -> Result<Vec<Open>, Error> {
    let open = on!(db.read(), c => query_as(
        "select id, user_id, used_ms, ends_ms from sessions where user_id = $1 order by used_ms desc, id desc")
        .bind(user_id).fetch_all(c).await)?;
    Ok(open)
}
