//! The calls of vehicle-svc, one file a gRPC service.

pub mod bulk;
pub mod conflicts;
pub mod fleet;
pub mod jobs;
pub mod vehicles;
pub mod yards;

use crate::store::vehicles::{Row, Vehicle};
use patio_kit::clock;
use patio_proto::{status, vehicle as pb};
use tonic::{Response, Status};

/// What every call comes to.
type Reply<T> = Result<Response<T>, Status>;

fn reply<T>(message: T) -> Reply<T> {
    Ok(Response::new(message))
}

fn yard(id: Option<i64>) -> Option<i32> {
    id.and_then(|id| i32::try_from(id).ok())
}

impl From<Vehicle> for pb::Vehicle {
    fn from(vehicle: Vehicle) -> Self {
        Self {
            id: vehicle.id,
            model_code: vehicle.model_code,
            serial_number: vehicle.serial_number,
            campaign_id: vehicle.campaign_id,
            campaign_name: vehicle.campaign_name,
            status: status::parse(&vehicle.status).unwrap_or_default().into(),
            inspected: vehicle.inspected,
            admin_notes: vehicle.admin_notes,
            operator_notes: vehicle.operator_notes,
            parking_space: vehicle.parking_space,
            id_yard: yard(vehicle.yard_id),
            yard_group: vehicle.yard_group,
            next: vehicle.next,
            modified_by: vehicle.modified_by,
            modified_at: Some(clock::timestamp(vehicle.modified_at)),
            version: vehicle.version,
            open_conflicts: vehicle.open_conflicts,
            conflicts: Vec::new(),
        }
    }
}

impl From<Row> for pb::VehicleRow {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            vin_number: format!("{} {}", row.model_code, row.serial_number),
            parking_space: row.parking_space,
            yard_group: row.yard_group,
            id_yard: yard(row.yard_id),
            status: status::parse(&row.status).unwrap_or_default().into(),
            inspected: row.inspected,
            version: row.version,
        }
    }
}
