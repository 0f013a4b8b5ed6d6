//! Work that devices hold and have not sent, so that nobody closes a campaign without knowing of it.
use crate::{
    api::told_time,
    error::{Error, Result},
    store::held::{self, Held},
};
use chrono::{DateTime, Utc};
use patio_kit::{clock, db::Tx};
use patio_proto::vehicle as pb;

/// Most campaigns that one device holds work for.
const MOST: usize = 200;
/// Most devices that one person holds work on.
const MOST_DEVICES: i64 = 50;
/// Most saves that a device may say it holds.
const MOST_SAVES: i64 = 1_000_000;

/// What a device says that it holds for a campaign.
#[derive(Debug, Clone, Copy)]
pub struct Told {
    campaign: i64,
    saves: i64,
    oldest_at: DateTime<Utc>,
}

/// Checks what a device tells.
///
/// # Errors
/// Names what is wrong with it.
pub fn read(all: &[pb::HeldWork]) -> Result<Vec<Told>> {
    if all.len() > MOST {
        return Err(Error::Bad(format!("held: at most {MOST} campaigns")));
    }
    let told = |work: &pb::HeldWork| {
        if work.campaign_id < 1 {
            return Err(Error::Bad("held.campaign_id: it is 1 or more".to_owned()));
        }
        if !(1..=MOST_SAVES).contains(&work.saves) {
            return Err(Error::Bad(format!("held.saves: it is between 1 and {MOST_SAVES}")));
        }
        let oldest_at = told_time("held.oldest_at", &work.oldest_at.unwrap_or_default())?;
        Ok(Told { campaign: work.campaign_id, saves: work.saves, oldest_at })
    };
    all.iter().map(told).collect()
}

/// Replaces what a person's device told before.
///
/// # Errors
/// When the person has too many devices, or a statement fails.
pub async fn keep(tx: &mut Tx<'_>, user_id: i64, device: &str, all: &[Told], told_at: DateTime<Utc>) -> Result<()> {
    held::clear(tx, user_id, device).await?;
    if !all.is_empty() && held::devices(tx, user_id).await? >= MOST_DEVICES {
        return Err(Error::Bad(format!("held: one person holds work on at most {MOST_DEVICES} devices")));
    }
    for Told { campaign, saves, oldest_at } in all.iter().copied() {
        held::keep(tx, campaign, &Held { user_id, device: device.to_owned(), saves, oldest_at, told_at }).await?;
    }
    Ok(())
}

impl From<Held> for pb::DeviceWork {
    fn from(held: Held) -> Self {
        Self {
            user_id: held.user_id,
            device: held.device,
            saves: held.saves,
            oldest_at: Some(clock::timestamp(held.oldest_at)),
            told_at: Some(clock::timestamp(held.told_at)),
        }
    }
}
