//! Work that devices hold and have not sent.
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// What one device of one person holds for a campaign.
#[derive(Debug, Clone, FromRow)]
pub struct Held {
    /// Who.
    pub user_id: i64,
    /// What the installation calls itself.
    pub device: String,
    /// How many saves.
    pub saves: i64,
    /// When the first of them was done, by the device's clock.
    pub oldest_at: DateTime<Utc>,
    /// When the device told it.
    pub told_at: DateTime<Utc>,
}

/// Forgets what a device of a person told before.
pub async fn clear(tx: &mut Tx<'_>, user: i64, device: &str) -> Result<()> {
    on!(tx.on(), c => query("delete from held where user_id = $1 and device = $2").bind(user).bind(device).execute(c).await.map(drop))
}

/// On how many devices a person holds work.
pub async fn devices(tx: &mut Tx<'_>, user: i64) -> Result<i64> {
    on!(tx.on(), c => query_scalar("select count(distinct device) from held where user_id = $1").bind(user).fetch_one(c).await)
}

/// Keeps what a device holds for a campaign; nothing of one that people do not see.
pub async fn keep(tx: &mut Tx<'_>, campaign: i64, held: &Held) -> Result<()> {
    on!(tx.on(), c => query(
        "insert into held (user_id, device, campaign_id, saves, oldest_at, told_at)
         select $1, $2, id, $4, $5, $6 from campaigns where id = $3 and gate in ('open', 'closed')
         on conflict (user_id, device, campaign_id) do update
            set saves = excluded.saves, oldest_at = excluded.oldest_at, told_at = excluded.told_at")
        .bind(held.user_id).bind(&held.device).bind(campaign).bind(held.saves).bind(held.oldest_at).bind(held.told_at)
        .execute(c).await.map(drop))
}

/// What all devices hold for a campaign, what has waited longest first.
pub async fn of(db: &Db, campaign: i64) -> Result<Vec<Held>> {
    on!(db.read(), c => query_as(
        "select user_id, device, saves, oldest_at, told_at from held where campaign_id = $1 order by oldest_at, user_id, device limit 1000")
        .bind(campaign).fetch_all(c).await)
}

/// How many devices hold work for a campaign, and how many saves that is.
pub async fn count(db: &Db, campaign: i64) -> Result<(i64, i64)> {
    on!(db.read(), c => query_as("select count(*), cast(coalesce(sum(saves), 0) as bigint) from held where campaign_id = $1")
        .bind(campaign).fetch_one(c).await)
}

/// Forgets what was told before a moment; how much.
pub async fn forget(tx: &mut Tx<'_>, before: DateTime<Utc>) -> Result<u64> {
    on!(tx.on(), c => query("delete from held where told_at < $1").bind(before).execute(c).await.map(|done| done.rows_affected()))
}

/// Forgets what is held for a campaign that goes.
pub async fn forget_campaign(tx: &mut Tx<'_>, campaign: i64) -> Result<()> {
    on!(tx.on(), c => query("delete from held where campaign_id = $1").bind(campaign).execute(c).await.map(drop))
}
