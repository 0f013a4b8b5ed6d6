//! Change list for delta synchronization: the revision at which each vehicle last changed.
//!
//! A transaction that increases a campaign's revision keeps the campaign's row locked until the commit. A reader that sees a revision
//! therefore also sees the changes of all earlier revisions.
use crate::store::{dialect, vehicles::VehicleListRow};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{AssertSqlSafe, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Maximum number of changed vehicles in a delta (list of the changes since a revision). If more vehicles have changed, the client
/// fetches the full list.
pub const MAX_CHANGES_PER_DELTA: i64 = 2_000;

/// Records the vehicles that changed at a revision of the campaign. If more than [`MAX_CHANGES_PER_DELTA`] vehicles changed, records
/// instead that clients must fetch the full list. The caller must have set the campaign to this revision in the given transaction.
pub async fn record_changes(tx: &mut Tx<'_>, campaign: i64, revision: i64, ids: &[i64]) -> Result<()> {
    if i64::try_from(ids.len()).is_ok_and(|count| count > MAX_CHANGES_PER_DELTA) {
        return on!(tx.connection(), c => query("update campaigns set listed_from = $2 where id = $1")
            .bind(campaign).bind(revision).execute(c).await.map(drop));
    }
    let text = format!(
        "insert into changes (vehicle_id, campaign_id, revision) select id, $2, $3 from ({}) as asked where true
         on conflict (vehicle_id) do update set revision = excluded.revision",
        dialect::unnest_ids_sql(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.connection(), c => query(AssertSqlSafe(text)).bind(&ids).bind(campaign).bind(revision).execute(c).await.map(drop))
}

/// Returns the oldest revision from which a delta (list of the changes since a revision) can be computed. Returns `None` for drafts
/// and removed campaigns.
pub async fn load_oldest_delta_revision(db: &Db, campaign: i64) -> Result<Option<i64>> {
    on!(db.read_pool(), c => query_scalar("select listed_from from campaigns where id = $1 and gate in ('open', 'closed')")
        .bind(campaign).fetch_optional(c).await)
}

/// Returns the vehicles that changed after a revision of the campaign, at most [`MAX_CHANGES_PER_DELTA`] + 1. The additional vehicle lets the
/// caller detect too many changes.
pub async fn list_vehicles_changed_since(db: &Db, campaign: i64, revision: i64) -> Result<Vec<VehicleListRow>> {
    on!(db.read_pool(), c => query_as(
        "select v.id, v.model_code, v.serial_number, v.parking_space, v.yard_group, v.yard_id, v.status, v.inspected, v.version, v.walk_key
           from changes k join vehicles v on v.id = k.vehicle_id
          where k.campaign_id = $1 and k.revision > $2 order by v.walk_key, v.id limit $3")
        .bind(campaign).bind(revision).bind(MAX_CHANGES_PER_DELTA + 1).fetch_all(c).await)
}

/// Returns the ids of the campaign's vehicles that changed after a revision and no longer exist.
pub async fn list_vehicle_ids_deleted_since(db: &Db, campaign: i64, revision: i64) -> Result<Vec<i64>> {
    on!(db.read_pool(), c => query_scalar(
        "select k.vehicle_id from changes k left join vehicles v on v.id = k.vehicle_id
          where k.campaign_id = $1 and k.revision > $2 and v.id is null order by k.vehicle_id limit $3")
        .bind(campaign).bind(revision).bind(MAX_CHANGES_PER_DELTA + 1).fetch_all(c).await)
}

/// Deletes up to `limit` rows of the table `changes` that belong to a removed campaign. Returns the number of deleted rows.
pub async fn delete_changes_of_campaign(tx: &mut Tx<'_>, campaign: i64, limit: i64) -> Result<u64> {
    on!(tx.connection(), c => query("delete from changes where vehicle_id in (select vehicle_id from changes where campaign_id = $1 limit $2)")
        .bind(campaign).bind(limit).execute(c).await.map(|done| done.rows_affected()))
}
