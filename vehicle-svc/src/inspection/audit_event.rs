//! Audit event of a saved inspection: builds the event, and parses from a stored event how the user entered the VIN (typed or
//! scanned).
use crate::{
    error::status_label,
    inspection::save_types::SaveCommand,
    store::{conflicts::NewConflict, editable_fields::EditableFields, vehicles::Vehicle},
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::audit;
use patio_proto::vehicle::Origin;
use serde_json::{Map, Value, json};

/// Tolerated difference between device clock and server clock. The audit event of a save records a larger difference.
const MAX_CLOCK_DIFFERENCE: TimeDelta = TimeDelta::days(1);

/// Kind of the audit events that record a save or a resolved conflict of a vehicle.
pub const VEHICLE_CHANGED_EVENT_KIND: &str = "vehicle-changed";
/// Suffix that marks a conflict in an audit event. In the new values, the suffix follows the name of a field whose change caused a
/// conflict.
pub const CONFLICT_FIELD_SUFFIX: &str = " in conflict";

/// Returns the subject of a vehicle's audit events, such as `vehicle 7`.
#[must_use]
pub fn audit_subject(vehicle: i64) -> String {
    format!("vehicle {vehicle}")
}

/// Returns the last words of an audit event's summary. The words state how the user entered the VIN.
fn origin_text(origin: Origin) -> &'static str {
    match origin {
        Origin::Scanned => "scanned",
        Origin::Typed => "typed",
        Origin::Unspecified => "on the screen",
    }
}

/// Parses how the user entered the VIN (scanned, typed or unspecified) from the summary of a save's audit event.
#[must_use]
pub fn parse_vin_input_method(summary: &str) -> Origin {
    let end = summary.rsplit(',').next().map(str::trim_start);
    [Origin::Scanned, Origin::Typed].into_iter().find(|origin| end == Some(origin_text(*origin))).unwrap_or_default()
}

/// Builds the audit event of a save: old and new value of every changed field, conflicts, and the name and clock time
/// of the device.
pub fn build_save_audit_event(
    before: &Vehicle,
    after: &EditableFields,
    save: &SaveCommand,
    kept: &[NewConflict],
    now: DateTime<Utc>,
) -> audit::AuditEvent {
    let vin = format!("{} {}", before.model_code, before.serial_number);
    let fields = [
        ("vin_number", vin.clone(), after.identifier.to_text()),
        ("parking_space", before.parking_space.clone(), after.place.space.clone()),
        ("status", before.status.clone(), after.status.to_owned()),
        ("operator_notes", before.operator_notes.clone(), after.operator_notes.clone()),
        ("admin_notes", before.admin_notes.clone(), after.admin_notes.clone()),
    ];
    let (mut old, mut new) = (Map::new(), Map::new());
    for (name, was, is) in fields.into_iter().filter(|(_, was, is)| was != is) {
        old.insert(name.to_owned(), json!(was));
        new.insert(name.to_owned(), json!(is));
    }
    if !before.inspected {
        old.insert("inspected".to_owned(), json!(false));
        new.insert("inspected".to_owned(), json!(true));
    }
    // Device time and name come from the client and can be forged, hence the prefix `claimed_`.
    if let Some(at) = save.device_time {
        new.insert("claimed_device_time".to_owned(), json!(at));
        if (now - at).abs() > MAX_CLOCK_DIFFERENCE {
            new.insert("claimed_time_differs_by_hours".to_owned(), json!((now - at).num_hours()));
        }
    }
    if !save.device.is_empty() {
        new.insert("claimed_device".to_owned(), json!(save.device));
    }
    for conflict in kept {
        new.insert(format!("{}{CONFLICT_FIELD_SUFFIX}", conflict.field), json!({ "theirs": conflict.theirs, "mine": conflict.mine }));
    }
    let how = origin_text(save.origin);
    let campaign = &before.campaign_name;
    let mut summary = format!("{vin} of {campaign} saved as {}, {how}", status_label(after.status));
    let rejected = kept.iter().find(|conflict| conflict.field == "status" && conflict.shown == "theirs");
    if let Some(NewConflict { mine, theirs, .. }) = rejected {
        summary = format!("{vin} of {campaign} entered as {}, in conflict with {}, {how}", status_label(mine), status_label(theirs));
    }
    audit::AuditEvent {
        kind: VEHICLE_CHANGED_EVENT_KIND,
        subject: audit_subject(before.id),
        summary,
        old: Some(Value::Object(old)),
        new: Some(Value::Object(new)),
        address: save.address.clone(),
    }
}
