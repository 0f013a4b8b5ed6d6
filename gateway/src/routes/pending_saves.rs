//! Routes for pending saves, which are changes made offline that a device has not sent yet. Devices report the number of their
//! pending saves, and users list these reports.
use crate::routes::vehicles::validate_device_name;
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        request_parts::{IdFromPath, JsonBody},
    },
    http::problem::{ApiResult, Problem},
    state::AppState,
    views::json_values,
};
use axum::{
    Json,
    extract::{Path, State},
};
use chrono::{DateTime, Utc};
use http::StatusCode;
use patio_kit::clock;
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that report and list pending saves.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(report_pending_saves)).routes(routes!(list_pending_saves))
}

/// Report that a device sends about the caller's pending saves on this device.
#[derive(Deserialize, ToSchema)]
struct HeldByDevice {
    /// Pending saves per campaign; empty when the device has none. The list replaces the device's last report.
    #[schema(max_items = 200)]
    held: Vec<PendingSaves>,
}

/// Pending saves of a device for one campaign.
#[derive(Deserialize, ToSchema)]
struct PendingSaves {
    #[schema(minimum = 1)]
    campaign_id: i64,
    #[schema(minimum = 1, maximum = 1_000_000)]
    saves: i64,
    /// Time of the oldest pending save, according to the device's clock.
    oldest_at: DateTime<Utc>,
}

/// Stores a device's report of the caller's pending saves: changes made offline that the device has not sent yet. The report
/// replaces the device's last report.
#[utoipa::path(put, path = "/devices/{device}/held", tag = "live",
    params(("device" = String, Path, description = "Name of the app installation, chosen by the client.", min_length = 1, max_length = 64)),
    request_body = HeldByDevice, responses((status = 204, description = "The report is stored.")),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.PendingSaveService/ReportPendingSaves"))))]
async fn report_pending_saves(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    path: Path<String>,
    JsonBody(body): JsonBody<HeldByDevice>,
) -> ApiResult<StatusCode> {
    let device = validate_device_name(path.0)?;
    let to_proto = |work: PendingSaves| {
        let oldest_at = json_values::validate_timestamp_range("held.oldest_at", work.oldest_at)?;
        Ok(pb::PendingSaves { campaign_id: work.campaign_id, saves: work.saves, oldest_at: Some(clock::to_timestamp(oldest_at)) })
    };
    let held: Result<Vec<_>, Problem> = body.held.into_iter().map(to_proto).collect();
    api.pending_saves().report_pending_saves(signed.grpc_request(pb::ReportPendingSavesRequest { device, held: held? })).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Pending saves of all devices for one campaign, according to the last report of each device.
#[derive(Serialize, ToSchema)]
struct Held {
    devices: i64,
    saves: i64,
    /// Pending saves per user and device, at most 1,000 entries. The entry with the oldest pending save comes first.
    held: Vec<HeldOnDevice>,
}

/// Pending saves of one user on one device.
#[derive(Serialize, ToSchema)]
struct HeldOnDevice {
    hmc: String,
    device: String,
    saves: i64,
    /// Time of the oldest pending save, according to the device's clock.
    oldest_at: DateTime<Utc>,
    /// Time of the device's last report of pending saves.
    told_at: DateTime<Utc>,
}

/// Returns the pending saves of a campaign: saves that devices have stored but not sent yet. These saves would fail if the campaign
/// were closed before the devices send them.
#[utoipa::path(get, path = "/campaigns/{id}/held", tag = "live", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "The pending saves.", body = Held)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.PendingSaveService/ListPendingSaves"))))]
async fn list_pending_saves(State(api): State<AppState>, signed: AuthenticatedCaller, IdFromPath(id): IdFromPath) -> ApiResult<Json<Held>> {
    let reply =
        api.pending_saves().list_pending_saves(signed.grpc_request(pb::ListPendingSavesRequest { campaign_id: id })).await?.into_inner();
    let people = api.names.resolve_names(signed.call_context(), reply.held.iter().map(|held| held.user_id)).await;
    let held = reply.held.into_iter().map(|held| HeldOnDevice {
        hmc: people.name(held.user_id),
        device: held.device,
        saves: held.saves,
        oldest_at: json_values::to_datetime_or_epoch(held.oldest_at.as_ref()),
        told_at: json_values::to_datetime_or_epoch(held.told_at.as_ref()),
    });
    Ok(Json(Held { devices: reply.devices, saves: reply.saves, held: held.collect() }))
}
