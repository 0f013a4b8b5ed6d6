//! Outbox of milestones (work begun, complete, incomplete again) that campaign-svc has not received yet.
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{FromRow, query, query_as};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Latest milestone of a campaign (work begun, complete, incomplete again) that campaign-svc has not received yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct PendingMilestone {
    /// Id of the campaign that reached the milestone.
    pub campaign_id: i64,
    /// Protobuf number of the milestone in the enum `Milestone`.
    #[sqlx(rename = "turn")]
    pub milestone: i64,
    /// Revision of the campaign at which the milestone (work begun, complete, incomplete again) was reached.
    pub revision: i64,
}

/// Stores a milestone of a campaign (work begun, complete, incomplete again) for delivery to campaign-svc. `milestone` is its
/// protobuf number. Replaces an earlier milestone of the campaign that campaign-svc has not received yet.
pub async fn insert(tx: &mut Tx<'_>, campaign: i64, milestone: i32, revision: i64) -> Result<()> {
    on!(tx.connection(), c => query(
        "insert into turns (campaign_id, turn, revision) values ($1, $2, $3)
         on conflict (campaign_id) do update set turn = excluded.turn, revision = excluded.revision")
        .bind(campaign).bind(milestone).bind(revision).execute(c).await.map(drop))
}

/// Returns at most 1,000 milestones (work begun, complete, incomplete again) that campaign-svc has not received yet.
pub async fn list_pending_milestones(db: &Db) -> Result<Vec<PendingMilestone>> {
    on!(db.read_pool(), c => query_as("select campaign_id, turn, revision from turns order by campaign_id limit 1000").fetch_all(c).await)
}

/// Deletes a milestone (work begun, complete, incomplete again) that campaign-svc has received. A later milestone of the campaign
/// is not deleted.
pub async fn delete_delivered_milestone(tx: &mut Tx<'_>, delivered: PendingMilestone) -> Result<()> {
    on!(tx.connection(), c => query("delete from turns where campaign_id = $1 and revision = $2")
        .bind(delivered.campaign_id).bind(delivered.revision).execute(c).await.map(drop))
}
