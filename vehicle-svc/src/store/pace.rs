//! The last saves of a campaign's vehicles.
use crate::store::dialect;
use chrono::{DateTime, Utc};
use patio_kit::{db::Db, on};
use sqlx::{AssertSqlSafe, FromRow, query_as};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// What one person saved in one yard.
#[derive(Debug, Clone, FromRow)]
pub struct Saved {
    /// The campaign.
    pub campaign_id: i64,
    /// Who.
    pub user_id: i64,
    /// Where the vehicles stand; none when their spaces lead to no yard.
    pub yard_id: Option<i64>,
    /// How many vehicles.
    pub saves: i64,
    /// The first of these saves.
    pub first_at: DateTime<Utc>,
    /// The last one.
    pub last_at: DateTime<Utc>,
}

/// What people saved in campaigns since a moment; a vehicle counts once, for whoever saved it last.
pub async fn saved(db: &Db, campaigns: &[i64], since: DateTime<Utc>) -> Result<Vec<Saved>> {
    let text = format!(
        "select k.campaign_id, k.saved_by as user_id, v.yard_id, count(*) as saves, min(k.saved_at) as first_at, max(k.saved_at) as last_at
           from changes k join vehicles v on v.id = k.vehicle_id
          where k.campaign_id {} and k.saved_at >= $2 and k.saved_by is not null
          group by k.campaign_id, k.saved_by, v.yard_id",
        dialect::among(db.is_postgres())
    );
    let ids = serde_json::to_string(campaigns).unwrap_or_default();
    on!(db.read(), c => query_as(AssertSqlSafe(text)).bind(&ids).bind(since).fetch_all(c).await)
}

/// How many vehicles of a campaign are not inspected.
#[derive(Debug, Clone, Copy, FromRow)]
pub struct Remaining {
    /// The campaign.
    pub campaign_id: i64,
    /// Its vehicles that are not inspected.
    pub remaining: i64,
}

/// What remains in those of these campaigns that people see.
pub async fn remaining(db: &Db, campaigns: &[i64]) -> Result<Vec<Remaining>> {
    let text = format!(
        "select id as campaign_id, total - inspected as remaining from campaigns where gate in ('open', 'closed') and id {} order by id",
        dialect::among(db.is_postgres())
    );
    let ids = serde_json::to_string(campaigns).unwrap_or_default();
    on!(db.read(), c => query_as(AssertSqlSafe(text)).bind(&ids).fetch_all(c).await)
}
