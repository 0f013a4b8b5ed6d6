//! Undo of a bulk job in one transaction.
//!
//! The undo restores a vehicle only if the vehicle still has the content that the job wrote; other vehicles are skipped. A later change
//! is disregarded if that change was undone. The undo of an import closes the imported campaign, so that the campaign accepts no saves;
//! campaign-svc deletes the campaign later.
use crate::{
    bulk_changes::{
        context::BulkCallContext,
        job_history::{JobChangeSet, usize_to_i64},
    },
    error::{Error, Result},
    parking_space::ParkingSpace,
    store::{
        bulk_update_vehicles::{self, VehiclePatch},
        campaigns,
        counters::CampaignCounts,
        job_snapshots::{self, VehicleSnapshot},
        jobs::{self, BulkJob, SkippedVehicle},
        vehicle_lookup::{self, FoundVehicle},
    },
};
use patio_kit::{audit, db::Tx};
use patio_proto::access::Role;
use serde_json::json;
use std::collections::HashMap;

/// Result of the undo of a bulk job.
#[derive(Debug, Default)]
pub struct UndoResult {
    /// Whether the job is undone now; false when the undo changed nothing.
    pub undone: bool,
    /// Number of restored vehicles; for an import, number of vehicles that are deleted with the campaign.
    pub restored: i64,
    /// Vehicles skipped because they were changed after the job.
    pub skipped: Vec<SkippedVehicle>,
    /// Number of vehicles of the job whose campaign was deleted before the undo.
    pub deleted: i64,
    /// Vehicle counters of each changed campaign after the undo.
    pub campaign_counts: Vec<CampaignCounts>,
    /// Whether the undone job is an import. If so, campaign-svc must delete the imported campaign.
    pub deletes_campaign: bool,
}

/// Undoes a bulk job. If the job was undone before, returns the result of the earlier undo.
///
/// # Errors
/// Returns an error, and changes nothing, when the job does not exist, the caller may not undo the job, a campaign of the job is closed,
/// or all campaigns of the job are deleted.
pub async fn undo_job(tx: &mut Tx<'_>, id: i64, run: &BulkCallContext) -> Result<UndoResult> {
    let job = jobs::lock_for_update(tx, id).await?.ok_or(Error::JobNotFound(id))?;
    if job.undone_at.is_some() {
        return load_earlier_result(tx, &job).await;
    }
    if job.supervisor && run.caller.role != Role::Admin {
        return Err(Error::SupervisorRequired);
    }
    let is_import = job.kind == "import";
    let held = jobs::lock_campaigns_of_job(tx, id, is_import).await?;
    if let Some(closed) = held.iter().find(|campaign| campaign.gate == "closed") {
        return Err(Error::CampaignClosed(closed.name.clone()));
    }
    match held.iter().find(|campaign| campaign.gate == "open") {
        None => Err(Error::CampaignsDeleted),
        Some(campaign) if is_import => undo_import(tx, job, campaign.campaign_id, run).await,
        Some(_) => restore_vehicles(tx, job, run).await,
    }
}

/// Returns the stored result of the earlier undo of a job that is already undone.
async fn load_earlier_result(tx: &mut Tx<'_>, job: &BulkJob) -> Result<UndoResult> {
    let kept: Vec<i64> = job_snapshots::list_snapshots_of_job(tx, job.id).await?.iter().map(|before| before.id).collect();
    let skipped = jobs::list_skipped_vehicles(tx, &kept).await?;
    let deleted = job.vehicles - job.restored - usize_to_i64(skipped.len());
    Ok(UndoResult {
        undone: true,
        restored: job.restored,
        skipped,
        deleted,
        deletes_campaign: job.kind == "import",
        ..UndoResult::default()
    })
}

/// Undoes an import: closes the imported campaign and marks the campaign for deletion by campaign-svc. Changes nothing
/// when a vehicle was changed after the import.
async fn undo_import(tx: &mut Tx<'_>, job: BulkJob, campaign: i64, run: &BulkCallContext) -> Result<UndoResult> {
    let skipped = jobs::list_vehicles_changed_after_import(tx, campaign).await?;
    if !skipped.is_empty() {
        return Ok(UndoResult { skipped, ..UndoResult::default() });
    }
    campaigns::close_for_deletion(tx, campaign).await?;
    let restored = job.vehicles;
    record_undo(tx, job, Some(campaign), run, (restored, 0)).await?;
    Ok(UndoResult { undone: true, restored, deletes_campaign: true, ..UndoResult::default() })
}

/// Restores the vehicles of a job to their values from before the job. Skips vehicles that were changed after the job.
async fn restore_vehicles(tx: &mut Tx<'_>, job: BulkJob, run: &BulkCallContext) -> Result<UndoResult> {
    let kept = job_snapshots::list_snapshots_of_job(tx, job.id).await?;
    let now = vehicle_lookup::list_by_ids(tx, &kept.iter().map(|before| before.id).collect::<Vec<_>>(), true).await?;
    let deleted = job.vehicles - usize_to_i64(now.len());
    let mut kept: HashMap<i64, VehicleSnapshot> = kept.into_iter().map(|before| (before.id, before)).collect();
    let all = now.into_iter().filter_map(|vehicle| Some((kept.remove(&vehicle.id)?, vehicle)));
    let (same, others): (Vec<_>, Vec<_>) = all.partition(|(before, vehicle)| vehicle.content == before.version + 1);
    let skipped: Vec<SkippedVehicle> = others.iter().map(|(_, vehicle)| SkippedVehicle::from(vehicle)).collect();
    if same.is_empty() {
        return Ok(UndoResult { skipped, deleted, ..UndoResult::default() });
    }
    let places: Result<Vec<_>> = same.iter().map(|(before, vehicle)| previous_space(before, vehicle)).collect();
    let places = places?;
    let all: Vec<_> = same
        .iter()
        .zip(&places)
        .map(|((before, vehicle), place)| (vehicle, patch_to_snapshot(before, place.as_ref()).without_unchanged_values(vehicle)))
        .collect();
    bulk_update_vehicles::write_patches(tx, &all, run.caller.signed_in_user_id(), run.now).await?;
    let campaign_counts = JobChangeSet::from_patches(&all).update_counters_and_change_list(tx, run.now).await?;
    let restored = usize_to_i64(all.len());
    let same: Vec<VehicleSnapshot> = same.into_iter().map(|(before, _)| before).collect();
    let others: Vec<VehicleSnapshot> = others.into_iter().map(|(before, _)| before).collect();
    job_snapshots::update_snapshots_after_undo(tx, job.id, &same, &others).await?;
    record_undo(tx, job, None, run, (restored, usize_to_i64(skipped.len()))).await?;
    Ok(UndoResult { undone: true, restored, skipped, deleted, campaign_counts, deletes_campaign: false })
}

/// Returns the parking space of a vehicle before the job; `None` when the job did not move the vehicle. The yard comes from the
/// snapshot, since the text of a parking space does not always determine the yard.
fn previous_space(before: &VehicleSnapshot, now: &FoundVehicle) -> Result<Option<ParkingSpace>> {
    let Some((space, yard_id)) = &before.parking_space else { return Ok(None) };
    let place = match now.parking_space() {
        Some(place) if place.space == *space => place,
        _ => ParkingSpace::new(space).map_err(Error::InvalidField)?,
    };
    Ok(Some(ParkingSpace { yard_id: *yard_id, ..place }))
}

/// Returns the values that restore a vehicle to its snapshot from before the job.
fn patch_to_snapshot<'a>(before: &'a VehicleSnapshot, place: Option<&'a ParkingSpace>) -> VehiclePatch<'a> {
    VehiclePatch {
        place,
        status: before.status.as_deref(),
        inspected: before.inspected,
        operator_notes: before.operator_notes.as_deref(),
        admin_notes: before.admin_notes.as_deref(),
    }
}

async fn record_undo(
    tx: &mut Tx<'_>,
    job: BulkJob,
    removing: Option<i64>,
    run: &BulkCallContext,
    (restored, skipped): (i64, i64),
) -> Result<()> {
    let event = audit::AuditEvent {
        kind: "bulk-changed",
        subject: format!("job {}", job.id),
        summary: match removing {
            Some(campaign) => format!("import undone: campaign {campaign} deleted with {restored} vehicles"),
            None => format!("change undone: {restored} vehicles restored, {skipped} skipped"),
        },
        old: Some(json!({ "job": job.id, "kind": job.kind, "detail": job.detail, "vehicles": job.vehicles })),
        new: Some(json!({ "restored": restored, "left": skipped })),
        address: run.address.clone(),
    };
    let undone = BulkJob { undone_at: Some(run.now), undone_by: run.caller.signed_in_user_id(), restored, ..job };
    jobs::record_job_undo(tx, &undone, removing).await?;
    Ok(audit::append(tx, run.now, Some(&run.caller), event).await?)
}

impl From<&FoundVehicle> for SkippedVehicle {
    fn from(vehicle: &FoundVehicle) -> Self {
        Self { id: vehicle.id, vin: vehicle.vin(), campaign_name: vehicle.campaign.name.clone() }
    }
}
