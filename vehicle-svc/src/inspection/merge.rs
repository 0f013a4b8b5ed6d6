//! Three-way merge of a save: compares, for each field, the value that the client saw, the stored value and the requested value, to
//! find conflicts.
use crate::{
    error::{Error, Result},
    inspection::save_types::{MergeBase, SaveCommand},
    parking_space::ParkingSpace,
    store::{
        conflicts::NewConflict,
        editable_fields::{EditableFields, parking_space_after_save},
        saves::VehicleForSave,
        vehicles::Vehicle,
    },
};
use patio_proto::{
    access::Role,
    status,
    vehicle::{Field, Side, VehicleStatus},
    vin::Vin,
};

/// Fields of a vehicle that can be merged, each with the protobuf value and the name in the REST API.
const FIELDS: [(Field, &str); 5] = [
    (Field::Status, "status"),
    (Field::OperatorNotes, "operator_notes"),
    (Field::AdminNotes, "admin_notes"),
    (Field::VinNumber, "vin_number"),
    (Field::ParkingSpace, "parking_space"),
];

/// Returns the fields of a vehicle that users can change.
pub fn list_editable_fields() -> impl Iterator<Item = Field> {
    FIELDS.into_iter().map(|(field, _)| field)
}

/// Returns the name of a vehicle's field, as used in the REST API and in the database.
#[must_use]
pub fn field_name(field: Field) -> &'static str {
    FIELDS.iter().find(|(known, _)| *known == field).map_or("", |(_, name)| name)
}

/// Returns the field with the given name, or `Unspecified` for an unknown name.
#[must_use]
pub fn parse_field(name: &str) -> Field {
    FIELDS.iter().find(|(_, known)| *known == name).map_or(Field::Unspecified, |(field, _)| *field)
}

/// Returns the database text of a conflict side: `theirs` for the value stored first, `mine` for the value of the later save.
#[must_use]
pub fn conflict_side_text(side: Side) -> &'static str {
    if side == Side::Mine { "mine" } else { "theirs" }
}

/// Returns the name of a supervisor-only field for error messages, or `None` for a field that every role may change.
#[must_use]
pub fn supervisor_only_field_label(field: Field) -> Option<&'static str> {
    match field {
        Field::VinNumber => Some("the VIN"),
        Field::ParkingSpace => Some("the parking space"),
        Field::AdminNotes => Some("the supervisor notes"),
        Field::Status | Field::OperatorNotes | Field::Unspecified => None,
    }
}

/// Vehicle statuses in order of caution, the most cautious first. When two users set different statuses, the vehicle shows the more
/// cautious status, so that the car is inspected again.
const BY_CAUTION: [VehicleStatus; 8] = [
    VehicleStatus::Ng,
    VehicleStatus::Repair,
    VehicleStatus::NotFound,
    VehicleStatus::SOffBl,
    VehicleStatus::GateOut,
    VehicleStatus::RepairOk,
    VehicleStatus::Ok,
    VehicleStatus::Unspecified,
];

/// Returns the side of a conflict whose value the vehicle shows until the conflict is resolved. The side is `mine` (the new value) if
/// `mine` is a more cautious status that the role may set, otherwise `theirs` (the stored value).
fn displayed_side(role: Role, field: Field, theirs: &str, mine: &str) -> Side {
    let rank = |written: &str| BY_CAUTION.iter().position(|known| Some(*known) == status::parse_vehicle_status(written));
    if field == Field::Status && rank(mine) < rank(theirs) && check_status_change(role, theirs, mine).is_ok() {
        Side::Mine
    } else {
        Side::Theirs
    }
}

/// One field in a save: the base value (which the client saw), the stored value and the requested value.
struct FieldChange {
    field: Field,
    base: String,
    stored: String,
    wanted: String,
}

impl FieldChange {
    fn is_conflict(&self) -> bool {
        self.stored != self.base && self.stored != self.wanted
    }

    /// Returns `true` when the merge includes the field. A field that the role may not change is included only if the requested value
    /// differs from the base value.
    fn counts(&self, role: Role) -> bool {
        role == Role::Admin || supervisor_only_field_label(self.field).is_none() || self.wanted != self.base
    }
}

/// Returns the vehicle's stored value of a field as text.
#[must_use]
pub fn stored_field_value(field: Field, vehicle: &Vehicle) -> String {
    match field {
        Field::Status => vehicle.status.clone(),
        Field::OperatorNotes => vehicle.operator_notes.clone(),
        Field::AdminNotes => vehicle.admin_notes.clone(),
        Field::VinNumber => format!("{} {}", vehicle.model_code, vehicle.serial_number),
        Field::ParkingSpace => vehicle.parking_space.clone(),
        Field::Unspecified => String::new(),
    }
}

/// Returns the fields for which the save has both a requested value and a base value (the value that the client saw).
fn list_changes_to_merge(vehicle: &Vehicle, save: &SaveCommand, base: &MergeBase) -> Vec<FieldChange> {
    let to_text = |status: VehicleStatus| status::vehicle_status_text(status).to_owned();
    let pairs = [
        (Field::Status, base.status.map(to_text), save.status.map(to_text)),
        (Field::OperatorNotes, base.operator_notes.clone(), save.operator_notes.clone()),
        (Field::AdminNotes, base.admin_notes.clone(), save.admin_notes.clone()),
        (Field::VinNumber, base.vin.as_ref().map(Vin::to_text), save.vin.as_ref().map(Vin::to_text)),
        (Field::ParkingSpace, base.space.clone(), save.place.as_ref().map(|place| place.space.clone())),
    ];
    let both = pairs.into_iter().filter_map(|(field, base, wanted)| Some((field, base?, wanted?)));
    both.map(|(field, base, wanted)| FieldChange { field, base, stored: stored_field_value(field, vehicle), wanted }).collect()
}

/// Merges a save into the stored vehicle. Returns the new content of the vehicle and the conflicts.
///
/// # Errors
/// Returns the error of the first rule that the save breaks. The rules are checked in this order: no field has a conflict (not checked if
/// `stores_conflicts` is true), the role may change the fields, the campaign is open, the status change is allowed.
pub fn merge_save(role: Role, before: &VehicleForSave, save: &SaveCommand, base: &MergeBase) -> Result<(EditableFields, Vec<NewConflict>)> {
    let vehicle = &before.vehicle;
    let mut wishes = list_changes_to_merge(vehicle, save, base);
    wishes.retain(|wish| wish.counts(role));
    if !save.stores_conflicts && wishes.iter().any(FieldChange::is_conflict) {
        return Err(Error::OutdatedVersion { id: vehicle.id, current_version: vehicle.version });
    }
    for wish in wishes.iter().filter(|wish| role != Role::Admin && wish.wanted != wish.stored) {
        if let Some(field) = supervisor_only_field_label(wish.field) {
            return Err(Error::FieldNotAllowed(field));
        }
    }
    if vehicle.gate == "closed" {
        return Err(Error::CampaignClosed(vehicle.campaign_name.clone()));
    }
    for wish in wishes.iter().filter(|wish| wish.field == Field::Status) {
        let is_known =
            save.stores_conflicts && status::parse_vehicle_status(&wish.base).is_some_and(|base| before.has_ever_had_status(base));
        check_status_change(role, if is_known { &wish.base } else { &wish.stored }, &wish.wanted)?;
    }
    let mut content = EditableFields::from_vehicle(vehicle);
    let (conflicts, merging): (Vec<_>, Vec<_>) = wishes.into_iter().partition(FieldChange::is_conflict);
    for wish in &merging {
        set_field_from_text(&mut content, vehicle, wish.field, &wish.wanted)?;
    }
    let kept = conflicts.into_iter().map(|wish| {
        let shows = displayed_side(role, wish.field, &wish.stored, &wish.wanted);
        if shows == Side::Mine {
            set_field_from_text(&mut content, vehicle, wish.field, &wish.wanted)?;
        }
        let (theirs_by, theirs_at) = before.last_change_of_field(wish.field);
        let FieldChange { field, base, stored: theirs, wanted: mine } = wish;
        Ok(NewConflict { field: field_name(field), base, theirs, mine, theirs_by, theirs_at, shown: conflict_side_text(shows) })
    });
    let kept: Result<Vec<NewConflict>> = kept.collect();
    Ok((content, kept?))
}

fn check_status_change(role: Role, from: &str, to: &str) -> Result<()> {
    let (from, to) = (status::parse_vehicle_status(from).unwrap_or_default(), status::parse_vehicle_status(to).unwrap_or_default());
    if status::is_vehicle_status_change_allowed(role, from, to) {
        Ok(())
    } else {
        Err(Error::StatusNotAllowed { from: status::vehicle_status_text(from), to: status::vehicle_status_text(to) })
    }
}

/// Sets a field of the vehicle's new content to a value given as text.
///
/// # Errors
/// Returns `InvalidField` when the text is not a valid value of the field.
pub fn set_field_from_text(content: &mut EditableFields, vehicle: &Vehicle, field: Field, value: &str) -> Result<()> {
    match field {
        Field::Status => content.status = status::vehicle_status_text(status::parse_vehicle_status(value).unwrap_or_default()),
        Field::OperatorNotes => value.clone_into(&mut content.operator_notes),
        Field::AdminNotes => value.clone_into(&mut content.admin_notes),
        Field::VinNumber => content.identifier = Vin::parse(value).map_err(Error::InvalidField)?,
        Field::ParkingSpace => {
            content.place = parking_space_after_save(vehicle, Some(ParkingSpace::new(value).map_err(Error::InvalidField)?))
        }
        Field::Unspecified => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_ranked_and_the_more_cautious_of_two_is_shown() {
        for status in status::ALL_VEHICLE_STATUSES {
            assert_eq!(BY_CAUTION.iter().filter(|known| **known == status).count(), 1, "{status:?}");
        }
        let of_status = |role, theirs, mine| displayed_side(role, Field::Status, theirs, mine);
        assert_eq!(of_status(Role::Admin, "ok", "ng"), Side::Mine);
        assert_eq!(of_status(Role::Operator, "ok", "ng"), Side::Theirs, "from ok an operator cannot go to ng");
        assert_eq!(of_status(Role::Operator, "ok", "Repair"), Side::Mine);
        assert_eq!(of_status(Role::Admin, "ng", "ok"), Side::Theirs);
        assert_eq!(of_status(Role::Admin, "Gate Out", "Repair OK"), Side::Theirs);
        assert_eq!(of_status(Role::Operator, "", "ok"), Side::Mine);
        assert_eq!(displayed_side(Role::Admin, Field::OperatorNotes, "a", "b"), Side::Theirs, "of other fields what is stored stays");
    }

    #[test]
    fn of_any_two_statuses_the_earlier_in_the_order_of_caution_is_shown() {
        let by_caution = ["ng", "Repair", "Not Found", "S/OFF BL", "Gate Out", "Repair OK", "ok", ""];
        for (place, cautious) in by_caution.iter().enumerate() {
            for other in &by_caution[place + 1..] {
                let shown = |theirs: &str, mine: &str| displayed_side(Role::Admin, Field::Status, theirs, mine);
                assert_eq!(shown(other, cautious), Side::Mine, "{cautious:?} after {other:?}");
                assert_eq!(shown(cautious, other), Side::Theirs, "{other:?} after {cautious:?}");
            }
        }
    }
}
