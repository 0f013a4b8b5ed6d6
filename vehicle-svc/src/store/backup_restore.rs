//! Last step of restoring a backup of the database: invalidates all vehicle lists and vehicle versions that clients
//! have fetched before.
use patio_kit::{
    db::{Db, id_sequences::IDS_SKIPPED_AFTER_RESTORE},
    on,
};
use sqlx::query;

/// Selects the ids of all open and closed campaigns. The database contains all vehicles of these campaigns, because their imports are
/// complete. The backup compares the ids with the campaigns of campaign-svc, to find campaigns whose vehicles the backup has not
/// copied.
pub const SELECT_PUBLISHED_CAMPAIGN_IDS: &str = "select id from campaigns where gate in ('open', 'closed')";

/// Increases the revisions of all campaigns and the versions of all vehicles. Clients then fetch all vehicle lists again. A save
/// that requires an earlier version of a vehicle is rejected.
///
/// # Errors
/// Returns the error of a failed statement.
pub async fn invalidate_client_caches(db: &Db) -> Result<(), sqlx::Error> {
    db.write(|tx| {
        Box::pin(async move {
            on!(tx.connection(), c => query(
                "update campaigns set counts_revision = counts_revision + $1, listed_from = counts_revision + $1")
                .bind(IDS_SKIPPED_AFTER_RESTORE).execute(c).await.map(drop))?;
            on!(tx.connection(), c => query("update vehicles set version = version + $1").bind(IDS_SKIPPED_AFTER_RESTORE).execute(c).await.map(drop))?;
            Ok(())
        })
    })
    .await
}
