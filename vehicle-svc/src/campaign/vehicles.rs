//! Changes to all vehicles of a campaign at once: import, opening and closing of the campaign, and removal.
use crate::{
    error::{Error, Result},
    parking_space::ParkingSpace,
    store::{campaigns, change_list, counters, jobs, vehicle_columns::ImportedVehicle, vehicles},
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, AuditEvent},
    auth::identity::Caller,
    db::Db,
};
use patio_proto::{vehicle::NewVehicle, vin::Vin};
use std::{collections::HashSet, sync::Arc};

/// Maximum number of vehicles that a transaction deletes; short transactions keep other writers from waiting long.
const DELETE_CHUNK_LEN: i64 = 5_000;

/// Validates the vehicles of an import.
///
/// # Errors
/// Returns `InvalidField` with the first invalid vehicle.
pub fn validate_imported_vehicles(vehicles: &[NewVehicle]) -> Result<Vec<ImportedVehicle>> {
    vehicles
        .iter()
        .map(|new| {
            let identifier = Vin::new(&new.model_code, &new.serial_number).map_err(Error::InvalidField)?;
            let place =
                ParkingSpace::new(&new.parking_space).map_err(|why| Error::InvalidField(format!("{}: {why}", identifier.to_text())))?;
            Ok(ImportedVehicle { identifier, place })
        })
        .collect()
}

/// Returns the number of imported vehicles stored per transaction.
///
/// Large chunks need fewer statements. While users save vehicles, chunks are small, so that saves do not wait long for the single
/// writer of `SQLite` or for the disk.
#[must_use]
pub fn vehicles_per_import_chunk(db: &Db) -> usize {
    match (db.has_recent_writes(), db.is_postgres()) {
        (false, _) => 5_000,
        (true, true) => 200,
        (true, false) => 100,
    }
}

/// Stores vehicles of a draft campaign, one chunk per transaction. The vehicles stay invisible until the campaign is opened. A crash of
/// the database before [`complete_import`] has returned may lose vehicles.
///
/// # Errors
/// Returns `CampaignNotFound` when the campaign is not a draft, and `VinTaken` when a VIN occurs twice in the campaign.
/// import-svc then discards the draft.
pub async fn store_draft_vehicles(db: &Db, campaign: i64, all: Vec<ImportedVehicle>, now: DateTime<Utc>) -> Result<()> {
    let mut rest = all.as_slice();
    while let Some(some) = rest.get(..vehicles_per_import_chunk(db).min(rest.len())).filter(|some| !some.is_empty()) {
        rest = &rest[some.len()..];
        let some: Arc<[ImportedVehicle]> = some.into();
        let own = some.clone();
        let stored = db
            .write_with_deferred_flush(move |tx| {
                Box::pin(async move {
                    if !campaigns::lock_or_create_draft(tx, campaign).await? {
                        return Err(Error::CampaignNotFound(campaign));
                    }
                    Ok(vehicles::insert(tx, campaign, &own, now).await?)
                })
            })
            .await;
        match stored {
            Err(Error::Database(cause)) if patio_kit::errors::is_unique_violation(&cause) => return Err(twice(db, campaign, &some).await),
            other => other?,
        }
    }
    Ok(())
}

/// Returns the error for a rejected import chunk with a duplicate vehicle. The error names the VIN that occurs twice.
async fn twice(db: &Db, campaign: i64, some: &[ImportedVehicle]) -> Error {
    let keys: Vec<String> = some.iter().map(|new| new.identifier.comparison_key()).collect();
    let mut seen = HashSet::new();
    let repeated = some.iter().zip(&keys).find(|(_, key)| !seen.insert(key.as_str())).map(|(new, _)| new.identifier.to_text());
    let present: std::result::Result<Vec<String>, sqlx::Error> =
        db.write(move |tx| Box::pin(async move { vehicles::list_vins_by_comparison_keys(tx, campaign, &keys).await })).await;
    match present {
        Ok(present) => Error::VinTaken(present.into_iter().next().or(repeated).unwrap_or_default()),
        Err(cause) => cause.into(),
    }
}

/// Completes an import: computes the vehicle counters of the draft campaign and records the import as a job. Returns
/// the number of vehicles.
///
/// # Errors
/// Returns `CampaignNotFound` when the campaign is not a draft.
pub async fn complete_import(db: &Db, campaign: i64, import: jobs::NewBulkJob, caller: &Caller, address: String) -> Result<i64> {
    let caller = caller.clone();
    db.write(move |tx| {
        Box::pin(async move {
            if !campaigns::lock_or_create_draft(tx, campaign).await? {
                return Err(Error::CampaignNotFound(campaign));
            }
            let vehicles = counters::recompute_draft_counters(tx, campaign).await?;
            jobs::delete_import_job(tx, campaign).await?;
            let job = jobs::insert(tx, &jobs::NewBulkJob { vehicles, ..import }).await?;
            jobs::insert_job_campaign(tx, job, campaign, vehicles).await?;
            let event = entry(campaign, format!("stored {vehicles} vehicles of campaign {campaign}"), address);
            audit::append(tx, import.at, Some(&caller), event).await?;
            Ok(vehicles)
        })
    })
    .await
}

/// Name of a campaign, and whether the campaign is open or closed, as received from campaign-svc.
#[derive(Debug, Clone)]
pub struct SyncedCampaign {
    /// Id of the campaign, assigned by campaign-svc.
    pub campaign: i64,
    /// Current name of the campaign in campaign-svc.
    pub name: String,
    /// State of the campaign: `open` (accepts saves) or `closed`.
    pub gate: &'static str,
    /// Revision of the campaign in campaign-svc; increases with every change of the campaign. A message is ignored if its revision
    /// is not higher than the stored revision.
    pub revision: i64,
}

/// Maximum difference between a received revision of a campaign and the stored revision. A larger difference is rejected as an
/// error of the sender.
const MAX_REVISION_JUMP: i64 = 100_000;

/// Stores the name and the state (open or closed) of a campaign, unless the same or a newer revision is already stored.
///
/// # Errors
/// Returns `InvalidField` for an implausibly high revision, because vehicle-svc would ignore all later messages after storing
/// such a revision. Also returns the error of a failed statement.
pub async fn store_synced_campaign(db: &Db, set: SyncedCampaign, now: DateTime<Utc>, caller: Caller, address: String) -> Result<()> {
    db.write(move |tx| {
        Box::pin(async move {
            let known = campaigns::load_synced_revision(tx, set.campaign).await?;
            if set.revision > known.unwrap_or_default().saturating_add(MAX_REVISION_JUMP) {
                return Err(Error::InvalidField(format!(
                    "revision: {} is too far ahead of the stored {}",
                    set.revision,
                    known.unwrap_or_default()
                )));
            }
            if campaigns::upsert_synced_campaign(tx, set.campaign, &set.name, set.gate, set.revision).await? {
                let event = entry(set.campaign, format!("campaign {} is \"{}\" and {}", set.campaign, set.name, set.gate), address);
                audit::append(tx, now, Some(&caller), event).await?;
            }
            Ok(())
        })
    })
    .await
}

/// Builds the audit event of a call from another service, such as the import or the deletion of a campaign.
fn entry(campaign: i64, summary: String, address: String) -> AuditEvent {
    AuditEvent { kind: "service-step", subject: format!("campaign {campaign}"), summary, address, ..AuditEvent::default() }
}

/// Deletes a campaign from vehicle-svc: hides the campaign at once, then deletes its vehicles in several transactions.
/// Returns the number of deleted vehicles.
///
/// # Errors
/// Returns the error of a failed statement. The next call continues with the remaining vehicles.
pub async fn delete_campaign(db: &Db, campaign: i64, now: DateTime<Utc>, caller: Caller, address: String) -> Result<u64> {
    db.write(move |tx| Box::pin(async move { campaigns::mark_deleted(tx, campaign).await })).await.map_err(Error::Database)?;
    let mut removed = 0;
    loop {
        let some = db
            .write(move |tx| Box::pin(async move { vehicles::delete_chunk(tx, campaign, DELETE_CHUNK_LEN).await }))
            .await
            .map_err(Error::Database)?;
        removed += some;
        if some == 0 {
            break;
        }
    }
    while db
        .write(move |tx| Box::pin(async move { change_list::delete_changes_of_campaign(tx, campaign, DELETE_CHUNK_LEN).await }))
        .await
        .map_err(Error::Database)?
        > 0
    {}
    if removed > 0 {
        let event = entry(campaign, format!("removed {removed} vehicles of campaign {campaign}"), address);
        db.write(move |tx| Box::pin(async move { audit::append(tx, now, Some(&caller), event).await })).await.map_err(Error::Database)?;
    }
    Ok(removed)
}
