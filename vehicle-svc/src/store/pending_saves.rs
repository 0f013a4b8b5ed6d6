//! SQL statements on the table of pending saves: the number of saves that each device has not sent to the server yet.
use chrono::{DateTime, Utc};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{FromRow, query, query_as, query_scalar};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Pending saves (saves not sent to the server yet) of one user's device for one campaign.
#[derive(Debug, Clone, FromRow)]
pub struct DevicePendingSaves {
    /// Id of the user whose saves are pending.
    pub user_id: i64,
    /// Name of the device on which the saves are pending.
    pub device: String,
    /// Number of pending saves of the device for the campaign.
    pub saves: i64,
    /// Time of the oldest pending save, by the device's clock.
    pub oldest_at: DateTime<Utc>,
    /// Time at which the server received the device's latest report of its pending saves.
    pub told_at: DateTime<Utc>,
}

/// Deletes the reports of pending saves of a user's device, for all campaigns.
pub async fn delete_device_reports(tx: &mut Tx<'_>, user: i64, device: &str) -> Result<()> {
    on!(tx.connection(), c => query("delete from held where user_id = $1 and device = $2").bind(user).bind(device).execute(c).await.map(drop))
}

/// Returns the number of devices on which a user has pending saves (saves not sent to the server yet).
pub async fn count_devices(tx: &mut Tx<'_>, user: i64) -> Result<i64> {
    on!(tx.connection(), c => query_scalar("select count(distinct device) from held where user_id = $1").bind(user).fetch_one(c).await)
}

/// Stores a device's report of pending saves for a campaign. Does nothing when the campaign is a draft or removed.
pub async fn upsert_device_report(tx: &mut Tx<'_>, campaign: i64, report: &DevicePendingSaves) -> Result<()> {
    on!(tx.connection(), c => query(
        "insert into held (user_id, device, campaign_id, saves, oldest_at, told_at)
         select $1, $2, id, $4, $5, $6 from campaigns where id = $3 and gate in ('open', 'closed')
         on conflict (user_id, device, campaign_id) do update
            set saves = excluded.saves, oldest_at = excluded.oldest_at, told_at = excluded.told_at")
        .bind(report.user_id).bind(&report.device).bind(campaign).bind(report.saves).bind(report.oldest_at).bind(report.told_at)
        .execute(c).await.map(drop))
}

/// Returns the reports of pending saves of all devices for a campaign, at most 1,000, oldest pending save first.
pub async fn list_device_reports(db: &Db, campaign: i64) -> Result<Vec<DevicePendingSaves>> {
    on!(db.read_pool(), c => query_as(
        "select user_id, device, saves, oldest_at, told_at from held where campaign_id = $1 order by oldest_at, user_id, device limit 1000")
        .bind(campaign).fetch_all(c).await)
}

/// Returns the number of devices with pending saves for a campaign, and the total number of these pending saves.
pub async fn count_devices_and_saves(db: &Db, campaign: i64) -> Result<(i64, i64)> {
    on!(db.read_pool(), c => query_as("select count(*), cast(coalesce(sum(saves), 0) as bigint) from held where campaign_id = $1")
        .bind(campaign).fetch_one(c).await)
}

/// Returns the number of pending saves (saves not sent to the server yet) of all devices, as the devices last reported.
pub async fn count_pending_saves(db: &Db) -> Result<i64> {
    on!(db.read_pool(), c => query_scalar("select cast(coalesce(sum(saves), 0) as bigint) from held").fetch_one(c).await)
}

/// Deletes the reports of pending saves that were received before the time `before`. Returns the number of deleted reports.
pub async fn purge_expired(tx: &mut Tx<'_>, before: DateTime<Utc>) -> Result<u64> {
    on!(tx.connection(), c => query("delete from held where told_at < $1").bind(before).execute(c).await.map(|done| done.rows_affected()))
}

/// Deletes the reports of pending saves for a campaign that is being removed.
pub async fn delete_device_reports_of_campaign(tx: &mut Tx<'_>, campaign: i64) -> Result<()> {
    on!(tx.connection(), c => query("delete from held where campaign_id = $1").bind(campaign).execute(c).await.map(drop))
}
