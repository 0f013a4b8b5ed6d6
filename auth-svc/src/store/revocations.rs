//! Revocation list: sessions that were ended before their access tokens expired, so that services must reject these tokens.
use crate::error::Error;
use chrono::{DateTime, Utc};
use patio_kit::{
    clock,
    db::{Db, Tx},
    on,
};
use patio_proto::auth as pb;
use sqlx::{FromRow, query, query_as, query_scalar};

/// Maximum number of revocations in one response; the next request continues after the last revocation in the response.
const MAX_REVOCATIONS: i64 = 10_000;

/// Revocation of one session, or of all sessions that a user began up to a point in time.
#[derive(Debug, Clone, FromRow)]
pub struct Revocation {
    /// Sequence number of the revocation, ascending in the order of commits.
    pub sequence: i64,
    /// Id of the revoked session; empty when all sessions of the user are revoked.
    pub session_id: String,
    /// Id of the user whose sessions are revoked.
    pub user_id: i64,
    /// Latest issue time of the revoked tokens; tokens issued later stay valid.
    #[sqlx(rename = "issued_until")]
    pub issued_before: DateTime<Utc>,
    /// Time by which all affected tokens have expired, so that the revocation can be deleted.
    #[sqlx(rename = "forget_at")]
    pub expires_at: DateTime<Utc>,
    /// Whether the session ended because of the idle timeout instead of a sign-out.
    pub unused: bool,
}

impl Revocation {
    /// Converts the revocation into its protobuf message.
    #[must_use]
    pub fn to_proto(self) -> pb::Revocation {
        pb::Revocation {
            sequence: self.sequence,
            session_id: self.session_id,
            user_id: self.user_id,
            issued_before: Some(clock::to_timestamp(self.issued_before)),
            expires_at: Some(clock::to_timestamp(self.expires_at)),
            unused: self.unused,
        }
    }
}

/// Inserts a revocation under the next sequence number and returns the stored revocation.
///
/// The database row with the last number stays locked until the commit, so that numbers become visible in ascending order. A service
/// that polls the list therefore misses no revocation.
pub async fn insert(tx: &mut Tx<'_>, mut revocation: Revocation) -> Result<Revocation, Error> {
    revocation.sequence = on!(tx.connection(), c => query_scalar(
        "update counters set value = value + 1 where name = 'revocations' returning value").fetch_one(c).await)?;
    on!(tx.connection(), c => query(
        "insert into revocations (sequence, session_id, user_id, issued_until, forget_at, unused) values ($1, $2, $3, $4, $5, $6)")
        .bind(revocation.sequence).bind(&revocation.session_id).bind(revocation.user_id)
        .bind(revocation.issued_before).bind(revocation.expires_at).bind(revocation.unused)
        .execute(c).await.map(drop))?;
    Ok(revocation)
}

/// Returns the unexpired revocations with a sequence number above `sequence`, in ascending order, at most `MAX_REVOCATIONS`.
pub async fn list_revocations_after(db: &Db, sequence: i64, now: DateTime<Utc>) -> Result<Vec<Revocation>, Error> {
    let found = on!(db.read_pool(), c => query_as(
        "select sequence, session_id, user_id, issued_until, forget_at, unused
           from revocations where sequence > $1 and forget_at > $2 order by sequence limit $3")
        .bind(sequence).bind(now).bind(MAX_REVOCATIONS).fetch_all(c).await)?;
    Ok(found)
}

/// Deletes the revocations whose affected tokens have all expired.
pub async fn purge_expired_revocations(tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), Error> {
    on!(tx.connection(), c => query("delete from revocations where forget_at <= $1").bind(now).execute(c).await.map(drop))?;
    Ok(())
}
