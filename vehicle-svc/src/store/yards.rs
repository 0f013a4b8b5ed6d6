//! Yards, from their counters.
use patio_kit::{db::Db, on};
use sqlx::{FromRow, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// The counters of one yard.
#[derive(Debug, Clone, Copy, FromRow)]
pub struct Count {
    /// The yard.
    pub yard_id: i64,
    /// Its vehicles.
    pub total: i64,
    /// The inspected ones.
    pub inspected: i64,
}

/// Every yard that has vehicles, over all campaigns that people see.
pub async fn all(db: &Db) -> Result<Vec<Count>> {
    on!(db.read(), c => query_as(
        "select k.yard_id, cast(sum(k.total) as bigint) as total, cast(sum(k.inspected) as bigint) as inspected
           from counters k join campaigns c on c.id = k.campaign_id where c.gate in ('open', 'closed') group by k.yard_id")
        .fetch_all(c).await)
}

/// Every yard of the campaign with a name.
pub async fn of_campaign(db: &Db, name: &str) -> Result<Vec<Count>> {
    on!(db.read(), c => query_as(
        "select k.yard_id, k.total, k.inspected from counters k join campaigns c on c.id = k.campaign_id
          where c.name = $1 and c.gate in ('open', 'closed')")
        .bind(name).fetch_all(c).await)
}

/// The campaigns with vehicles in a yard.
pub async fn campaigns(db: &Db, yard: i64) -> Result<Vec<i64>> {
    on!(db.read(), c => query_scalar(
        "select k.campaign_id from counters k join campaigns c on c.id = k.campaign_id
          where k.yard_id = $1 and k.total > 0 and c.gate in ('open', 'closed') order by k.campaign_id")
        .bind(yard).fetch_all(c).await)
}
