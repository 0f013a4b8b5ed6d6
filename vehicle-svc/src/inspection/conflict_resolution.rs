//! Resolution of a conflict: a user chooses one of the two values that were saved for a field.
use crate::{
    error::{Error, Result},
    inspection::{audit_event, merge, save_types::VehicleWriteResult},
    store::{
        conflicts::{self, Conflict},
        editable_fields::EditableFields,
        idempotency_keys::IdempotencyKey,
        saves::{self, NewSave, VehicleForSave},
        vehicles::{self, Vehicle},
    },
    yard_filter::YardFilter,
};
use chrono::{DateTime, Utc};
use patio_kit::{
    audit::{self, NewAuditEntry},
    auth::identity::Caller,
    db::Tx,
};
use patio_proto::{
    access::Role,
    vehicle::{Field, Side},
};
use serde_json::{Map, Value, json};

/// Request to resolve a conflict by choosing one of its two values.
#[derive(Debug, Clone)]
pub struct ConflictResolutionCommand {
    /// Id of the conflict to resolve.
    pub id: i64,
    /// Chosen value: `Theirs` is the value that was stored first, `Mine` is the value of the later save.
    pub side: Side,
    /// User who resolves the conflict.
    pub caller: Caller,
    /// Time at which the server received the request to resolve the conflict.
    pub now: DateTime<Utc>,
    /// IP address of the client, for the audit log.
    pub address: String,
}

/// Result of an attempt to resolve a conflict.
pub enum ConflictResolutionOutcome {
    /// The conflict is resolved. The variant contains the resolved conflict and its vehicle.
    Done(Box<Conflict>, Box<VehicleWriteResult>),
    /// The conflict stays open, because another save has stored a third value, which now replaces the conflict's value `theirs`.
    /// The variant contains the id and the version of the vehicle.
    Changed(i64, i64),
}

/// Resolves a conflict. Writes the chosen value to the vehicle unless the vehicle already has the chosen value.
///
/// # Errors
/// Returns an error when the conflict does not exist or is already resolved, the caller may not change the field, or
/// the campaign is closed.
pub async fn resolve(tx: &mut Tx<'_>, choice: &ConflictResolutionCommand) -> Result<ConflictResolutionOutcome> {
    let ConflictResolutionCommand { id, side, caller, now, .. } = choice;
    let conflict = conflicts::find(tx, *id).await?.ok_or(Error::ConflictNotFound(*id))?;
    let no_key =
        IdempotencyKey { user_id: caller.user_id, key: String::new(), vehicle_id: conflict.vehicle_id, fingerprint: String::new() };
    let before = saves::load_vehicle(tx, conflict.vehicle_id, &no_key, true).await?.ok_or(Error::ConflictNotFound(*id))?;
    // Read again under the vehicle's lock: another user may have resolved the conflict in the meantime.
    let conflict = conflicts::find(tx, *id).await?.ok_or(Error::ConflictNotFound(*id))?;
    if conflict.settled_at.is_some() {
        return Err(Error::ConflictResolved(*id));
    }
    let field = merge::parse_field(&conflict.field);
    if let Some(words) = merge::supervisor_only_field_label(field).filter(|_| caller.role != Role::Admin) {
        return Err(Error::FieldNotAllowed(words));
    }
    let (stored, value) =
        (merge::stored_field_value(field, &before.vehicle), if *side == Side::Mine { &conflict.mine } else { &conflict.theirs });
    let shows = if conflict.shown == "mine" { &conflict.mine } else { &conflict.theirs };
    if stored != *value && stored != *shows {
        conflicts::replace_theirs(tx, *id, &stored, before.last_change_of_field(field)).await?;
        return Ok(ConflictResolutionOutcome::Changed(before.vehicle.id, before.vehicle.version));
    }
    conflicts::mark_resolved(tx, *id, merge::conflict_side_text(*side), (caller.signed_in_user_id(), *now)).await?;
    let event = event(&conflict, &before.vehicle, (&stored, value), choice);
    let moved = if stored == *value {
        audit::append(tx, *now, Some(caller), event).await?;
        let vehicle = vehicles::find_in_transaction(tx, conflict.vehicle_id, YardFilter::All).await?.ok_or(Error::ConflictNotFound(*id))?;
        VehicleWriteResult { vehicle, campaign_counts: None, revision: None }
    } else {
        write(tx, &before, (field, value), (&no_key, &NewAuditEntry::new(*now, Some(caller), event))).await?
    };
    let settled = conflicts::find(tx, *id).await?.ok_or(Error::ConflictNotFound(*id))?;
    Ok(ConflictResolutionOutcome::Done(Box::new(settled), Box::new(moved)))
}

/// Writes the chosen value of a conflict to the vehicle's field.
async fn write(
    tx: &mut Tx<'_>,
    before: &VehicleForSave,
    (field, value): (Field, &str),
    (key, entry): (&IdempotencyKey, &NewAuditEntry),
) -> Result<VehicleWriteResult> {
    let vehicle = &before.vehicle;
    if vehicle.gate == "closed" {
        return Err(Error::CampaignClosed(vehicle.campaign_name.clone()));
    }
    let mut content = EditableFields::from_vehicle(vehicle);
    merge::set_field_from_text(&mut content, vehicle, field, value)?;
    let deltas = content.counter_deltas(vehicle);
    let change = NewSave { before: vehicle, content: &content, deltas: &deltas, entry, key, yard_filter: YardFilter::All };
    let after = saves::write_save(tx, &change).await.map_err(|cause| content.convert_save_error(cause))?;
    let mut moved = VehicleWriteResult::from_row(after.ok_or(Error::VehicleNotFound(vehicle.id))?, &deltas);
    // Load the vehicle again: on PostgreSQL the save counts open conflicts as they were when its statement began.
    moved.vehicle = vehicles::find_in_transaction(tx, vehicle.id, YardFilter::All).await?.ok_or(Error::VehicleNotFound(vehicle.id))?;
    Ok(moved)
}

fn event(conflict: &Conflict, vehicle: &Vehicle, (was, is): (&str, &str), choice: &ConflictResolutionCommand) -> audit::AuditEvent {
    let vin = format!("{} {}", vehicle.model_code, vehicle.serial_number);
    let (mut old, mut new) = (Map::new(), Map::new());
    if was != is {
        old.insert(conflict.field.clone(), json!(was));
        new.insert(conflict.field.clone(), json!(is));
    }
    new.insert("conflict".to_owned(), json!(conflict.id));
    new.insert("chosen".to_owned(), json!(merge::conflict_side_text(choice.side)));
    audit::AuditEvent {
        kind: audit_event::VEHICLE_CHANGED_EVENT_KIND,
        subject: audit_event::audit_subject(vehicle.id),
        summary: format!("{vin} in {}: conflict on {} resolved", vehicle.campaign_name, conflict.field),
        old: Some(Value::Object(old)),
        new: Some(Value::Object(new)),
        address: choice.address.clone(),
    }
}
