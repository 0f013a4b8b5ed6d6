//! Queries for the pace of work (vehicles per hour, active users) in campaigns: recent saves and remaining vehicles.
use crate::store::dialect;
use chrono::{DateTime, Utc};
use patio_kit::{db::Db, on};
use sqlx::{AssertSqlSafe, FromRow, query_as};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Recent saves of one user in one yard of a campaign.
#[derive(Debug, Clone, FromRow)]
pub struct RecentSaveCount {
    /// Id of the campaign that contains the saved vehicles.
    pub campaign_id: i64,
    /// Id of the user who saved the vehicles.
    pub user_id: i64,
    /// Id of the yard of the saved vehicles; `None` when their parking spaces belong to no yard.
    pub yard_id: Option<i64>,
    /// Number of vehicles that this user saved last. Only saves in the queried time window count.
    pub saves: i64,
    /// Time of the earliest save that `saves` counts. Only the last save of each vehicle counts.
    pub first_at: DateTime<Utc>,
    /// Time of the latest save that `saves` counts.
    pub last_at: DateTime<Utc>,
}

/// Returns the saves in campaigns since the time `since`, by user and yard. Each vehicle counts once, for the user who saved the
/// vehicle last.
pub async fn list_recent_save_counts(db: &Db, campaigns: &[i64], since: DateTime<Utc>) -> Result<Vec<RecentSaveCount>> {
    let text = format!(
        "select k.campaign_id, k.saved_by as user_id, v.yard_id, count(*) as saves, min(k.saved_at) as first_at, max(k.saved_at) as last_at
           from changes k join vehicles v on v.id = k.vehicle_id
          where k.campaign_id {} and k.saved_at >= $2 and k.saved_by is not null
          group by k.campaign_id, k.saved_by, v.yard_id",
        dialect::json_array_contains_sql(db.is_postgres())
    );
    let ids = serde_json::to_string(campaigns).unwrap_or_default();
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(&ids).bind(since).fetch_all(c).await)
}

/// Number of vehicles of a campaign that are not inspected yet.
#[derive(Debug, Clone, Copy, FromRow)]
pub struct RemainingVehicleCount {
    /// Id of the campaign whose vehicles are counted.
    pub campaign_id: i64,
    /// Number of vehicles that are not inspected.
    pub remaining: i64,
}

/// Returns the number of vehicles that are not inspected in each of the given campaigns. Drafts and removed campaigns are left out.
pub async fn count_remaining_vehicles(db: &Db, campaigns: &[i64]) -> Result<Vec<RemainingVehicleCount>> {
    let text = format!(
        "select id as campaign_id, total - inspected as remaining from campaigns where gate in ('open', 'closed') and id {} order by id",
        dialect::json_array_contains_sql(db.is_postgres())
    );
    let ids = serde_json::to_string(campaigns).unwrap_or_default();
    on!(db.read_pool(), c => query_as(AssertSqlSafe(text)).bind(&ids).fetch_all(c).await)
}
