//! History of a vehicle: saves and resolved conflicts from the audit log, and the bulk jobs and the import that changed the
//! vehicle.
use crate::{
    error::{Error, Result},
    inspection::{audit_event, merge},
    store::{
        job_snapshots::{ValuesAfterJob, VehicleSnapshot},
        jobs::{self, BulkJob, BulkJobWithSnapshot},
        vehicles::Vehicle,
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{audit, clock, db::Db};
use patio_proto::{
    access::Role,
    audit::Event,
    vehicle::{ChangeKind, Field, FieldChange, ListVehicleHistoryResponse, Origin, VehicleChange},
};
use serde_json::{Map, Value};
use std::cmp::Reverse;

/// Lists up to `limit` changes of a vehicle that were made before a given time, newest first. Leaves out changes that the role
/// may not see.
///
/// # Errors
/// Returns the error of a failed statement.
pub async fn list_changes_of_vehicle(
    db: &Db,
    vehicle: &Vehicle,
    role: Role,
    before: DateTime<Utc>,
    limit: usize,
) -> Result<ListVehicleHistoryResponse> {
    let (subject, more) = (audit_event::audit_subject(vehicle.id), limit + 1);
    let fetched = i64::try_from(more).unwrap_or(i64::MAX);
    let (saves, jobs) = tokio::try_join!(
        audit::list_events_by_kind_and_subject(db, (audit_event::VEHICLE_CHANGED_EVENT_KIND, &subject), before, more),
        jobs::list_jobs_of_vehicle(db, (vehicle.campaign_id, vehicle.id), before, fetched),
    )?;
    let mut changes: Vec<VehicleChange> = saves.into_iter().map(of_save).collect();
    for job in jobs {
        changes.push(of_job(job)?);
    }
    changes.sort_by_key(|change| Reverse(change.at.map(|at| (at.seconds, at.nanos))));
    let has_more = changes.len() > limit;
    changes.truncate(limit);
    let next = changes.last().filter(|_| has_more).and_then(|last| last.at);
    if next.is_none()
        && let Some(import) = jobs::find_import_job(db, vehicle.campaign_id).await?.filter(|import| import.at < before)
    {
        changes.push(change(import, ChangeKind::Import));
    }
    if role == Role::Operator {
        for change in &mut changes {
            change.fields.retain(|field| [Field::Status, Field::ParkingSpace].contains(&field.field()));
        }
        changes.retain(|change| !change.fields.is_empty() || change.kind() == ChangeKind::Import);
    }
    Ok(ListVehicleHistoryResponse { changes, next })
}

/// Converts the audit entry of a save or of a resolved conflict to an entry of the vehicle's history.
fn of_save(event: Event) -> VehicleChange {
    let (old, new) = (values(&event.old_values), values(&event.new_values));
    let is_resolution = new.contains_key("conflict");
    let changed = |field: Field| {
        let name = merge::field_name(field);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let conflict = new.get(&format!("{name}{}", audit_event::CONFLICT_FIELD_SUFFIX));
        let in_conflict = conflict.map(|both| (text(both.get("theirs")), text(both.get("mine")), true));
        let plain = new.get(name).map(|value| (text(old.get(name)), text(Some(value)), false));
        let (old, new, in_conflict) = in_conflict.or(plain)?;
        Some(FieldChange { field: field.into(), old, new, in_conflict })
    };
    let device_time = new.get("claimed_device_time").and_then(Value::as_str).and_then(|at| DateTime::parse_from_rfc3339(at).ok());
    VehicleChange {
        at: event.at,
        user_id: event.user_id,
        kind: if is_resolution { ChangeKind::Conflict } else { ChangeKind::Save }.into(),
        origin: if is_resolution { Origin::Unspecified } else { audit_event::parse_vin_input_method(&event.summary) }.into(),
        device_time: device_time.map(|at| clock::to_timestamp(at.to_utc())),
        job_id: None,
        file: String::new(),
        fields: merge::list_editable_fields().filter_map(changed).collect(),
    }
}

/// Parses the JSON values of an audit entry. Returns an empty map for an empty or invalid text.
fn values(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Converts a bulk job to an entry of the vehicle's history, with the values before and after the job.
fn of_job(found: BulkJobWithSnapshot) -> Result<VehicleChange> {
    let VehicleSnapshot { status, parking_space, operator_notes, admin_notes, after, .. } = found.snapshot().map_err(Error::from)?;
    let after = after.unwrap_or_else(|| ValuesAfterJob {
        status: (found.job.kind == "status").then(|| found.job.detail.clone()),
        ..ValuesAfterJob::default()
    });
    let both = [
        (Field::Status, status, after.status),
        (Field::ParkingSpace, parking_space.map(|(space, _)| space), after.space),
        (Field::OperatorNotes, operator_notes, after.operator_notes),
        (Field::AdminNotes, admin_notes, after.admin_notes),
    ];
    let fields = both.into_iter().filter_map(|(field, old, new)| {
        let field = field.into();
        Some(FieldChange { field, old: old?, new: new.unwrap_or_default(), in_conflict: false })
    });
    let fields = fields.collect();
    let kind = match found.job.kind.as_str() {
        "status" => ChangeKind::BulkStatus,
        "space" => ChangeKind::BulkSpace,
        _ => ChangeKind::BulkFile,
    };
    Ok(VehicleChange { fields, ..change(found.job, kind) })
}

/// Converts a bulk job or an import to an entry of the vehicle's history with an empty list of changed fields.
fn change(job: BulkJob, kind: ChangeKind) -> VehicleChange {
    let file = if [ChangeKind::BulkFile, ChangeKind::Import].contains(&kind) { job.detail } else { String::new() };
    VehicleChange {
        at: Some(clock::to_timestamp(job.at)),
        user_id: job.user_id,
        kind: kind.into(),
        job_id: Some(job.id),
        file,
        ..VehicleChange::default()
    }
}
