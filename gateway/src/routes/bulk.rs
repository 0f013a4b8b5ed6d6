//! Many vehicles at once.
use crate::{
    api::{Api, LONG},
    bearer::Signed,
    error::{Problem, ProblemBody, Reply},
    input::{LARGE, Sent},
    page,
    preview::VehiclePreview,
    values::VehicleStatus,
};
use axum::{Json, extract::State};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(bulk_status)).routes(routes!(bulk_parking_space))
}

/// What a bulk call does with a status.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Insert,
    Remove,
}

/// A status for many vehicles.
#[derive(Deserialize, ToSchema)]
struct BulkStatus {
    #[schema(max_items = 50_000)]
    vins: Vec<String>,
    action: Action,
    /// Needed to insert.
    status: Option<VehicleStatus>,
    /// Only vehicles in this yard.
    #[schema(minimum = 1, maximum = 28)]
    yard: Option<i32>,
    /// Only vehicles of this campaign.
    campaign_id: Option<i64>,
    /// Tells what would happen and changes nothing.
    dry_run: Option<bool>,
}

/// A vehicle and where it stands from now on.
#[derive(Deserialize, ToSchema)]
struct NewSpace {
    vin: String,
    parking_space: String,
}

/// New parking spaces of many vehicles.
#[derive(Deserialize, ToSchema)]
struct BulkSpaces {
    #[schema(max_items = 50_000)]
    rows: Vec<NewSpace>,
    /// Only vehicles in this yard.
    #[schema(minimum = 1, maximum = 28)]
    yard: Option<i32>,
    /// Only vehicles of this campaign.
    campaign_id: Option<i64>,
    /// Tells what would happen and changes nothing.
    dry_run: Option<bool>,
}

/// A vehicle that was left as it is.
#[derive(Serialize, ToSchema)]
struct Skipped {
    vin: String,
    reason: String,
}

/// What a bulk call did.
#[derive(Serialize, ToSchema)]
struct BulkResult {
    matched: i64,
    updated: i64,
    skipped: Vec<Skipped>,
    not_found: Vec<String>,
    /// The first 20 vehicles that would change, when the call only tells.
    preview: Vec<VehiclePreview>,
    /// What a person should look at before it is done, one sentence each; absent when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl From<pb::BulkReply> for BulkResult {
    fn from(reply: pb::BulkReply) -> Self {
        let skipped = reply.skipped.into_iter().map(|skipped| Skipped { vin: skipped.vin, reason: skipped.reason });
        let preview = reply.preview.into_iter().map(Into::into);
        Self {
            matched: reply.matched,
            updated: reply.updated,
            skipped: skipped.collect(),
            not_found: reply.not_found,
            preview: preview.collect(),
            warnings: reply.warnings,
        }
    }
}

/// Most vehicles in one bulk call.
const MOST: usize = 50_000;

fn few_enough(field: &str, count: usize) -> Reply<()> {
    if count > MOST { Err(Problem::field(field, "it names more than 50000 vehicles")) } else { Ok(()) }
}

/// Sets or clears the status of many vehicles, all or none.
#[utoipa::path(post, path = "/vehicles/bulk/status", tag = "vehicles", request_body = BulkStatus,
    responses((status = 200, description = "What was done.", body = BulkResult),
        (status = 409, description = "The campaign is closed.", body = ProblemBody),
        (status = 422, description = "A rule forbids it.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.BulkService/BulkStatus"))))]
async fn bulk_status(State(api): State<Api>, signed: Signed, Sent(body): Sent<BulkStatus, LARGE>) -> Reply<Json<BulkResult>> {
    few_enough("vins", body.vins.len())?;
    let action = match body.action {
        Action::Insert => pb::StatusAction::Insert,
        Action::Remove => pb::StatusAction::Remove,
    };
    let ask = pb::BulkStatusRequest {
        vins: body.vins,
        action: action.into(),
        status: body.status.unwrap_or_default().wire().into(),
        scope: Some(pb::Scope { yard: page::yard(body.yard)?, campaign_id: body.campaign_id }),
        dry_run: body.dry_run.unwrap_or_default(),
    };
    Ok(Json(api.bulk().bulk_status(signed.sign_within(LONG, ask)).await?.into_inner().into()))
}

/// Moves many vehicles to other parking spaces, all or none.
#[utoipa::path(post, path = "/vehicles/bulk/parking-space", tag = "vehicles", request_body = BulkSpaces,
    responses((status = 200, description = "What was done.", body = BulkResult),
        (status = 409, description = "The campaign is closed.", body = ProblemBody),
        (status = 422, description = "A rule forbids it.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.BulkService/BulkParkingSpace"))))]
async fn bulk_parking_space(State(api): State<Api>, signed: Signed, Sent(body): Sent<BulkSpaces, LARGE>) -> Reply<Json<BulkResult>> {
    few_enough("rows", body.rows.len())?;
    let rows = body.rows.into_iter().map(|row| pb::NewSpace { vin: row.vin, parking_space: row.parking_space }).collect();
    let scope = pb::Scope { yard: page::yard(body.yard)?, campaign_id: body.campaign_id };
    let ask = pb::BulkParkingSpaceRequest { rows, scope: Some(scope), dry_run: body.dry_run.unwrap_or_default() };
    Ok(Json(api.bulk().bulk_parking_space(signed.sign_within(LONG, ask)).await?.into_inner().into()))
}
