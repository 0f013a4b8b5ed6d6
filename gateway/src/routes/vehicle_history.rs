//! Route with which users read the history of a vehicle.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        request_parts::{IdFromPath, QueryParams},
    },
    http::problem::ApiResult,
    routes::{merged_history::validate_page_size, vehicles::VinOrigin},
    state::AppState,
    views::{conflict::VehicleField, json_values},
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use patio_kit::{client::user_names::UserNameMap, clock};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the route that lists the history of a vehicle.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_vehicle_history))
}

/// Query parameters of the history of a vehicle: position and size of the page.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct HistoryQuery {
    /// Time before which the listed changes were made: the value `next` of the previous page. When absent, the newest changes are
    /// listed.
    #[param(nullable = false)]
    before: Option<DateTime<Utc>>,
    /// Maximum number of changes, 1 to 100; 50 when absent.
    #[param(minimum = 1, maximum = 100, nullable = false)]
    limit: Option<i32>,
}

/// Changes of a vehicle, newest first.
#[derive(Serialize, ToSchema)]
struct VehicleHistory {
    changes: Vec<VehicleChange>,
    /// Value of the query parameter `before` that requests the next page; null on the last page.
    next: Option<DateTime<Utc>>,
}

/// Kind of a change in the history of a vehicle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ChangeKind {
    /// A user saved the vehicle.
    Save,
    /// A user resolved a conflict between two values of a field.
    Conflict,
    /// The status was set or removed by a bulk change.
    BulkStatus,
    /// The vehicle was moved by a bulk change.
    BulkSpace,
    /// Fields of the vehicle were changed by a CSV file.
    BulkFile,
    /// The vehicle was imported.
    Import,
}

/// Change of a vehicle: a save, a resolved conflict, a bulk change or the import.
#[derive(Serialize, ToSchema)]
struct VehicleChange {
    at: DateTime<Utc>,
    /// Login name (HMC) of the user who made the change; null when no user made the change.
    by_hmc: Option<String>,
    kind: ChangeKind,
    /// How the user entered the VIN to find the saved vehicle: typed or scanned. Null when the user entered no VIN, and for
    /// changes other than saves.
    origin: Option<VinOrigin>,
    /// Time of a save according to the device's clock; null when the device sent no time.
    device_time: Option<DateTime<Utc>>,
    /// Id of the bulk change or import; null for other changes.
    job_id: Option<i64>,
    /// Name of the CSV file or of the imported file; empty for other changes.
    file: String,
    fields: Vec<ChangedField>,
}

/// Change of one field of a vehicle.
#[derive(Serialize, ToSchema)]
struct ChangedField {
    field: VehicleField,
    old: String,
    new: String,
    /// Whether the save conflicted with a change of the same field by another user. If so, `old` is the value that was stored
    /// first, and `new` is the value of the save.
    in_conflict: bool,
}

impl VehicleChange {
    fn new(change: pb::VehicleChange, people: &UserNameMap) -> Self {
        let (kind, origin) = (change.kind(), change.origin());
        Self {
            at: json_values::to_datetime_or_epoch(change.at.as_ref()),
            by_hmc: change.user_id.map(|id| people.name(id)),
            kind: match kind {
                pb::ChangeKind::Save | pb::ChangeKind::Unspecified => ChangeKind::Save,
                pb::ChangeKind::Conflict => ChangeKind::Conflict,
                pb::ChangeKind::BulkStatus => ChangeKind::BulkStatus,
                pb::ChangeKind::BulkSpace => ChangeKind::BulkSpace,
                pb::ChangeKind::BulkFile => ChangeKind::BulkFile,
                pb::ChangeKind::Import => ChangeKind::Import,
            },
            origin: match origin {
                pb::Origin::Unspecified => None,
                pb::Origin::Typed => Some(VinOrigin::Typed),
                pb::Origin::Scanned => Some(VinOrigin::Scanned),
            },
            device_time: change.device_time.as_ref().and_then(clock::from_timestamp),
            job_id: change.job_id,
            file: change.file,
            fields: change.fields.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<pb::FieldChange> for ChangedField {
    fn from(change: pb::FieldChange) -> Self {
        Self { field: change.field().into(), old: change.old, new: change.new, in_conflict: change.in_conflict }
    }
}

/// Lists the changes of a vehicle, newest first: saves, resolved conflicts, bulk changes of the last 90 days, and the import.
/// Operators see only changes of status and parking space.
#[utoipa::path(get, path = "/vehicles/{id}/history", tag = "vehicles", params(("id" = i64, Path, minimum = 1), HistoryQuery),
    responses((status = 200, description = "One page.", body = VehicleHistory)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.HistoryService/ListVehicleHistory"))))]
async fn list_vehicle_history(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    QueryParams(query): QueryParams<HistoryQuery>,
) -> ApiResult<Json<VehicleHistory>> {
    let limit = validate_page_size(query.limit)?;
    let before = query.before.map(|at| json_values::validate_timestamp_range("before", at).map(clock::to_timestamp)).transpose()?;
    let request = pb::ListVehicleHistoryRequest { vehicle_id: id, before, limit };
    let reply = api.history().list_vehicle_history(signed.grpc_request(request)).await?.into_inner();
    let people = api.names.resolve_names(signed.call_context(), reply.changes.iter().filter_map(|change| change.user_id)).await;
    let next = reply.next.as_ref().and_then(clock::from_timestamp);
    let changes = reply.changes.into_iter().map(|change| VehicleChange::new(change, &people)).collect();
    Ok(Json(VehicleHistory { changes, next }))
}
