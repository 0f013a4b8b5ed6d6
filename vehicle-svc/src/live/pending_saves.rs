//! Pending saves: devices report how many saves wait in their outboxes, so that a supervisor sees the pending saves
//! before closing a campaign.
use crate::{
    device_time::parse_device_time,
    error::{Error, Result},
    store::pending_saves::{self, DevicePendingSaves},
};
use chrono::{DateTime, Utc};
use patio_kit::{clock, db::Tx};
use patio_proto::vehicle as pb;

/// Maximum number of campaigns in one device's report of pending saves (saves not sent to the server yet).
const MAX_CAMPAIGNS: usize = 200;
/// Maximum number of devices with pending saves (saves not sent to the server yet) per user.
const MAX_DEVICES: i64 = 50;
/// Maximum number of pending saves (saves not sent to the server yet) that a device may report for one campaign.
const MAX_PENDING_SAVES: i64 = 1_000_000;

/// Validated report of a device about its pending saves (saves not sent to the server yet) for one campaign.
#[derive(Debug, Clone, Copy)]
pub struct PendingSavesReport {
    campaign: i64,
    saves: i64,
    oldest_at: DateTime<Utc>,
}

/// Validates a device's report of pending saves (saves not sent to the server yet).
///
/// # Errors
/// Returns `InvalidField` with the name of the invalid field.
pub fn validate_device_reports(all: &[pb::PendingSaves]) -> Result<Vec<PendingSavesReport>> {
    if all.len() > MAX_CAMPAIGNS {
        return Err(Error::InvalidField(format!("held: at most {MAX_CAMPAIGNS} campaigns")));
    }
    let read_report = |work: &pb::PendingSaves| {
        if work.campaign_id < 1 {
            return Err(Error::InvalidField("held.campaign_id: must be 1 or more".to_owned()));
        }
        if !(1..=MAX_PENDING_SAVES).contains(&work.saves) {
            return Err(Error::InvalidField(format!("held.saves: must be between 1 and {MAX_PENDING_SAVES}")));
        }
        let oldest_at = parse_device_time("held.oldest_at", &work.oldest_at.unwrap_or_default())?;
        Ok(PendingSavesReport { campaign: work.campaign_id, saves: work.saves, oldest_at })
    };
    all.iter().map(read_report).collect()
}

/// Replaces the previous report of pending saves (saves not sent to the server yet) from a user's device.
///
/// # Errors
/// Returns `InvalidField` when the user has pending saves on too many devices, or the error of a failed statement.
pub async fn replace_device_reports(
    tx: &mut Tx<'_>,
    user_id: i64,
    device: &str,
    all: &[PendingSavesReport],
    told_at: DateTime<Utc>,
) -> Result<()> {
    pending_saves::delete_device_reports(tx, user_id, device).await?;
    if !all.is_empty() && pending_saves::count_devices(tx, user_id).await? >= MAX_DEVICES {
        return Err(Error::InvalidField(format!("held: one user may have pending saves on at most {MAX_DEVICES} devices")));
    }
    for PendingSavesReport { campaign, saves, oldest_at } in all.iter().copied() {
        pending_saves::upsert_device_report(
            tx,
            campaign,
            &DevicePendingSaves { user_id, device: device.to_owned(), saves, oldest_at, told_at },
        )
        .await?;
    }
    Ok(())
}

impl From<DevicePendingSaves> for pb::DevicePendingSaves {
    fn from(held: DevicePendingSaves) -> Self {
        Self {
            user_id: held.user_id,
            device: held.device,
            saves: held.saves,
            oldest_at: Some(clock::to_timestamp(held.oldest_at)),
            told_at: Some(clock::to_timestamp(held.told_at)),
        }
    }
}
