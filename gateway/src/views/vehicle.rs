//! JSON form of a vehicle, and the responses that contain one vehicle.
use crate::{
    extract::{auth::AuthenticatedCaller, conditional_headers},
    http::problem::{ApiResult, Problem},
    state::AppState,
    views::{
        conflict::{self, Conflict},
        json_values::{self, VehicleStatus},
    },
};
use axum::Json;
use chrono::{DateTime, Utc};
use http::{HeaderMap, header::ETAG};
use patio_kit::errors::{self, ErrorReason};
use patio_proto::vehicle as pb;
use serde::Serialize;
use serde_json::json;
use tonic::Status;
use utoipa::ToSchema;

/// Vehicle of a campaign with its inspection result.
#[derive(Serialize, ToSchema)]
pub struct Vehicle {
    id: i64,
    /// VIN of the vehicle: model code and serial number, joined by a space.
    vin_number: String,
    model_code: String,
    serial_number: String,
    campaign_id: i64,
    campaign_name: String,
    status: VehicleStatus,
    inspected: bool,
    admin_notes: String,
    operator_notes: String,
    parking_space: String,
    id_yard: Option<i32>,
    yard_group: String,
    /// Id of the next uninspected vehicle in walking order (by yard, then parking space). After the last vehicle, the search continues
    /// from the first. Null when no other vehicle is uninspected.
    next: Option<i64>,
    modified_by: Option<i64>,
    modified_by_hmc: Option<String>,
    modified_at: Option<DateTime<Utc>>,
    /// Version of the vehicle, increased by every change of the vehicle; also sent as `ETag`.
    version: i64,
    /// Number of open conflicts of the vehicle.
    open_conflicts: i64,
    /// Conflicts caused by the requested save. Absent when the save caused no conflict, and in responses to other requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    conflicts: Vec<Conflict>,
}

/// Converts vehicles from their proto form, resolving all user names in one call.
pub async fn to_vehicle_views(api: &AppState, signed: &AuthenticatedCaller, vehicles: Vec<pb::Vehicle>) -> Vec<Vehicle> {
    let named =
        |vehicle: &pb::Vehicle| vehicle.conflicts.iter().flat_map(conflict::user_ids).chain(vehicle.modified_by).collect::<Vec<_>>();
    let people = api.names.resolve_names(signed.call_context(), vehicles.iter().flat_map(named)).await;
    let show = |vehicle: pb::Vehicle| Vehicle {
        id: vehicle.id,
        vin_number: format!("{} {}", vehicle.model_code, vehicle.serial_number),
        status: vehicle.status().into(),
        model_code: vehicle.model_code,
        serial_number: vehicle.serial_number,
        campaign_id: vehicle.campaign_id,
        campaign_name: vehicle.campaign_name,
        inspected: vehicle.inspected,
        admin_notes: vehicle.admin_notes,
        operator_notes: vehicle.operator_notes,
        parking_space: vehicle.parking_space,
        id_yard: vehicle.id_yard,
        yard_group: vehicle.yard_group,
        next: vehicle.next,
        modified_by: vehicle.modified_by,
        modified_by_hmc: vehicle.modified_by.map(|id| people.name(id)),
        modified_at: json_values::to_optional_datetime(vehicle.modified_at.as_ref()),
        version: vehicle.version,
        open_conflicts: vehicle.open_conflicts,
        conflicts: vehicle.conflicts.into_iter().map(|conflict| Conflict::new(conflict, &people)).collect(),
    };
    vehicles.into_iter().map(show).collect()
}

async fn to_view(api: &AppState, signed: &AuthenticatedCaller, vehicle: pb::Vehicle) -> ApiResult<Vehicle> {
    to_vehicle_views(api, signed, vec![vehicle]).await.pop().ok_or_else(Problem::internal_error)
}

/// Builds the response that contains one vehicle, with the vehicle's version in the `ETag` header.
///
/// # Errors
/// Returns a 500 if the conversion yields no vehicle. At present, the conversion always yields a vehicle.
pub async fn build_vehicle_response(
    api: &AppState,
    signed: &AuthenticatedCaller,
    vehicle: pb::Vehicle,
) -> ApiResult<(HeaderMap, Json<Vehicle>)> {
    to_view(api, signed, vehicle).await.map(tagged)
}

fn tagged(vehicle: Vehicle) -> (HeaderMap, Json<Vehicle>) {
    (HeaderMap::from_iter([(ETAG, conditional_headers::build_vehicle_etag(vehicle.version))]), Json(vehicle))
}

/// Converts the gRPC error of a save to an error response. If the save was based on an outdated version of the vehicle, the response
/// contains the current vehicle in `details`.
pub async fn save_error_to_problem(api: &AppState, signed: &AuthenticatedCaller, id: i64, refusal: Status) -> Problem {
    let is_stale = errors::reason(&refusal) == Some(ErrorReason::StaleVersion);
    let problem = Problem::from(refusal);
    if !is_stale {
        return problem;
    }
    match api.vehicles().get_vehicle(signed.grpc_request(pb::GetVehicleRequest { id, yard: None })).await {
        Ok(current) => match to_view(api, signed, current.into_inner()).await {
            Ok(vehicle) => problem.with_detail(json!(vehicle)),
            Err(_) => problem,
        },
        Err(cause) => cause.into(),
    }
}
