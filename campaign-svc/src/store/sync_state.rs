//! SQL statements for syncing campaigns to vehicle-svc. A sync sends a campaign's name, write lock (whether saves of its vehicles are
//! rejected) and revision number. vehicle-svc ignores a sync unless the sent revision number is higher than the stored revision number.
use crate::{campaign::Campaign, store::columns};
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{query, query_as, query_scalar};

/// Reserves a campaign's next revision number. The caller then syncs a change to vehicle-svc under this number before storing the
/// change. The caller must hold the row lock.
///
/// Until the change is stored, the acknowledged revision in the row is lower than the reserved revision. After a crash, the sweeper, a
/// background task, therefore sends the unchanged campaign to vehicle-svc again, which reverts the change there.
pub async fn reserve_revision(tx: &mut Tx<'_>, id: i64, at: DateTime<Utc>) -> Result<i64, sqlx::Error> {
    on!(tx.connection(), c => query_scalar("update campaigns set revision = revision + 1, touched_at = $2 where id = $1 returning revision")
        .bind(id).bind(at).fetch_one(c).await)
}

/// Records that vehicle-svc acknowledged a revision of the campaign.
pub async fn record_acknowledged_revision(tx: &mut Tx<'_>, id: i64, revision: i64) -> Result<(), sqlx::Error> {
    on!(tx.connection(), c => query("update campaigns set synced_revision = $2 where id = $1 and synced_revision < $2")
        .bind(id).bind(revision).execute(c).await.map(drop))
}

/// Returns the ids of at most `limit` published campaigns whose newest revision vehicle-svc has not acknowledged, and whose last sync
/// began before `since`. The column `touched_at` contains the time at which the last sync began.
pub async fn list_unsynced_campaign_ids(db: &Db, since: DateTime<Utc>, limit: i64) -> Result<Vec<i64>, sqlx::Error> {
    on!(db.read_pool(), c => query_scalar(
        "select id from campaigns where synced_revision < revision and state = 'live' and touched_at < $1 order by touched_at, id limit $2")
        .bind(since).bind(limit).fetch_all(c).await)
}

/// Increments the revision of a campaign so that its name and write lock are sent to vehicle-svc again, and returns the campaign.
///
/// Returns `None` when the campaign is not published, or when vehicle-svc has acknowledged the campaign's newest revision. Also returns
/// `None` when the last sync began at or after `since` (column `touched_at`), because that sync may still be running.
pub async fn begin_resync(tx: &mut Tx<'_>, id: i64, since: DateTime<Utc>, at: DateTime<Utc>) -> Result<Option<Campaign>, sqlx::Error> {
    on!(tx.connection(), c => query_as(concat!(
        "update campaigns set revision = revision + 1, touched_at = $3
          where id = $1 and state = 'live' and synced_revision < revision and touched_at < $2 returning ", columns!()))
        .bind(id).bind(since).bind(at).fetch_optional(c).await)
}
