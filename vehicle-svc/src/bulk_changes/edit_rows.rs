//! Bulk edit by file: validates the rows of a file, previews their changes, and applies all of them in one transaction.
use crate::{
    bulk_changes::{
        context::{BulkCallContext, MAX_VEHICLES_PER_CALL},
        job_history::{self, BulkJobDescription, usize_to_i64},
        preview::{AffectedValues, PREVIEW_VEHICLES, list_hidden_yard_warnings},
    },
    error::{Error, Result},
    notes,
    parking_space::ParkingSpace,
    store::{
        bulk_update_vehicles::VehiclePatch,
        counters::CampaignCounts,
        vehicle_lookup::{self, FoundVehicle, OptionalVehicleColumns, VehicleLookupScope},
    },
};
use patio_kit::{audit, db::Tx};
use patio_proto::{
    access::Role,
    status,
    vehicle::{self as pb, VehicleStatus},
    vin::{self, Vin},
};
use serde_json::json;
use std::collections::HashMap;

/// Maximum number of row errors in a reply; further errors are only counted.
const MAX_LISTED_ERRORS: usize = 500;

/// One validated row of an edit file: VIN and new values of a vehicle. A field that is `None` leaves the
/// vehicle's value unchanged.
#[derive(Debug, Clone)]
pub struct ValidatedEditRow {
    line: i64,
    vin: String,
    key: String,
    /// Comparison key of the model code (upper case, without blanks and hyphens).
    model_key: String,
    place: Option<ParkingSpace>,
    status: Option<VehicleStatus>,
    operator_notes: Option<String>,
    admin_notes: Option<String>,
}

/// Result of a bulk edit by file. For a dry run, the planned result.
#[derive(Debug, Default)]
pub struct EditRowsResult {
    /// Number of vehicles in open campaigns that match the VINs in the rows.
    pub matched: usize,
    /// Number of changed vehicles. For a dry run or rows with errors: number of vehicles that the valid rows would change.
    pub updated: usize,
    /// Validation errors of the rows, each with its line number. If any row has an error, no vehicle is changed.
    pub errors: Vec<pb::LineError>,
    /// Preview for the user: old and new values of up to [`PREVIEW_VEHICLES`] vehicles, field by field.
    pub preview: Vec<pb::Preview>,
    /// Replaced statuses and open conflicts of the vehicles that the valid rows would change; empty after a change.
    pub affected: AffectedValues,
    /// Warnings for the user, one sentence each.
    pub warnings: Vec<String>,
    /// Vehicle counters of each changed campaign after the edit.
    pub campaign_counts: Vec<CampaignCounts>,
}

impl From<EditRowsResult> for pb::BulkEditResponse {
    fn from(mut edited: EditRowsResult) -> Self {
        let total_errors = usize_to_i64(edited.errors.len());
        edited.errors.sort_by_key(|error| error.line);
        edited.errors.truncate(MAX_LISTED_ERRORS);
        Self {
            matched: usize_to_i64(edited.matched),
            updated: usize_to_i64(edited.updated),
            errors: edited.errors,
            total_errors,
            preview: edited.preview,
            warnings: edited.warnings,
            open_conflicts: usize_to_i64(edited.affected.in_conflict.len()),
            replaced_statuses: edited.affected.replaced_statuses,
        }
    }
}

fn wrong(line: i64, message: impl Into<String>) -> pb::LineError {
    pb::LineError { line, message: message.into() }
}

/// Validates rows without loading their vehicles. Returns the valid rows, and the errors of the invalid rows.
///
/// # Errors
/// Returns `InvalidField` when the number of rows exceeds the maximum of a bulk call.
pub fn validate_edit_rows(rows: Vec<pb::EditRow>, role: Role) -> Result<(Vec<ValidatedEditRow>, Vec<pb::LineError>)> {
    if rows.len() > MAX_VEHICLES_PER_CALL {
        return Err(Error::InvalidField(format!("No more than {MAX_VEHICLES_PER_CALL} vehicles at a time.")));
    }
    let (mut good, mut errors) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let line = row.line;
        match read_one(row, role) {
            Err(all) => errors.extend(all.into_iter().map(|message| wrong(line, message))),
            Ok(edit) => good.push(edit),
        }
    }
    let again = named_before(&good);
    errors.extend(good.iter().zip(&again).filter_map(|(edit, first)| {
        let first = (*first)?;
        Some(wrong(edit.line, format!("Same vehicle as in line {first}: {}.", edit.vin)))
    }));
    let mut again = again.into_iter();
    good.retain(|_| again.next().flatten().is_none());
    Ok((good, errors))
}

/// Returns for each row the line number of the previous row with the same VIN; `None` if no earlier row has this VIN. Model codes
/// and VINs are compared without blanks and hyphens.
fn named_before(rows: &[ValidatedEditRow]) -> Vec<Option<i64>> {
    let mut lines = HashMap::with_capacity(rows.len());
    rows.iter().map(|row| lines.insert((row.key.as_str(), row.model_key.as_str()), row.line)).collect()
}

fn read_one(row: pb::EditRow, role: Role) -> Result<ValidatedEditRow, Vec<String>> {
    let mut errors = Vec::new();
    let mut add_error = |found: Result<(), String>| errors.extend(found.err());
    add_error(Vin::new(&row.model_code, &row.serial_number).map(drop));
    add_error(notes::validate_notes("Team Leader Notes", row.operator_notes.as_deref().unwrap_or_default()));
    add_error(notes::validate_notes("Supervisor Notes", row.admin_notes.as_deref().unwrap_or_default()));
    if role != Role::Admin && row.admin_notes.is_some() {
        add_error(Err("Only supervisors can change Supervisor Notes.".to_owned()));
    }
    let place = row.parking_space.as_deref().map(place_of).transpose();
    add_error(place.as_ref().map(drop).map_err(Clone::clone));
    let status = row.status.as_deref().map(status_of).transpose();
    add_error(status.as_ref().map(drop).map_err(Clone::clone));
    match (place, status) {
        (Ok(place), Ok(status)) if errors.is_empty() => {
            let vin = [row.model_code.trim(), " ", row.serial_number.trim()].concat();
            let (key, model_key) = (vin::comparison_key(&vin), vin::comparison_key(&row.model_code));
            Ok(ValidatedEditRow {
                line: row.line,
                key,
                model_key,
                vin,
                place,
                status,
                operator_notes: row.operator_notes,
                admin_notes: row.admin_notes,
            })
        }
        _ => Err(errors),
    }
}

fn place_of(written: &str) -> Result<ParkingSpace, String> {
    match ParkingSpace::new(written) {
        Ok(place) if place.space.is_empty() => Err("Parking Space is empty.".to_owned()),
        other => other.map_err(|why| why.replacen("The parking space", "Parking Space", 1)),
    }
}

fn status_of(written: &str) -> Result<VehicleStatus, String> {
    let all = || status::ALL_VEHICLE_STATUSES[1..].iter().map(|known| status::vehicle_status_text(*known)).collect::<Vec<_>>().join(", ");
    let shown: String = written.chars().take(40).collect();
    match status::parse_vehicle_status(written) {
        Some(known) if known != VehicleStatus::Unspecified => Ok(known),
        _ => Err(format!("Unknown status {shown}. Use one of: {}.", all())),
    }
}

/// Applies all rows of an edit file to their vehicles. Changes nothing when a row has an error or the call is a dry
/// run.
///
/// # Errors
/// Returns an error when a statement fails; the caller must then roll back.
pub async fn apply_edit_rows(
    tx: &mut Tx<'_>,
    rows: &[ValidatedEditRow],
    errors: Vec<pb::LineError>,
    run: &BulkCallContext,
    source: &str,
) -> Result<EditRowsResult> {
    let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
    let wanted = OptionalVehicleColumns {
        identifier: true,
        place: rows.iter().any(|row| row.place.is_some()),
        operator_notes: rows.iter().any(|row| row.operator_notes.is_some()),
        admin_notes: rows.iter().any(|row| row.admin_notes.is_some()),
    };
    let scope = run.vehicle_lookup_scope();
    let scope = VehicleLookupScope { locks_rows: scope.locks_rows && errors.is_empty(), ..scope };
    let mut found = vehicle_lookup::find_by_vin_keys(tx, &keys, wanted, scope).await?;
    found.sort_unstable_by_key(|vehicle| (vehicle.asked, vehicle.id));
    let mut plan = Plan { edited: EditRowsResult { errors, ..EditRowsResult::default() }, ..Plan::default() };
    let mut rest = found.as_slice();
    for (row, place) in rows.iter().zip(1..) {
        let (vehicles, others) = rest.split_at(rest.iter().take_while(|vehicle| vehicle.asked == place).count());
        plan.take(row, vehicles);
        rest = others;
    }
    let Plan { mut edited, changed, supervisor, shown } = plan;
    if run.dry_run || !edited.errors.is_empty() {
        let replaced = changed.iter().map(|(vehicle, patch)| (vehicle.id, patch.status.map(|_| vehicle.status.as_str())));
        edited.affected = AffectedValues::load(tx, replaced).await?;
    }
    edited.preview = preview(tx, shown, &edited.affected).await?;
    edited.warnings = list_hidden_yard_warnings(changed.iter().filter_map(|(vehicle, patch)| Some((vehicle.yard_id, patch.place?))));
    if run.dry_run || !edited.errors.is_empty() || changed.is_empty() {
        return Ok(edited);
    }
    edited.campaign_counts = job_history::record_job_and_patch_vehicles(
        tx,
        &changed,
        run,
        BulkJobDescription { kind: "file", detail: source.to_owned(), supervisor },
    )
    .await?;
    audit::append(tx, run.now, Some(&run.caller), event(changed.len(), run, source)).await?;
    Ok(edited)
}

/// Planned changes of all rows of an edit file, collected before any change is written.
#[derive(Default)]
struct Plan<'a> {
    edited: EditRowsResult,
    changed: Vec<(&'a FoundVehicle, VehiclePatch<'a>)>,
    supervisor: bool,
    /// Up to [`PREVIEW_VEHICLES`] vehicles for the preview: line number, vehicle id and planned changes.
    shown: Vec<(i64, i64, VehiclePatch<'a>)>,
}

impl<'a> Plan<'a> {
    /// Adds one row to the plan. `vehicles` are the vehicles of all campaigns whose VIN has the row's comparison key.
    fn take(&mut self, row: &'a ValidatedEditRow, vehicles: &'a [FoundVehicle]) {
        // `BG3 0001` and `BG30 001` are different cars with one comparison key; the row's model code distinguishes them.
        let vehicles = || vehicles.iter().filter(|vehicle| vin::comparison_key(&vehicle.model_code) == row.model_key);
        let mut open = vehicles().filter(|vehicle| vehicle.campaign.is_open).peekable();
        if open.peek().is_none() {
            let message = match vehicles().next() {
                Some(closed) => format!("{}: campaign {} is closed.", row.vin, closed.campaign.name),
                None => format!("Vehicle not found: {}.", row.vin),
            };
            self.edited.errors.push(wrong(row.line, message));
            return;
        }
        for vehicle in open {
            self.edited.matched += 1;
            let patch = becomes(vehicle, row);
            if self.shown.len() < PREVIEW_VEHICLES {
                self.shown.push((row.line, vehicle.id, patch));
            }
            if !patch.is_empty() {
                self.edited.updated += 1;
                self.supervisor |= patch.admin_notes.is_some();
                self.changed.push((vehicle, patch));
            }
        }
    }
}

/// Builds the preview of an edit. Loads the vehicles again with all columns, since the edit itself loads only the
/// columns that it changes.
async fn preview(tx: &mut Tx<'_>, shown: Vec<(i64, i64, VehiclePatch<'_>)>, affected: &AffectedValues) -> Result<Vec<pb::Preview>> {
    let ids: Vec<i64> = shown.iter().map(|(_, id, _)| *id).collect();
    let found = vehicle_lookup::list_by_ids(tx, &ids, false).await?;
    let found: HashMap<i64, &FoundVehicle> = found.iter().map(|vehicle| (vehicle.id, vehicle)).collect();
    let previews = shown.into_iter().filter_map(|(line, id, patch)| Some(affected.preview_vehicle(line, found.get(&id)?, &patch)));
    Ok(previews.collect())
}

/// Returns the changes that a row makes to a vehicle. The status Repair marks the vehicle as not inspected; any other new status
/// marks it as inspected. Values equal to the stored values are not changes.
fn becomes<'a>(vehicle: &FoundVehicle, row: &'a ValidatedEditRow) -> VehiclePatch<'a> {
    let patch = VehiclePatch {
        place: row.place.as_ref().filter(|place| Some(&place.space) != vehicle.parking_space.as_ref()),
        status: row.status.map(status::vehicle_status_text),
        inspected: row.status.map(|status| status != VehicleStatus::Repair),
        operator_notes: row.operator_notes.as_deref(),
        admin_notes: row.admin_notes.as_deref(),
    };
    patch.without_unchanged_values(vehicle)
}

fn event(vehicles: usize, run: &BulkCallContext, source: &str) -> audit::AuditEvent {
    let from = if source.is_empty() { String::new() } else { format!(" from {source}") };
    audit::AuditEvent {
        kind: "bulk-changed",
        subject: "all campaigns".to_owned(),
        summary: format!("{vehicles} vehicles edited{from}"),
        new: Some(json!({ "source": source })),
        address: run.address.clone(),
        ..audit::AuditEvent::default()
    }
}
