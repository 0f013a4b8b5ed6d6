//! What was withdrawn before it expired.
use crate::error::Error;
use chrono::{DateTime, Utc};
use patio_kit::{
    clock,
    db::{Db, Tx},
    on,
};
use patio_proto::auth as pb;
use sqlx::{FromRow, query, query_as, query_scalar};

/// Most revocations of one answer; the next question goes on behind them.
const MOST: i64 = 10_000;

/// One session, or all sessions of a person up to a moment.
#[derive(Debug, Clone, FromRow)]
pub struct Revocation {
    /// Its number.
    pub sequence: i64,
    /// The session; empty for all.
    pub session_id: String,
    /// Whose.
    pub user_id: i64,
    /// Tokens made up to then are dead.
    pub issued_until: DateTime<Utc>,
    /// No token it speaks of lives then.
    pub forget_at: DateTime<Utc>,
}

impl Revocation {
    /// As the contract carries it.
    #[must_use]
    pub fn wire(self) -> pb::Revocation {
        pb::Revocation {
            sequence: self.sequence,
            session_id: self.session_id,
            user_id: self.user_id,
            issued_until: Some(clock::timestamp(self.issued_until)),
            forget_at: Some(clock::timestamp(self.forget_at)),
        }
    }
}

/// Keeps a revocation under the next number, which it returns as part of it.
///
/// The number is taken by raising a row, which stays locked until the commit: whoever takes the
/// next number waits for that. So numbers become visible in their order, and a poller that has
/// seen one has seen all below it.
pub async fn keep(tx: &mut Tx<'_>, mut revocation: Revocation) -> Result<Revocation, Error> {
    revocation.sequence = on!(tx.on(), c => query_scalar(
        "update counters set value = value + 1 where name = 'revocations' returning value").fetch_one(c).await)?;
    on!(tx.on(), c => query(
        "insert into revocations (sequence, session_id, user_id, issued_until, forget_at) values ($1, $2, $3, $4, $5)")
        .bind(revocation.sequence).bind(&revocation.session_id).bind(revocation.user_id)
        .bind(revocation.issued_until).bind(revocation.forget_at)
        .execute(c).await.map(drop))?;
    Ok(revocation)
}

/// The revocations after a number that still matter.
pub async fn after(db: &Db, sequence: i64, now: DateTime<Utc>) -> Result<Vec<Revocation>, Error> {
    let found = on!(db.read(), c => query_as(
        "select sequence, session_id, user_id, issued_until, forget_at
           from revocations where sequence > $1 and forget_at > $2 order by sequence limit $3")
        .bind(sequence).bind(now).bind(MOST).fetch_all(c).await)?;
    Ok(found)
}

/// Forgets what does not matter any more.
pub async fn forget(tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), Error> {
    on!(tx.on(), c => query("delete from revocations where forget_at <= $1").bind(now).execute(c).await.map(drop))?;
    Ok(())
}
