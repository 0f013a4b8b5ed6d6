//! Preview of bulk changes: old and new value of each field, the statuses that a change replaces, and warnings for the user.
use crate::{
    parking_space::ParkingSpace,
    store::{bulk_update_vehicles::VehiclePatch, conflicts, vehicle_lookup::FoundVehicle},
};
use patio_kit::db::Tx;
use patio_proto::{status, vehicle as pb, yard};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

/// Number of vehicles that the preview of a bulk change lists if the request names no other number.
pub const PREVIEW_VEHICLES: usize = 20;

/// Maximum number of vehicles that a request can ask for in the preview of a bulk change.
pub const MAX_PREVIEW_VEHICLES: usize = 1_000;

/// Values that a bulk change replaces, and the vehicles whose values are still disputed by two users.
#[derive(Debug, Default)]
pub struct AffectedValues {
    /// Vehicles whose status the change replaces or removes, counted by their present status; most vehicles first.
    pub replaced_statuses: Vec<pb::StatusCount>,
    /// Ids of the vehicles to change that have an open conflict.
    pub in_conflict: HashSet<i64>,
}

impl AffectedValues {
    /// Collects the affected values of the vehicles that a bulk change would change. `changed` yields the id of each vehicle, and the
    /// present status if the change replaces or removes a status.
    pub async fn load<'s>(tx: &mut Tx<'_>, changed: impl Iterator<Item = (i64, Option<&'s str>)>) -> Result<Self, sqlx::Error> {
        let (mut ids, mut counts) = (Vec::new(), BTreeMap::<&str, usize>::new());
        for (id, replaced) in changed {
            ids.push(id);
            if let Some(present) = replaced.filter(|present| !present.is_empty()) {
                *counts.entry(present).or_default() += 1;
            }
        }
        let count = |(present, vehicles): (&str, usize)| {
            let status = status::parse_vehicle_status(present).unwrap_or_default().into();
            pb::StatusCount { status, vehicles: i64::try_from(vehicles).unwrap_or(i64::MAX) }
        };
        let mut replaced_statuses: Vec<_> = counts.into_iter().map(count).collect();
        replaced_statuses.sort_by_key(|count| (Reverse(count.vehicles), count.status));
        Ok(Self { replaced_statuses, in_conflict: conflicts::list_vehicles_in_conflict(tx, &ids).await?.into_iter().collect() })
    }

    /// Returns `true` when a change of this vehicle needs a look: it replaces or removes a saved status, or the vehicle has an open
    /// conflict.
    pub fn needs_review(&self, vehicle_id: i64, present_status: &str, changes_status: bool) -> bool {
        (changes_status && !present_status.is_empty()) || self.in_conflict.contains(&vehicle_id)
    }

    /// Returns the preview of the changes to one vehicle. `line` is the line of the request or file that names the vehicle, from 1.
    pub fn preview_vehicle(&self, line: i64, vehicle: &FoundVehicle, new: &VehiclePatch<'_>) -> pb::Preview {
        pb::Preview {
            line,
            vin_number: vehicle.vin(),
            campaign_name: vehicle.campaign.name.clone(),
            changes: list_field_changes(vehicle, new),
            has_open_conflict: self.in_conflict.contains(&vehicle.id),
        }
    }
}

/// Lists the fields of a vehicle that a bulk change would change, each with the old and the new value as text.
fn list_field_changes<'a>(old: &'a FoundVehicle, new: &'a VehiclePatch<'_>) -> Vec<pb::Change> {
    let yes_no = |truth: bool| if truth { "true" } else { "false" };
    let text = |old: &'a Option<String>| old.as_deref().unwrap_or_default();
    [
        ("parking_space", text(&old.parking_space), new.place.map(|place| place.space.as_str())),
        ("status", &old.status, new.status),
        ("inspected", yes_no(old.inspected), new.inspected.map(yes_no)),
        ("operator_notes", text(&old.operator_notes), new.operator_notes),
        ("admin_notes", text(&old.admin_notes), new.admin_notes),
    ]
    .into_iter()
    .filter_map(|(field, old, new)| Some(pb::Change { field: field.to_owned(), old: old.to_owned(), new: new?.to_owned() }))
    .collect()
}

/// Returns warnings for the user about vehicles that move to a parking space without a visible yard. Such a parking space belongs to no
/// yard, or to the yard `-` or `0`, which the web app does not show in lists of yards.
pub fn list_hidden_yard_warnings<'p>(moved: impl Iterator<Item = (Option<i64>, &'p ParkingSpace)>) -> Vec<String> {
    let mut spaces: [Vec<&str>; 2] = [Vec::new(), Vec::new()];
    for (_, place) in moved.filter(|(before, place)| *before != place.yard_id) {
        match place.yard_id.map(|id| yard::yard_name(i32::try_from(id).unwrap_or_default())) {
            None => spaces[0].push(&place.space),
            Some(Some("-" | "0")) => spaces[1].push(&place.space),
            Some(_) => {}
        }
    }
    let words = ["belongs to no yard", "belongs to a yard that no screen shows"];
    let warning = |(spaces, why): (Vec<&str>, &str)| {
        let first = spaces.iter().take(3).copied().collect::<Vec<_>>().join(", ");
        match spaces.len() {
            0 => None,
            1 => Some(format!("One vehicle moves to a space that {why}: {first}.")),
            many => Some(format!("{many} vehicles move to a space that {why}: {first}{}.", if many > 3 { " …" } else { "" })),
        }
    };
    spaces.into_iter().zip(words).filter_map(warning).collect()
}
