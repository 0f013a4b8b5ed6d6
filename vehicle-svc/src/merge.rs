//! Saving by field: what merges, what two people changed without knowing of each other, and which value shows.
use crate::{
    error::{Error, Result},
    inspect::{Finding, Save, place},
    place::Place,
    store::{conflicts::New, saves::Before, vehicles::Vehicle},
};
use patio_proto::{
    access::Role,
    identifier::Identifier,
    status,
    vehicle::{Field, Side, VehicleStatus},
};

/// What somebody saw of the fields that a save changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Base {
    /// The identifier.
    pub vin: Option<Identifier>,
    /// The status.
    pub status: Option<VehicleStatus>,
    /// The parking space, without outer blanks.
    pub space: Option<String>,
    /// Team leader notes.
    pub operator_notes: Option<String>,
    /// Supervisor notes.
    pub admin_notes: Option<String>,
}

/// A field as the API names it, and as the contract numbers it.
const FIELDS: [(Field, &str); 5] = [
    (Field::Status, "status"),
    (Field::OperatorNotes, "operator_notes"),
    (Field::AdminNotes, "admin_notes"),
    (Field::VinNumber, "vin_number"),
    (Field::ParkingSpace, "parking_space"),
];

/// What a field is called.
#[must_use]
pub fn name(field: Field) -> &'static str {
    FIELDS.iter().find(|(known, _)| *known == field).map_or("", |(_, name)| name)
}

/// The field with a name.
#[must_use]
pub fn field(name: &str) -> Field {
    FIELDS.iter().find(|(_, known)| *known == name).map_or(Field::Unspecified, |(field, _)| *field)
}

/// What a side is called.
#[must_use]
pub fn side(side: Side) -> &'static str {
    if side == Side::Mine { "mine" } else { "theirs" }
}

/// Whether only supervisors may change a field, and how a refusal calls it.
#[must_use]
pub fn supervisors(field: Field) -> Option<&'static str> {
    match field {
        Field::VinNumber => Some("the VIN"),
        Field::ParkingSpace => Some("the parking space"),
        Field::AdminNotes => Some("the supervisor notes"),
        Field::Status | Field::OperatorNotes | Field::Unspecified => None,
    }
}

/// The order of statuses when two people found different ones: what makes somebody look at the car again comes first.
const SAFER: [VehicleStatus; 8] = [
    VehicleStatus::Ng,
    VehicleStatus::Repair,
    VehicleStatus::NotFound,
    VehicleStatus::SOffBl,
    VehicleStatus::GateOut,
    VehicleStatus::RepairOk,
    VehicleStatus::Ok,
    VehicleStatus::Unspecified,
];

/// Which of two values of a field shows until somebody has chosen: the stored one, or a safer status that this role could
/// set from it.
fn shown(role: Role, field: Field, theirs: &str, mine: &str) -> Side {
    let rank = |written: &str| SAFER.iter().position(|known| Some(*known) == status::parse(written));
    if field == Field::Status && rank(mine) < rank(theirs) && step(role, theirs, mine).is_ok() { Side::Mine } else { Side::Theirs }
}

/// A field that a save wants to change.
struct Wish {
    field: Field,
    base: String,
    stored: String,
    wanted: String,
}

impl Wish {
    fn is_conflict(&self) -> bool {
        self.stored != self.base && self.stored != self.wanted
    }

    /// Whether the caller changes what he saw: without the right to, a field that is sent along as it was seen is none.
    fn counts(&self, role: Role) -> bool {
        role == Role::Admin || supervisors(self.field).is_none() || self.wanted != self.base
    }
}

/// What a vehicle's field holds.
#[must_use]
pub fn stored(field: Field, vehicle: &Vehicle) -> String {
    match field {
        Field::Status => vehicle.status.clone(),
        Field::OperatorNotes => vehicle.operator_notes.clone(),
        Field::AdminNotes => vehicle.admin_notes.clone(),
        Field::VinNumber => format!("{} {}", vehicle.model_code, vehicle.serial_number),
        Field::ParkingSpace => vehicle.parking_space.clone(),
        Field::Unspecified => String::new(),
    }
}

/// The fields that are named in the base and that the save tells.
fn wishes(vehicle: &Vehicle, save: &Save, base: &Base) -> Vec<Wish> {
    let told = |status: VehicleStatus| status::text(status).to_owned();
    let pairs = [
        (Field::Status, base.status.map(told), save.status.map(told)),
        (Field::OperatorNotes, base.operator_notes.clone(), save.operator_notes.clone()),
        (Field::AdminNotes, base.admin_notes.clone(), save.admin_notes.clone()),
        (Field::VinNumber, base.vin.as_ref().map(Identifier::vin), save.vin.as_ref().map(Identifier::vin)),
        (Field::ParkingSpace, base.space.clone(), save.place.as_ref().map(|place| place.space.clone())),
    ];
    let both = pairs.into_iter().filter_map(|(field, base, wanted)| Some((field, base?, wanted?)));
    both.map(|(field, base, wanted)| Wish { field, base, stored: stored(field, vehicle), wanted }).collect()
}

/// What a save by field makes of a vehicle, and the conflicts that it leaves behind.
///
/// # Errors
/// The first rule that is broken, in the order of [`crate::inspect::save`].
pub fn judge(role: Role, before: &Before, save: &Save, base: &Base) -> Result<(Finding, Vec<New>)> {
    let vehicle = &before.vehicle;
    let mut wishes = wishes(vehicle, save, base);
    wishes.retain(|wish| wish.counts(role));
    if !save.keep && wishes.iter().any(Wish::is_conflict) {
        return Err(Error::Stale { id: vehicle.id, now: vehicle.version });
    }
    for wish in wishes.iter().filter(|wish| role != Role::Admin && wish.wanted != wish.stored) {
        if let Some(field) = supervisors(wish.field) {
            return Err(Error::Field(field));
        }
    }
    if vehicle.gate == "closed" {
        return Err(Error::Closed(vehicle.campaign_name.clone()));
    }
    for wish in wishes.iter().filter(|wish| wish.field == Field::Status) {
        let is_known = save.keep && status::parse(&wish.base).is_some_and(|base| before.has_had(base));
        step(role, if is_known { &wish.base } else { &wish.stored }, &wish.wanted)?;
    }
    let mut finding = Finding::of(vehicle);
    let (conflicts, merging): (Vec<_>, Vec<_>) = wishes.into_iter().partition(Wish::is_conflict);
    for wish in &merging {
        put(&mut finding, vehicle, wish.field, &wish.wanted)?;
    }
    let kept = conflicts.into_iter().map(|wish| {
        let shows = shown(role, wish.field, &wish.stored, &wish.wanted);
        if shows == Side::Mine {
            put(&mut finding, vehicle, wish.field, &wish.wanted)?;
        }
        let (theirs_by, theirs_at) = before.author(wish.field);
        let Wish { field, base, stored: theirs, wanted: mine } = wish;
        Ok(New { field: name(field), base, theirs, mine, theirs_by, theirs_at, shown: side(shows) })
    });
    let kept: Result<Vec<New>> = kept.collect();
    Ok((finding, kept?))
}

fn step(role: Role, from: &str, to: &str) -> Result<()> {
    let (from, to) = (status::parse(from).unwrap_or_default(), status::parse(to).unwrap_or_default());
    if status::step_allowed(role, from, to) { Ok(()) } else { Err(Error::Step { from: status::text(from), to: status::text(to) }) }
}

/// Gives a field of a finding a value.
///
/// # Errors
/// When the value is none that this field can have.
pub fn put(finding: &mut Finding, vehicle: &Vehicle, field: Field, value: &str) -> Result<()> {
    match field {
        Field::Status => finding.status = status::text(status::parse(value).unwrap_or_default()),
        Field::OperatorNotes => value.clone_into(&mut finding.operator_notes),
        Field::AdminNotes => value.clone_into(&mut finding.admin_notes),
        Field::VinNumber => finding.identifier = Identifier::parse(value).map_err(Error::Bad)?,
        Field::ParkingSpace => finding.place = place(vehicle, Some(Place::new(value).map_err(Error::Bad)?)),
        Field::Unspecified => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_place_in_the_order_and_the_safer_of_two_shows() {
        for status in status::ALL {
            assert_eq!(SAFER.iter().filter(|known| **known == status).count(), 1, "{status:?}");
        }
        let of_status = |role, theirs, mine| shown(role, Field::Status, theirs, mine);
        assert_eq!(of_status(Role::Admin, "ok", "ng"), Side::Mine);
        assert_eq!(of_status(Role::Operator, "ok", "ng"), Side::Theirs, "from ok an operator cannot go to ng");
        assert_eq!(of_status(Role::Operator, "ok", "Repair"), Side::Mine);
        assert_eq!(of_status(Role::Admin, "ng", "ok"), Side::Theirs);
        assert_eq!(of_status(Role::Admin, "Gate Out", "Repair OK"), Side::Theirs);
        assert_eq!(of_status(Role::Operator, "", "ok"), Side::Mine);
        assert_eq!(shown(Role::Admin, Field::OperatorNotes, "a", "b"), Side::Theirs, "of other fields what is stored stays");
    }
}
