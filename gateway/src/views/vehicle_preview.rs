//! JSON form of the preview of a bulk change: old and new value of each field that would change in a vehicle.
use crate::views::json_values::VehicleStatus;
use patio_proto::vehicle as pb;
use serde::Serialize;
use utoipa::ToSchema;

/// Changes that a bulk change or CSV file would make to one vehicle.
#[derive(Serialize, ToSchema)]
pub struct VehiclePreview {
    /// Line number of the vehicle in the CSV file, or position of the vehicle in the request's list; counted from 1.
    line: i64,
    vin_number: String,
    campaign_name: String,
    changes: Vec<FieldChange>,
    /// Whether the vehicle has an open conflict.
    has_open_conflict: bool,
}

/// Vehicles whose status a change would replace or remove, counted by one present status.
#[derive(Serialize, ToSchema)]
pub struct ReplacedStatus {
    status: VehicleStatus,
    vehicles: i64,
}

impl From<pb::StatusCount> for ReplacedStatus {
    fn from(count: pb::StatusCount) -> Self {
        Self { status: count.status().into(), vehicles: count.vehicles }
    }
}

/// Values of one field of a vehicle before and after a change.
#[derive(Serialize, ToSchema)]
struct FieldChange {
    field: String,
    old: String,
    new: String,
}

impl From<pb::Preview> for VehiclePreview {
    fn from(row: pb::Preview) -> Self {
        let change = |change: pb::Change| FieldChange { field: change.field, old: change.old, new: change.new };
        Self {
            line: row.line,
            vin_number: row.vin_number,
            campaign_name: row.campaign_name,
            changes: row.changes.into_iter().map(change).collect(),
            has_open_conflict: row.has_open_conflict,
        }
    }
}
