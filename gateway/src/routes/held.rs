//! Work that devices hold and have not sent.
use super::vehicles::device;
use crate::{
    api::Api,
    bearer::Signed,
    error::{Problem, Reply},
    input::{Id, Sent},
    values,
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

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(set_held)).routes(routes!(get_held))
}

/// Everything that one device holds in the caller's name.
#[derive(Deserialize, ToSchema)]
struct HeldByDevice {
    /// Replaces what was told before; none when all is sent.
    #[schema(max_items = 200)]
    held: Vec<HeldWork>,
}

/// What a device holds for one campaign.
#[derive(Deserialize, ToSchema)]
struct HeldWork {
    #[schema(minimum = 1)]
    campaign_id: i64,
    #[schema(minimum = 1, maximum = 1_000_000)]
    saves: i64,
    /// When the first of them was done, by the device's clock.
    oldest_at: DateTime<Utc>,
}

/// Tells what a device holds in the caller's name and has not sent.
#[utoipa::path(put, path = "/devices/{device}/held", tag = "live",
    params(("device" = String, Path, description = "What the installation calls itself.", min_length = 1, max_length = 64)),
    request_body = HeldByDevice, responses((status = 204, description = "Kept.")),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.HeldService/SetHeld"))))]
async fn set_held(State(api): State<Api>, signed: Signed, path: Path<String>, Sent(body): Sent<HeldByDevice>) -> Reply<StatusCode> {
    let device = device(path.0)?;
    let told = |work: HeldWork| {
        let oldest_at = values::kept("held.oldest_at", work.oldest_at)?;
        Ok(pb::HeldWork { campaign_id: work.campaign_id, saves: work.saves, oldest_at: Some(clock::timestamp(oldest_at)) })
    };
    let held: Result<Vec<_>, Problem> = body.held.into_iter().map(told).collect();
    api.held().set_held(signed.sign(pb::SetHeldRequest { device, held: held? })).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What devices hold for a campaign and have not sent, as far as they could tell.
#[derive(Serialize, ToSchema)]
struct Held {
    devices: i64,
    saves: i64,
    /// What has waited longest first, at most 1,000.
    held: Vec<HeldOnDevice>,
}

/// What one device of one person holds.
#[derive(Serialize, ToSchema)]
struct HeldOnDevice {
    hmc: String,
    device: String,
    saves: i64,
    /// When the first of them was done, by the device's clock.
    oldest_at: DateTime<Utc>,
    /// When the device told it.
    told_at: DateTime<Utc>,
}

/// Returns what devices hold for a campaign and have not sent; a closed campaign would refuse it.
#[utoipa::path(get, path = "/campaigns/{id}/held", tag = "live", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "What is held.", body = Held)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.HeldService/GetHeld"))))]
async fn get_held(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Json<Held>> {
    let reply = api.held().get_held(signed.sign(pb::GetHeldRequest { campaign_id: id })).await?.into_inner();
    let people = api.names.of(&signed, reply.held.iter().map(|held| held.user_id)).await;
    let held = reply.held.into_iter().map(|held| HeldOnDevice {
        hmc: people.name(held.user_id),
        device: held.device,
        saves: held.saves,
        oldest_at: values::moment(held.oldest_at.as_ref()),
        told_at: values::moment(held.told_at.as_ref()),
    });
    Ok(Json(Held { devices: reply.devices, saves: reply.saves, held: held.collect() }))
}
