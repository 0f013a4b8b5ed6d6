//! Vehicles before and after a change, as previews show them.
use patio_proto::vehicle as pb;
use serde::Serialize;
use utoipa::ToSchema;

/// What becomes of one vehicle.
#[derive(Serialize, ToSchema)]
pub struct VehiclePreview {
    /// Of the file or the list that names it, from 1.
    line: i64,
    vin_number: String,
    campaign_name: String,
    changes: Vec<FieldChange>,
}

/// One field, before and after.
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
        }
    }
}
