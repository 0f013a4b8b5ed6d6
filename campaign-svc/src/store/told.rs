//! What vehicle-svc has been told of campaigns: each telling carries a revision, and the highest one holds.
use super::columns;
use crate::campaign::Campaign;
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{query, query_as, query_scalar};

/// Takes the next revision of a held campaign for a telling that comes before its change is stored.
///
/// Until the change is stored the row counts as untold, so that the sweeper takes the telling back.
pub async fn reserve(tx: &mut Tx<'_>, id: i64, at: DateTime<Utc>) -> Result<i64, sqlx::Error> {
    on!(tx.on(), c => query_scalar("update campaigns set revision = revision + 1, touched_at = $2 where id = $1 returning revision")
        .bind(id).bind(at).fetch_one(c).await)
}

/// Notes that vehicle-svc acknowledged a revision.
pub async fn acknowledged(tx: &mut Tx<'_>, id: i64, revision: i64) -> Result<(), sqlx::Error> {
    on!(tx.on(), c => query("update campaigns set synced_revision = $2 where id = $1 and synced_revision < $2")
        .bind(id).bind(revision).execute(c).await.map(drop))
}

/// Returns live campaigns that vehicle-svc knows less of, untouched since a moment, at most `limit`.
pub async fn untold(db: &Db, since: DateTime<Utc>, limit: i64) -> Result<Vec<i64>, sqlx::Error> {
    on!(db.read(), c => query_scalar(
        "select id from campaigns where synced_revision < revision and state = 'live' and touched_at < $1 order by touched_at, id limit $2")
        .bind(since).bind(limit).fetch_all(c).await)
}

/// Takes the next revision for telling the stored state again, if it is still untold and untouched since a moment.
pub async fn raise(tx: &mut Tx<'_>, id: i64, since: DateTime<Utc>, at: DateTime<Utc>) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.on(), c => query_as(concat!(
        "update campaigns set revision = revision + 1, touched_at = $3
          where id = $1 and state = 'live' and synced_revision < revision and touched_at < $2 returning ", columns!()))
        .bind(id).bind(since).bind(at).fetch_optional(c).await)
}
