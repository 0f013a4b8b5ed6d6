//! Batch updates: writes many vehicles with few statements.
use crate::{
    parking_space::{self, ParkingSpace},
    store::{
        dialect,
        job_snapshots::{ValuesAfterJob, VehicleSnapshot},
        status_history,
        vehicle_lookup::FoundVehicle,
    },
};
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use serde::Serialize;
use sqlx::{AssertSqlSafe, query};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Minimum number of vehicles in a group that is updated by its own statement. The vehicles of a group get equal new values. Vehicles
/// in smaller groups, and all vehicles with a new parking space, share one statement.
const MIN_GROUP_LEN: usize = 100;

/// New values of a vehicle in a bulk change. A field that is `None` leaves the vehicle's value unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct VehiclePatch<'a> {
    /// New parking space with its yard, its group (heading under which lists show it) and its sort key in walking order. `None`
    /// leaves the parking space unchanged.
    pub place: Option<&'a ParkingSpace>,
    /// New status text, such as `ok`; empty to clear the status, `None` to leave the status unchanged.
    pub status: Option<&'a str>,
    /// Whether the vehicle counts as inspected after the change; `None` to leave the state unchanged.
    pub inspected: Option<bool>,
    /// New notes of operators and team leaders, which every role may change; `None` to leave the notes unchanged.
    pub operator_notes: Option<&'a str>,
    /// New notes of supervisors (users with the role `Admin`), which only supervisors may change; `None` to leave the notes
    /// unchanged.
    pub admin_notes: Option<&'a str>,
}

impl VehiclePatch<'_> {
    /// Returns the patch without unchanged values: a new value that equals the vehicle's stored value becomes `None`.
    #[must_use]
    pub fn without_unchanged_values(self, vehicle: &FoundVehicle) -> Self {
        Self {
            place: self.place.filter(|place| vehicle.parking_space.as_ref() != Some(&place.space) || vehicle.yard_id != place.yard_id),
            status: self.status.filter(|status| vehicle.status != *status),
            inspected: self.inspected.filter(|inspected| vehicle.inspected != *inspected),
            operator_notes: self.operator_notes.filter(|notes| vehicle.operator_notes.as_deref() != Some(*notes)),
            admin_notes: self.admin_notes.filter(|notes| vehicle.admin_notes.as_deref() != Some(*notes)),
        }
    }

    /// Returns `true` when the patch changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == VehiclePatch::default()
    }

    /// Returns the values of the fields that this patch changes, before and after the change, for a later undo and for the history.
    #[must_use]
    pub fn snapshot_before_change(&self, vehicle: &FoundVehicle) -> VehicleSnapshot {
        VehicleSnapshot {
            id: vehicle.id,
            version: vehicle.version,
            content: vehicle.content,
            status: self.status.map(|_| vehicle.status.clone()),
            inspected: self.inspected.map(|_| vehicle.inspected),
            parking_space: self.place.and(vehicle.parking_space.clone()).map(|space| (space, vehicle.yard_id)),
            operator_notes: self.operator_notes.and(vehicle.operator_notes.clone()),
            admin_notes: self.admin_notes.and(vehicle.admin_notes.clone()),
            after: Some(ValuesAfterJob {
                status: self.status.map(str::to_owned),
                space: self.place.map(|place| place.space.clone()),
                operator_notes: self.operator_notes.map(str::to_owned),
                admin_notes: self.admin_notes.map(str::to_owned),
            }),
        }
    }
}

/// New values of one vehicle, as one row of the JSON parameter of the batch update statement. A field that is `None`
/// leaves the column unchanged.
#[derive(Serialize)]
struct Own<'a> {
    id: i64,
    space: Option<&'a str>,
    yard: Option<i64>,
    yard_group: Option<&'a str>,
    walk: Option<&'a str>,
    haystack: Option<String>,
    status: Option<&'a str>,
    inspected: Option<bool>,
    admin_notes: Option<&'a str>,
    operator_notes: Option<&'a str>,
}

impl<'a> Own<'a> {
    fn of(vehicle: &'a FoundVehicle, patch: &VehiclePatch<'a>) -> Self {
        let VehiclePatch { place, status, inspected, operator_notes, admin_notes } = *patch;
        Self {
            id: vehicle.id,
            space: place.map(|place| place.space.as_str()),
            yard: place.and_then(|place| place.yard_id),
            yard_group: place.map(|place| place.group.as_str()),
            walk: place.map(|place| place.walk_key.as_str()),
            haystack: place.map(|place| parking_space::vehicle_search_text(&vehicle.to_vin(), &place.space)),
            status,
            inspected,
            admin_notes,
            operator_notes,
        }
    }
}

/// Writes the new values of many vehicles: one statement per large group of equal patches, and one statement for all
/// other vehicles.
pub async fn write_patches(tx: &mut Tx<'_>, all: &[(&FoundVehicle, VehiclePatch<'_>)], by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    let (mut groups, mut others) = (HashMap::<&VehiclePatch, Vec<&FoundVehicle>>::new(), Vec::new());
    for (vehicle, patch) in all {
        match patch.place {
            None => groups.entry(patch).or_default().push(vehicle),
            Some(_) => others.push(Own::of(vehicle, patch)),
        }
    }
    for (patch, group) in groups {
        if group.len() < MIN_GROUP_LEN {
            others.extend(group.into_iter().map(|vehicle| Own::of(vehicle, patch)));
        } else {
            write_patch_to_vehicles(tx, &group.iter().map(|vehicle| vehicle.id).collect::<Vec<_>>(), *patch, by, at).await?;
        }
    }
    if others.is_empty() { Ok(()) } else { each(tx, &others, by, at).await }
}

/// Returns SQL assignments that set a column to a new value, and its `_by` and `_at` columns to the user and time of the change. A
/// null or equal value leaves all three columns unchanged.
fn noted(column: &str, value: &str) -> String {
    format!(
        ", {column} = coalesce({value}, vehicles.{column}),
           {column}_by = case when {value} <> vehicles.{column} then $2 else {column}_by end,
           {column}_at = case when {value} <> vehicles.{column} then $3 else {column}_at end"
    )
}

/// Sets the status, inspected state and notes of many vehicles to equal values. Does not change parking spaces.
pub async fn write_patch_to_vehicles(
    tx: &mut Tx<'_>,
    ids: &[i64],
    same: VehiclePatch<'_>,
    by: Option<i64>,
    at: DateTime<Utc>,
) -> Result<()> {
    let set = [
        same.status.map(|_| noted("status", "$4") + concat!(", statuses_had = vehicles.statuses_had | ", status_history::bit!("$4"))),
        same.inspected.map(|_| ", inspected = $5".to_owned()),
        same.operator_notes.map(|_| noted("operator_notes", "$6")),
        same.admin_notes.map(|_| noted("admin_notes", "$7")),
    ];
    let set: String = set.into_iter().flatten().collect();
    let text = format!(
        "update vehicles set modified_by = $2, modified_at = $3, version = version + 1{set} where id {}",
        dialect::json_array_contains_sql(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.connection(), c => query(AssertSqlSafe(text)).bind(&ids).bind(by).bind(at).bind(same.status).bind(same.inspected)
        .bind(same.operator_notes).bind(same.admin_notes).execute(c).await.map(drop))
}

/// Updates many vehicles with one statement, each with its own new values.
async fn each(tx: &mut Tx<'_>, all: &[Own<'_>], by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    let text = format!(
        "update vehicles
            set parking_space = coalesce(e.space, parking_space), yard_id = case when e.space is null then yard_id else e.yard end,
                yard_group = coalesce(e.yard_group, vehicles.yard_group), walk_key = coalesce(e.walk, walk_key),
                haystack = coalesce(e.haystack, vehicles.haystack), inspected = coalesce(e.inspected, vehicles.inspected),
                modified_by = $2, modified_at = $3, version = version + 1,
                space_by = case when e.space <> parking_space then $2 else space_by end,
                space_at = case when e.space <> parking_space then $3 else space_at end,
                statuses_had = vehicles.statuses_had | {}{}{}{}
           from ({}) as e
          where vehicles.id = e.id",
        status_history::bit!("e.status"),
        noted("status", "e.status"),
        noted("operator_notes", "e.operator_notes"),
        noted("admin_notes", "e.admin_notes"),
        dialect::unnest_vehicle_patches_sql(tx.is_postgres())
    );
    let rows = serde_json::to_string(all).map_err(|cause| sqlx::Error::Encode(Box::new(cause)))?;
    on!(tx.connection(), c => query(AssertSqlSafe(text)).bind(&rows).bind(by).bind(at).execute(c).await.map(drop))
}
