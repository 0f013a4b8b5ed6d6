//! SQL statements on tombstones: rows of deleted campaigns and drafts, kept until their vehicles are deleted in
//! vehicle-svc.
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{query, query_scalar};

/// Marks a campaign or draft as deleted (a tombstone), which frees its name and import id. The caller must hold the row lock.
pub async fn mark_campaign_deleted(tx: &mut Tx<'_>, id: i64, at: DateTime<Utc>) -> Result<(), sqlx::Error> {
    on!(tx.connection(), c => query("update campaigns set state = 'deleting', import_id = '', touched_at = $2 where id = $1")
        .bind(id).bind(at).execute(c).await.map(drop))
}

/// Returns `true` if the campaign with this id is a tombstone, that is, deleted with its row still present.
pub async fn is_campaign_deleted(tx: &mut Tx<'_>, id: i64) -> Result<bool, sqlx::Error> {
    on!(tx.connection(), c => query_scalar::<_, i64>("select count(*) from campaigns where id = $1 and state = 'deleting'")
        .bind(id).fetch_one(c).await.map(|found| found > 0))
}

/// Deletes the row of a deleted campaign (tombstone); the campaign id is never reused.
pub async fn purge_tombstone(tx: &mut Tx<'_>, id: i64) -> Result<(), sqlx::Error> {
    on!(tx.connection(), c => query("delete from campaigns where id = $1 and state = 'deleting'").bind(id).execute(c).await.map(drop))
}

/// Marks draft campaigns as deleted (tombstones) if their last heartbeat was before `since`. Returns the ids of these drafts.
pub async fn mark_stale_drafts_deleted(tx: &mut Tx<'_>, since: DateTime<Utc>, at: DateTime<Utc>) -> Result<Vec<i64>, sqlx::Error> {
    on!(tx.connection(), c => query_scalar(
        "update campaigns set state = 'deleting', import_id = '', touched_at = $2 where state = 'draft' and touched_at < $1 returning id")
        .bind(since).bind(at).fetch_all(c).await)
}

/// Returns the ids of at most `limit` tombstones (rows of deleted campaigns and drafts) marked as deleted before `since`, oldest first.
/// The column `touched_at` contains the time at which the row was marked.
pub async fn list_stale_tombstones(db: &Db, since: DateTime<Utc>, limit: i64) -> Result<Vec<i64>, sqlx::Error> {
    on!(db.read_pool(), c => query_scalar("select id from campaigns where state = 'deleting' and touched_at < $1 order by touched_at, id limit $2")
        .bind(since).bind(limit).fetch_all(c).await)
}
