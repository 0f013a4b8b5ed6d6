//! Rules of a save: which fields and which statuses a role may change.
use crate::{
    error::{Error, Result},
    inspection::{merge, save_types::SaveCommand},
    store::{
        conflicts::NewConflict,
        editable_fields::{EditableFields, parking_space_after_save},
        saves::VehicleForSave,
        vehicles::Vehicle,
    },
};
use patio_proto::{access::Role, status};

/// Checks whether a save is allowed. Returns the vehicle's new content and the conflicts.
///
/// # Errors
/// Returns the error of the first rule that the save breaks.
pub fn apply_save_rules(role: Role, found: &VehicleForSave, save: &SaveCommand) -> Result<(EditableFields, Vec<NewConflict>)> {
    let before = &found.vehicle;
    if save.seen_vin.as_ref().is_some_and(|seen| *seen != before.to_vin()) {
        return Err(Error::VinMismatch { id: before.id, vin: before.to_vin().to_text() });
    }
    if save.base.is_none() && save.if_version.is_some_and(|seen| seen != before.version) {
        return Err(Error::OutdatedVersion { id: before.id, current_version: before.version });
    }
    reject_if(save.campaign_id.is_some_and(|id| id != before.campaign_id), "the campaign of a vehicle")?;
    match &save.base {
        Some(base) => merge::merge_save(role, found, save, base),
        None => evaluate_without_base(role, before, save).map(|content| (content, Vec::new())),
    }
}

/// Applies the rules to a save without base values (the values that the client saw). Returns the vehicle's new content. The caller
/// must have checked the vehicle's version.
fn evaluate_without_base(role: Role, before: &Vehicle, save: &SaveCommand) -> Result<EditableFields> {
    let is_admin = role == Role::Admin;
    let identifier = before.to_vin();
    reject_if(!is_admin && save.vin.as_ref().is_some_and(|vin| *vin != identifier), "the VIN")?;
    reject_if(!is_admin && save.place.as_ref().is_some_and(|place| place.space != before.parking_space), "the parking space")?;
    reject_if(!is_admin && save.admin_notes.as_ref().is_some_and(|notes| *notes != before.admin_notes), "the supervisor notes")?;
    if before.gate == "closed" {
        return Err(Error::CampaignClosed(before.campaign_name.clone()));
    }
    let from = status::parse_vehicle_status(&before.status).unwrap_or_default();
    let to = save.status.unwrap_or(from);
    if !status::is_vehicle_status_change_allowed(role, from, to) {
        return Err(Error::StatusNotAllowed { from: status::vehicle_status_text(from), to: status::vehicle_status_text(to) });
    }
    Ok(EditableFields {
        identifier: save.vin.clone().unwrap_or(identifier),
        place: parking_space_after_save(before, save.place.clone()),
        status: status::vehicle_status_text(to),
        operator_notes: save.operator_notes.clone().unwrap_or_else(|| before.operator_notes.clone()),
        admin_notes: save.admin_notes.clone().unwrap_or_else(|| before.admin_notes.clone()),
    })
}

fn reject_if(wrong: bool, field: &'static str) -> Result<()> {
    if wrong { Err(Error::FieldNotAllowed(field)) } else { Ok(()) }
}
