//! Counters of yards: number of vehicles and of inspected vehicles.
use patio_kit::{db::Db, on};
use sqlx::{FromRow, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Vehicle counters of one yard.
#[derive(Debug, Clone, Copy, FromRow)]
pub struct YardVehicleCounts {
    /// Id of the yard; 0 for vehicles without a yard.
    pub yard_id: i64,
    /// Number of vehicles in the yard.
    pub total: i64,
    /// Number of inspected vehicles in the yard.
    pub inspected: i64,
}

/// Returns the vehicle counters of every yard, summed over all open and closed campaigns.
pub async fn list_yard_vehicle_counts_of_all_campaigns(db: &Db) -> Result<Vec<YardVehicleCounts>> {
    on!(db.read_pool(), c => query_as(
        "select k.yard_id, cast(sum(k.total) as bigint) as total, cast(sum(k.inspected) as bigint) as inspected
           from counters k join campaigns c on c.id = k.campaign_id where c.gate in ('open', 'closed') group by k.yard_id")
        .fetch_all(c).await)
}

/// Returns the vehicle counters of every yard in the campaign with the given name.
pub async fn list_yard_vehicle_counts_by_campaign_name(db: &Db, name: &str) -> Result<Vec<YardVehicleCounts>> {
    on!(db.read_pool(), c => query_as(
        "select k.yard_id, k.total, k.inspected from counters k join campaigns c on c.id = k.campaign_id
          where c.name = $1 and c.gate in ('open', 'closed')")
        .bind(name).fetch_all(c).await)
}

/// Returns the vehicle counters of every yard of a campaign.
pub async fn list_yard_vehicle_counts_of_campaign(db: &Db, campaign: i64) -> Result<Vec<YardVehicleCounts>> {
    on!(db.read_pool(), c => query_as("select yard_id, total, inspected from counters where campaign_id = $1").bind(campaign).fetch_all(c).await)
}

/// Returns the ids of the open and closed campaigns that have vehicles in a yard.
pub async fn list_campaign_ids_in_yard(db: &Db, yard: i64) -> Result<Vec<i64>> {
    on!(db.read_pool(), c => query_scalar(
        "select k.campaign_id from counters k join campaigns c on c.id = k.campaign_id
          where k.yard_id = $1 and k.total > 0 and c.gate in ('open', 'closed') order by k.campaign_id")
        .bind(yard).fetch_all(c).await)
}
