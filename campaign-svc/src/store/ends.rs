//! The end of campaigns and drafts: a tombstone first, the row last.
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{query, query_scalar};

/// Makes a held campaign a tombstone, which frees its name and its import id at once.
pub async fn bury(tx: &mut Tx<'_>, id: i64, at: DateTime<Utc>) -> Result<(), sqlx::Error> {
    on!(tx.on(), c => query("update campaigns set state = 'deleting', import_id = '', touched_at = $2 where id = $1")
        .bind(id).bind(at).execute(c).await.map(drop))
}

/// Whether there is a tombstone of that id.
pub async fn is_buried(tx: &mut Tx<'_>, id: i64) -> Result<bool, sqlx::Error> {
    on!(tx.on(), c => query_scalar::<_, i64>("select count(*) from campaigns where id = $1 and state = 'deleting'")
        .bind(id).fetch_one(c).await.map(|found| found > 0))
}

/// Removes a tombstone; ids are never used again.
pub async fn erase(tx: &mut Tx<'_>, id: i64) -> Result<(), sqlx::Error> {
    on!(tx.on(), c => query("delete from campaigns where id = $1 and state = 'deleting'").bind(id).execute(c).await.map(drop))
}

/// Makes tombstones of the drafts that were silent since a moment, and returns their ids.
pub async fn silent(tx: &mut Tx<'_>, since: DateTime<Utc>, at: DateTime<Utc>) -> Result<Vec<i64>, sqlx::Error> {
    on!(tx.on(), c => query_scalar(
        "update campaigns set state = 'deleting', import_id = '', touched_at = $2 where state = 'draft' and touched_at < $1 returning id")
        .bind(since).bind(at).fetch_all(c).await)
}

/// Returns tombstones older than a moment, the oldest first, at most `limit`.
pub async fn overdue(db: &Db, since: DateTime<Utc>, limit: i64) -> Result<Vec<i64>, sqlx::Error> {
    on!(db.read(), c => query_scalar("select id from campaigns where state = 'deleting' and touched_at < $1 order by touched_at, id limit $2")
        .bind(since).bind(limit).fetch_all(c).await)
}
