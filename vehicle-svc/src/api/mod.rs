//! gRPC services of vehicle-svc, one module per gRPC service.

pub mod bulk_changes;
pub mod campaign_vehicles;
pub mod change_events;
pub mod change_history;
pub mod conflicts;
mod context;
pub mod jobs;
pub mod pending_saves;
pub mod vehicles;
pub mod yards;

pub use context::ApiContext;

use crate::{
    error::Error,
    store::vehicles::{ExportedVehicle, Vehicle, VehicleListRow},
};
use patio_kit::clock;
use patio_proto::{status, vehicle as pb};
use tonic::{Response, Status};

/// Result type of gRPC methods: the response or a gRPC status.
type Reply<T> = Result<Response<T>, Status>;

fn reply<T>(message: T) -> Reply<T> {
    Ok(Response::new(message))
}

/// Maximum length of a device name in characters.
const MAX_DEVICE_LEN: usize = 64;

/// Checks a device name, which the app generates: at most [`MAX_DEVICE_LEN`] characters and no control characters.
fn device(name: &str) -> Result<(), Error> {
    let is_valid = name.chars().count() <= MAX_DEVICE_LEN && !name.chars().any(char::is_control);
    if is_valid {
        Ok(())
    } else {
        Err(Error::InvalidField(format!("device: must have at most {MAX_DEVICE_LEN} characters and no control characters")))
    }
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
            status: status::parse_vehicle_status(&vehicle.status).unwrap_or_default().into(),
            inspected: vehicle.inspected,
            admin_notes: vehicle.admin_notes,
            operator_notes: vehicle.operator_notes,
            parking_space: vehicle.parking_space,
            id_yard: yard(vehicle.yard_id),
            yard_group: vehicle.yard_group,
            next: vehicle.next,
            modified_by: vehicle.modified_by,
            modified_at: Some(clock::to_timestamp(vehicle.modified_at)),
            version: vehicle.version,
            open_conflicts: vehicle.open_conflicts,
            conflicts: Vec::new(),
        }
    }
}

impl From<ExportedVehicle> for pb::ExportedVehicle {
    fn from(vehicle: ExportedVehicle) -> Self {
        Self {
            model_code: vehicle.model_code,
            serial_number: vehicle.serial_number,
            status: status::parse_vehicle_status(&vehicle.status).unwrap_or_default().into(),
            inspected: vehicle.inspected,
            admin_notes: vehicle.admin_notes,
            operator_notes: vehicle.operator_notes,
            parking_space: vehicle.parking_space,
            id_yard: yard(vehicle.yard_id),
            modified_by: vehicle.modified_by,
            modified_at: Some(clock::to_timestamp(vehicle.modified_at)),
        }
    }
}

impl From<&Vehicle> for pb::VehicleSummary {
    fn from(vehicle: &Vehicle) -> Self {
        Self {
            id: vehicle.id,
            vin_number: format!("{} {}", vehicle.model_code, vehicle.serial_number),
            parking_space: vehicle.parking_space.clone(),
            yard_group: vehicle.yard_group.clone(),
            id_yard: yard(vehicle.yard_id),
            status: status::parse_vehicle_status(&vehicle.status).unwrap_or_default().into(),
            inspected: vehicle.inspected,
            version: vehicle.version,
        }
    }
}

impl From<VehicleListRow> for pb::VehicleSummary {
    fn from(row: VehicleListRow) -> Self {
        Self {
            id: row.id,
            vin_number: format!("{} {}", row.model_code, row.serial_number),
            parking_space: row.parking_space,
            yard_group: row.yard_group,
            id_yard: yard(row.yard_id),
            status: status::parse_vehicle_status(&row.status).unwrap_or_default().into(),
            inspected: row.inspected,
            version: row.version,
        }
    }
}
