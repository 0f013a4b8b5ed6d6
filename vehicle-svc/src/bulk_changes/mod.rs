//! Bulk changes of status and parking space, each previewed or written in one transaction.
//!
//! The submodules contain bulk edits from an uploaded file, the history of bulk jobs, and the undo of bulk jobs. `inspection`
//! contains saves of single vehicles.

pub(crate) mod context;
pub(crate) mod edit_rows;
pub mod job_history;
pub(crate) mod preview;
pub(crate) mod undo;

use crate::{
    bulk_changes::{
        context::{BulkCallContext, BulkChangeResult, MAX_VEHICLES_PER_CALL, SkipReason},
        job_history::{BulkJobDescription, JobChangeSet, usize_to_i64},
        preview::{AffectedValues, list_hidden_yard_warnings},
    },
    error::{Error, Result},
    parking_space::ParkingSpace,
    store::{
        bulk_update_vehicles::{self, VehiclePatch},
        status_change_targets::{self, StatusChangeTarget},
        vehicle_lookup::{self, FoundVehicle, OptionalVehicleColumns},
    },
};
use patio_kit::{audit, db::Tx};
use patio_proto::{
    access::Role,
    normalization, status,
    vehicle::{Preview, StatusAction, VehicleStatus},
    vin,
};
use serde_json::json;
use std::collections::{HashMap, HashSet};

/// Requested change of a bulk call that sets or clears the status of vehicles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusChange {
    /// Whether the bulk call sets or clears the status of the vehicles.
    pub action: StatusAction,
    /// Status to set; ignored when the call clears the status.
    pub status: VehicleStatus,
}

/// Requested VINs of a bulk call without duplicates, each with its comparison key (upper case, without blanks and hyphens).
struct Asked<'a> {
    written: &'a [String],
    keys: Vec<String>,
    /// For each VIN, the index (from 0) of the last request line that contains the VIN.
    rows: Vec<usize>,
    /// For each VIN, the comparison key of the requested model code; `None` when no request line shows the model code. A line shows the
    /// model code if a blank separates the model code from the serial number. The first line that shows the model code applies.
    models: Vec<Option<String>>,
    /// Number of request lines that repeat the VIN of an earlier line.
    repeated: usize,
    /// Indexes (from 0) in `keys` of ambiguous VINs. A VIN is ambiguous if request lines with the same key contain different model codes,
    /// such as `BG3 0001` and `BG30 001`.
    cut_twice: HashSet<usize>,
}

impl<'a> Asked<'a> {
    fn of(written: &'a [String]) -> Result<Self> {
        let mut asked = Self {
            written,
            keys: Vec::with_capacity(written.len()),
            rows: Vec::with_capacity(written.len()),
            models: Vec::with_capacity(written.len()),
            repeated: 0,
            cut_twice: HashSet::new(),
        };
        let mut places = HashMap::<String, usize>::with_capacity(written.len());
        for (row, text) in written.iter().enumerate() {
            let key = vin::comparison_key(text);
            if key.is_empty() {
                continue;
            }
            let model = model_of(text);
            match places.get(&key) {
                Some(&place) => {
                    if let Some(model) = model
                        && *asked.models[place].get_or_insert_with(|| model.clone()) != model
                    {
                        asked.cut_twice.insert(place);
                    }
                    asked.rows[place] = row;
                    asked.repeated += 1;
                }
                None => {
                    places.insert(key.clone(), asked.keys.len());
                    asked.keys.push(key);
                    asked.rows.push(row);
                    asked.models.push(model);
                }
            }
        }
        if asked.keys.len() > MAX_VEHICLES_PER_CALL {
            Err(Error::InvalidField(format!("No more than {MAX_VEHICLES_PER_CALL} vehicles at a time.")))
        } else {
            Ok(asked)
        }
    }

    /// Returns `true` when a requested VIN does not show which vehicle the caller means. `asked` is the position of the VIN in `keys`,
    /// counted from 1. `fits_several` is `true` when vehicles with different model codes have the VIN's comparison key.
    fn is_ambiguous(&self, asked: i64, fits_several: bool) -> bool {
        let is_cut_twice = usize::try_from(asked - 1).is_ok_and(|place| self.cut_twice.contains(&place));
        is_cut_twice || (fits_several && self.written.get(self.row(asked)).and_then(|last| model_of(last)).is_none())
    }

    /// Returns `true` when a requested VIN can mean a vehicle whose model code has the comparison key `model`. `asked` is the position of
    /// the VIN in `keys`, counted from 1. A VIN without a written model code can mean any vehicle with its comparison key.
    fn can_mean(&self, asked: i64, model: &str) -> bool {
        let written = usize::try_from(asked - 1).ok().and_then(|place| self.models.get(place)?.as_deref());
        written.is_none_or(|written| written == model)
    }

    /// Returns two lists: the vehicles that the caller means, and the vehicles whose requested VIN is ambiguous. The first list omits
    /// vehicles whose model code differs from the model code in the request.
    ///
    /// `asked_and_model` returns the position (from 1) in `keys` of a vehicle's requested VIN, and the vehicle's model code. Vehicles with
    /// the same model code in several campaigns do not make a VIN ambiguous.
    fn split_ambiguous<T>(&self, found: Vec<T>, asked_and_model: impl Fn(&T) -> (i64, &str)) -> (Vec<T>, Vec<T>) {
        let models: Vec<String> = found.iter().map(|vehicle| vin::comparison_key(asked_and_model(vehicle).1)).collect();
        let mut first_models = HashMap::<i64, &str>::with_capacity(found.len());
        let mut several = HashSet::<i64>::new();
        for (vehicle, model) in found.iter().zip(&models) {
            let asked = asked_and_model(vehicle).0;
            if *first_models.entry(asked).or_insert(model.as_str()) != model.as_str() {
                several.insert(asked);
            }
        }
        let (mut meant, mut unclear) = (Vec::with_capacity(found.len()), Vec::new());
        for (vehicle, model) in found.into_iter().zip(&models) {
            let asked = asked_and_model(&vehicle).0;
            if self.is_ambiguous(asked, several.contains(&asked)) {
                unclear.push(vehicle);
            } else if self.can_mean(asked, model) {
                meant.push(vehicle);
            }
        }
        (meant, unclear)
    }

    fn keys(&self) -> Vec<&str> {
        self.keys.iter().map(String::as_str).collect()
    }

    /// Returns the index (from 0) of the last request line that contains a VIN. `asked` is the position (from 1) of the VIN
    /// in `keys`.
    fn row(&self, asked: i64) -> usize {
        usize::try_from(asked - 1).ok().and_then(|place| self.rows.get(place)).copied().unwrap_or_default()
    }

    /// Creates the result of a bulk call: number of matching vehicles, requested VINs without a match, and a warning about repeated VINs.
    /// `found` yields, for each matching vehicle, the position (from 1) of its requested VIN in `keys`.
    fn outcome(&self, found: impl Iterator<Item = i64>) -> BulkChangeResult {
        let found: Vec<usize> = found.map(|asked| self.row(asked)).collect();
        let matched = found.len();
        let present: HashSet<usize> = found.into_iter().collect();
        let missing = self.rows.iter().filter(|row| !present.contains(row));
        let not_found = missing.map(|row| self.written[*row].split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let warnings = match self.repeated {
            0 => Vec::new(),
            1 => vec!["One line repeats a vehicle of an earlier line. The vehicle counts once.".to_owned()],
            many => vec![format!("{many} lines repeat vehicles of earlier lines. Each vehicle counts once.")],
        };
        BulkChangeResult { matched, not_found, warnings, ..BulkChangeResult::default() }
    }
}

/// Sets or clears the status of the vehicles with the given VINs.
///
/// # Errors
/// Returns `InvalidField` when the call names too many vehicles, or the error of a failed statement. In both cases no vehicle
/// is changed.
pub async fn change_status(tx: &mut Tx<'_>, vins: &[String], change: StatusChange, run: &BulkCallContext) -> Result<BulkChangeResult> {
    let new = status_patch(run.caller.role, change);
    let (status, inspected) = (new.status.unwrap_or_default(), new.inspected.unwrap_or_default());
    let asked = Asked::of(vins)?;
    let found = status_change_targets::find_status_change_targets(tx, &asked.keys(), new, run.vehicle_lookup_scope()).await?;
    let (meant, unclear) = asked.split_ambiguous(found, |vehicle| (vehicle.asked, vehicle.model_code.as_str()));
    let mut outcome = asked.outcome(meant.iter().chain(&unclear).map(|vehicle| vehicle.asked));
    let (open, closed): (Vec<_>, Vec<_>) = meant.into_iter().partition(|vehicle| vehicle.is_open);
    let (todo, left): (Vec<_>, Vec<_>) = open.into_iter().partition(|vehicle| vehicle.status != status);
    let reason = if change.action == StatusAction::Remove { SkipReason::NoStatus } else { SkipReason::SameStatus };
    outcome.warnings.extend(warn_of_retained_notes(todo.iter().filter(|vehicle| vehicle.keeps_notes).count()));
    let skipped = |all: Vec<StatusChangeTarget>, why| all.into_iter().map(move |vehicle| (vehicle.vin(), why));
    outcome.skipped = skipped(unclear, SkipReason::AmbiguousVin).collect();
    outcome.skipped.extend(skipped(closed, SkipReason::CampaignClosed).chain(skipped(left, reason)));
    outcome.updated = todo.len();
    if run.dry_run || todo.is_empty() {
        let (preview, affected) = preview_status(tx, &asked, &todo, new, run.preview_limit).await?;
        return Ok(BulkChangeResult { preview, ..outcome }.with_affected_values(affected));
    }
    let mut touched = JobChangeSet::default();
    for vehicle in &todo {
        let here = |inspected| (vehicle.yard_id, inspected);
        touched.add_vehicle(vehicle.campaign_id, vehicle.snapshot_before_change(), (here(vehicle.inspected), here(inspected)), false);
        touched.add_status_change(vehicle.campaign_id, (vehicle.yard_id, &vehicle.status), (vehicle.yard_id, status));
    }
    let supervisor = todo.iter().any(|vehicle| !vehicle.admin_notes.is_empty());
    touched.record_job(tx, run, BulkJobDescription { kind: "status", detail: status.to_owned(), supervisor }).await?;
    bulk_update_vehicles::write_patch_to_vehicles(tx, &touched.vehicle_ids(), new, run.caller.signed_in_user_id(), run.now).await?;
    outcome.campaign_counts = touched.update_counters_and_change_list(tx, run.now).await?;
    let updated = outcome.updated;
    let summary = if status.is_empty() {
        format!("status removed from {updated} vehicles")
    } else {
        format!("{updated} vehicles changed to {status}")
    };
    audit::append(tx, run.now, Some(&run.caller), event(summary, run, &json!({ "status": status }))).await?;
    Ok(outcome)
}

/// Returns the comparison key of the model code if the VIN consists of two parts separated by blanks, such as `BG3 0001`. Otherwise
/// returns `None`. Parts that consist only of hyphens or asterisks are ignored, so `* BG3 0001 *` also has two parts.
fn model_of(written: &str) -> Option<String> {
    let written = normalization::normalize_identifier(written);
    let mut parts = written.split(' ').map(vin::comparison_key).filter(|part| !part.is_empty());
    match (parts.next(), parts.next(), parts.next()) {
        (Some(model), Some(_), None) => Some(model),
        _ => None,
    }
}

/// Returns a warning with the number of vehicles that keep their supervisor notes; `None` when the number is 0. Only
/// supervisors may change these notes.
fn warn_of_retained_notes(vehicles: usize) -> Option<String> {
    match vehicles {
        0 => None,
        1 => Some("One vehicle keeps its supervisor notes. Only a supervisor can clear them.".to_owned()),
        many => Some(format!("{many} vehicles keep their supervisor notes. Only a supervisor can clear them.")),
    }
}

/// Returns the preview of a status change: old and new values of up to `limit` vehicles in the order of [`preview`], and the statuses and
/// conflicts that the change affects in all vehicles.
async fn preview_status(
    tx: &mut Tx<'_>,
    asked: &Asked<'_>,
    todo: &[StatusChangeTarget],
    new: VehiclePatch<'_>,
    limit: usize,
) -> Result<(Vec<Preview>, AffectedValues)> {
    let affected = AffectedValues::load(tx, todo.iter().map(|vehicle| (vehicle.id, Some(vehicle.status.as_str())))).await?;
    let place =
        |vehicle: &StatusChangeTarget| (!affected.needs_review(vehicle.id, &vehicle.status, true), asked.row(vehicle.asked), vehicle.id);
    let mut rows: Vec<_> = todo.iter().map(place).collect();
    rows.sort_unstable();
    rows.truncate(limit);
    let ids: Vec<i64> = rows.iter().map(|(_, _, id)| *id).collect();
    let rows: HashMap<i64, usize> = rows.into_iter().map(|(_, row, id)| (id, row)).collect();
    let shown = vehicle_lookup::list_by_ids(tx, &ids, false).await?;
    let row = |vehicle: &FoundVehicle| rows.get(&vehicle.id).copied().unwrap_or_default();
    let changed = shown.iter().map(|vehicle| (row(vehicle), vehicle, new.without_unchanged_values(vehicle))).collect();
    Ok((preview(changed, &affected, limit), affected))
}

/// Returns the new values that a status change writes. Clearing the status also clears the notes of operators and team leaders, and
/// the supervisor notes if the caller is a supervisor.
fn status_patch(role: Role, change: StatusChange) -> VehiclePatch<'static> {
    let removes = change.action == StatusAction::Remove;
    VehiclePatch {
        status: Some(if removes { "" } else { status::vehicle_status_text(change.status) }),
        inspected: Some(!removes && change.status != VehicleStatus::Repair),
        operator_notes: removes.then_some(""),
        admin_notes: (removes && role == Role::Admin).then_some(""),
        place: None,
    }
}

/// Moves vehicles to other parking spaces. If two lines contain the same vehicle, the last line applies.
///
/// # Errors
/// Returns `InvalidField` when the call names too many vehicles, or the error of a failed statement. In both cases no vehicle is
/// changed.
pub async fn move_vehicles(tx: &mut Tx<'_>, moves: &[(String, ParkingSpace)], run: &BulkCallContext) -> Result<BulkChangeResult> {
    let written: Vec<String> = moves.iter().map(|(vin, _)| vin.clone()).collect();
    let asked = Asked::of(&written)?;
    let found = vehicle_lookup::find_by_vin_keys(
        tx,
        &asked.keys(),
        OptionalVehicleColumns { place: true, ..OptionalVehicleColumns::default() },
        run.vehicle_lookup_scope(),
    )
    .await?;
    let (meant, unclear) = asked.split_ambiguous(found, |vehicle| (vehicle.asked, vehicle.model_code.as_str()));
    let mut outcome = asked.outcome(meant.iter().chain(&unclear).map(|vehicle| vehicle.asked));
    let (open, closed): (Vec<&FoundVehicle>, Vec<&FoundVehicle>) = meant.iter().partition(|vehicle| vehicle.campaign.is_open);
    outcome.skipped = unclear.iter().map(|vehicle| (vehicle.vin(), SkipReason::AmbiguousVin)).collect();
    outcome.skipped.extend(closed.iter().map(|vehicle| (vehicle.vin(), SkipReason::CampaignClosed)));
    let mut moved = Vec::new();
    for vehicle in open {
        let row = asked.row(vehicle.asked);
        let Some((_, place)) = moves.get(row) else { continue };
        if Some(&place.space) == vehicle.parking_space.as_ref() {
            outcome.skipped.push((vehicle.vin(), SkipReason::SameSpace));
            continue;
        }
        moved.push((row, vehicle, VehiclePatch { place: Some(place), ..VehiclePatch::default() }));
    }
    outcome.updated = moved.len();
    outcome
        .warnings
        .extend(list_hidden_yard_warnings(moved.iter().filter_map(|(_, vehicle, patch)| Some((vehicle.yard_id, patch.place?)))));
    if run.dry_run || moved.is_empty() {
        let affected = AffectedValues::load(tx, moved.iter().map(|(_, vehicle, _)| (vehicle.id, None))).await?;
        outcome.preview = preview(moved, &affected, run.preview_limit);
        return Ok(outcome.with_affected_values(affected));
    }
    let all: Vec<_> = moved.into_iter().map(|(_, vehicle, patch)| (vehicle, patch)).collect();
    outcome.campaign_counts =
        job_history::record_job_and_patch_vehicles(tx, &all, run, BulkJobDescription { kind: "space", ..BulkJobDescription::default() })
            .await?;
    audit::append(
        tx,
        run.now,
        Some(&run.caller),
        event(format!("{} vehicles moved to another parking space", outcome.updated), run, &json!({})),
    )
    .await?;
    Ok(outcome)
}

/// Returns the preview of planned changes: old and new values of up to `limit` vehicles. Vehicles whose change needs a look come first,
/// then the others, each in the order of the requested VINs.
fn preview(mut changed: Vec<(usize, &FoundVehicle, VehiclePatch<'_>)>, affected: &AffectedValues, limit: usize) -> Vec<Preview> {
    changed.sort_by_key(|(row, vehicle, patch)| {
        (!affected.needs_review(vehicle.id, &vehicle.status, patch.status.is_some()), *row, vehicle.id)
    });
    let shown = changed.iter().take(limit);
    shown.map(|(row, vehicle, patch)| affected.preview_vehicle(usize_to_i64(row + 1), vehicle, patch)).collect()
}

fn event(summary: String, run: &BulkCallContext, new: &serde_json::Value) -> audit::AuditEvent {
    let subject = run.campaign.map_or_else(|| "all campaigns".to_owned(), |id| format!("campaign {id}"));
    audit::AuditEvent {
        kind: "bulk-changed",
        subject,
        summary,
        new: Some(new.clone()),
        address: run.address.clone(),
        ..audit::AuditEvent::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vin_in_two_parts_shows_its_model_code() {
        for written in ["BG3 0001", " bg-3\u{a0}\t0001 ", "* BG3 0001 *", "*BG3 0001*", "BG3 - 0001"] {
            assert_eq!(model_of(written).as_deref(), Some("BG3"), "{written:?}");
        }
        for written in ["BG30001", " BG30001 ", "* BG30001 *", "BG3 00 01", "-", ""] {
            assert_eq!(model_of(written), None, "{written:?}");
        }
    }
}
