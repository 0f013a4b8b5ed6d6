//! Preview of bulk changes: old and new value of each field, and warnings for the user.
use crate::{
    parking_space::ParkingSpace,
    store::{bulk_update_vehicles::VehiclePatch, vehicle_lookup::FoundVehicle},
};
use patio_proto::{vehicle as pb, yard};

/// Maximum number of vehicles that the preview of a bulk change lists.
pub const MAX_PREVIEW_VEHICLES: usize = 20;

/// Lists the fields of a vehicle that a bulk change would change, each with the old and the new value as text.
pub fn list_field_changes<'a>(old: &'a FoundVehicle, new: &'a VehiclePatch<'_>) -> Vec<pb::Change> {
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
