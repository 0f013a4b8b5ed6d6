//! Routes with which users change the status or the parking space of many vehicles in one call (bulk changes).
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        query,
        request_parts::{JsonBody, MAX_BULK_CHANGE_BODY_BYTES},
    },
    http::problem::{ApiResult, Problem, ProblemBody},
    state::{AppState, BULK_CALL_TIMEOUT},
    views::{
        json_values::VehicleStatus,
        vehicle_preview::{ReplacedStatus, VehiclePreview},
    },
};
use axum::{Json, extract::State};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that change many vehicles in one call (bulk changes).
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(bulk_status)).routes(routes!(bulk_parking_space))
}

/// Action of a bulk status change: set the status or clear it.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Insert,
    Remove,
}

/// Request to set or clear the status of many vehicles.
#[derive(Deserialize, ToSchema)]
struct BulkStatus {
    #[schema(max_items = 50_000)]
    vins: Vec<String>,
    action: Action,
    /// Status to set; required with the action `insert`, absent with `remove`.
    status: Option<VehicleStatus>,
    /// Id of the yard to which the change is limited; all yards when absent.
    #[schema(minimum = 1, maximum = 28)]
    yard: Option<i32>,
    /// Id of the campaign to which the change is limited; all campaigns when absent.
    campaign_id: Option<i64>,
    /// Whether to return the expected result without changing anything; false when absent.
    dry_run: Option<bool>,
    /// Maximum number of vehicles in the preview; 20 when absent.
    #[schema(minimum = 1, maximum = 1_000)]
    preview_limit: Option<i32>,
}

/// New parking space of one vehicle.
#[derive(Deserialize, ToSchema)]
struct ParkingSpaceChange {
    vin: String,
    parking_space: String,
}

/// Request to move many vehicles to other parking spaces.
#[derive(Deserialize, ToSchema)]
struct BulkSpaces {
    #[schema(max_items = 50_000)]
    rows: Vec<ParkingSpaceChange>,
    /// Id of the yard to which the change is limited; all yards when absent.
    #[schema(minimum = 1, maximum = 28)]
    yard: Option<i32>,
    /// Id of the campaign to which the change is limited; all campaigns when absent.
    campaign_id: Option<i64>,
    /// Whether to return the expected result without changing anything; false when absent.
    dry_run: Option<bool>,
    /// Maximum number of vehicles in the preview; 20 when absent.
    #[schema(minimum = 1, maximum = 1_000)]
    preview_limit: Option<i32>,
}

/// Vehicle that a bulk change left unchanged, with the reason.
#[derive(Serialize, ToSchema)]
struct Skipped {
    vin: String,
    /// Machine-readable reason: `CAMPAIGN_CLOSED`, `AMBIGUOUS_VIN`, `SAME_STATUS`, `NO_STATUS` or `SAME_SPACE`.
    code: String,
    /// Reason as a sentence for users.
    reason: String,
}

/// Result of a bulk change.
#[derive(Serialize, ToSchema)]
struct BulkResult {
    matched: i64,
    updated: i64,
    skipped: Vec<Skipped>,
    not_found: Vec<String>,
    /// Preview of at most `preview_limit` vehicles that would change: first those whose status is replaced or that have an open conflict,
    /// then the others, in the order of the request. Empty unless the request is a dry run.
    preview: Vec<VehiclePreview>,
    /// Vehicles whose status the change would replace or remove, by their present status; empty unless the request is a dry run.
    replaced_statuses: Vec<ReplacedStatus>,
    /// Number of vehicles that would change and have an open conflict; 0 unless the request is a dry run.
    open_conflicts: i64,
    /// Warnings about the change, one sentence each, to review before the change is made; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl From<pb::BulkResponse> for BulkResult {
    fn from(reply: pb::BulkResponse) -> Self {
        let skipped = reply.skipped.into_iter().map(|skipped| Skipped { vin: skipped.vin, code: skipped.code, reason: skipped.reason });
        let preview = reply.preview.into_iter().map(Into::into);
        Self {
            matched: reply.matched,
            updated: reply.updated,
            skipped: skipped.collect(),
            not_found: reply.not_found,
            preview: preview.collect(),
            replaced_statuses: reply.replaced_statuses.into_iter().map(Into::into).collect(),
            open_conflicts: reply.open_conflicts,
            warnings: reply.warnings,
        }
    }
}

/// Maximum number of vehicles in one bulk change.
const MAX_VEHICLES: usize = 50_000;

fn check_vehicle_count(field: &str, count: usize) -> ApiResult<()> {
    if count > MAX_VEHICLES { Err(Problem::invalid_field(field, "No more than 50,000 vehicles at a time.")) } else { Ok(()) }
}

/// Returns the requested number of vehicles in the preview; 0 (the default of the service) when the request names none.
fn validate_preview_limit(requested: Option<i32>) -> ApiResult<i32> {
    match requested {
        None => Ok(0),
        Some(limit) if (1..=1_000).contains(&limit) => Ok(limit),
        Some(_) => Err(Problem::invalid_field("preview_limit", "must be from 1 to 1000")),
    }
}

/// Sets or clears the status of many vehicles. A vehicle that already has the status, or that cannot be changed, is skipped. If
/// the call fails, no vehicle is changed.
#[utoipa::path(post, path = "/vehicles/bulk/status", tag = "vehicles", request_body = BulkStatus,
    responses((status = 200, description = "Result of the change.", body = BulkResult),
        (status = 409, description = "The campaign is closed.", body = ProblemBody),
        (status = 422, description = "A vehicle's state or the given values do not allow the change.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.BulkService/BulkStatus"))))]
async fn bulk_status(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    JsonBody(body): JsonBody<BulkStatus, MAX_BULK_CHANGE_BODY_BYTES>,
) -> ApiResult<Json<BulkResult>> {
    check_vehicle_count("vins", body.vins.len())?;
    let action = match body.action {
        Action::Insert => pb::StatusAction::Insert,
        Action::Remove => pb::StatusAction::Remove,
    };
    let request = pb::BulkStatusRequest {
        vins: body.vins,
        action: action.into(),
        status: body.status.unwrap_or_default().to_proto().into(),
        scope: Some(pb::Scope { yard: query::validate_yard_id(body.yard)?, campaign_id: body.campaign_id }),
        dry_run: body.dry_run.unwrap_or_default(),
        preview_limit: validate_preview_limit(body.preview_limit)?,
    };
    Ok(Json(api.bulk().bulk_status(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, request)).await?.into_inner().into()))
}

/// Moves many vehicles to other parking spaces. A vehicle that is already in the parking space, or that cannot be changed, is
/// skipped. If the call fails, no vehicle is moved.
#[utoipa::path(post, path = "/vehicles/bulk/parking-space", tag = "vehicles", request_body = BulkSpaces,
    responses((status = 200, description = "Result of the change.", body = BulkResult),
        (status = 409, description = "The campaign is closed.", body = ProblemBody),
        (status = 422, description = "A vehicle's state or the given values do not allow the change.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.BulkService/BulkParkingSpace"))))]
async fn bulk_parking_space(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    JsonBody(body): JsonBody<BulkSpaces, MAX_BULK_CHANGE_BODY_BYTES>,
) -> ApiResult<Json<BulkResult>> {
    check_vehicle_count("rows", body.rows.len())?;
    let rows = body.rows.into_iter().map(|row| pb::ParkingSpaceChange { vin: row.vin, parking_space: row.parking_space }).collect();
    let scope = pb::Scope { yard: query::validate_yard_id(body.yard)?, campaign_id: body.campaign_id };
    let request = pb::BulkParkingSpaceRequest {
        rows,
        scope: Some(scope),
        dry_run: body.dry_run.unwrap_or_default(),
        preview_limit: validate_preview_limit(body.preview_limit)?,
    };
    Ok(Json(api.bulk().bulk_parking_space(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, request)).await?.into_inner().into()))
}
