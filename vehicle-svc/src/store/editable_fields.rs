//! Content of a vehicle: every field that users can change.
use crate::{
    parking_space::ParkingSpace,
    store::{counters::CounterDeltasByYard, vehicles::Vehicle},
};
use patio_proto::{status, vin::Vin};

/// Content of a vehicle after a save: every field that users can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditableFields {
    /// VIN of the vehicle: model code and serial number.
    pub identifier: Vin,
    /// Parking space of the vehicle with its yard, its group (heading under which lists show it) and its sort key in walking order.
    pub place: ParkingSpace,
    /// Status text, such as `ok` or `Repair`; empty when the vehicle has no status.
    pub status: &'static str,
    /// Notes of operators and team leaders, which every role may change.
    pub operator_notes: String,
    /// Notes of supervisors (users with the role `Admin`), which only supervisors may change.
    pub admin_notes: String,
}

impl EditableFields {
    /// Returns the current content of a vehicle.
    #[must_use]
    pub fn from_vehicle(vehicle: &Vehicle) -> Self {
        Self {
            identifier: vehicle.to_vin(),
            place: parking_space_after_save(vehicle, None),
            status: status::vehicle_status_text(status::parse_vehicle_status(&vehicle.status).unwrap_or_default()),
            operator_notes: vehicle.operator_notes.clone(),
            admin_notes: vehicle.admin_notes.clone(),
        }
    }

    /// Returns the changes to the vehicle counters of the campaign when this content replaces `before`. A saved
    /// vehicle counts as inspected.
    #[must_use]
    pub fn counter_deltas(&self, before: &Vehicle) -> CounterDeltasByYard {
        let mut deltas = CounterDeltasByYard::default();
        deltas.order_changed = !before.inspected && self.place.walk_key != before.walk_key;
        deltas.add_vehicle_change((before.yard_id, before.inspected), (self.place.yard_id, true));
        deltas
    }
}

/// Returns the parking space of a vehicle after a save. If the first letter of the new parking space names no yard, the
/// vehicle stays in its previous yard.
#[must_use]
pub fn parking_space_after_save(before: &Vehicle, new: Option<ParkingSpace>) -> ParkingSpace {
    let unchanged = ParkingSpace {
        space: before.parking_space.clone(),
        yard_id: before.yard_id,
        group: before.yard_group.clone(),
        walk_key: before.walk_key.clone(),
    };
    match new {
        Some(new) if new.space != before.parking_space => ParkingSpace { yard_id: new.yard_id.or(before.yard_id), ..new },
        _ => unchanged,
    }
}
