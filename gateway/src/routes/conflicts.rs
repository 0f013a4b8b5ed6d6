//! Routes with which users list conflicts and resolve them. A conflict is a field of a vehicle that two users changed
//! at the same time; a user chooses one of the two values.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        query,
        request_parts::{IdFromPath, JsonBody, QueryParams},
    },
    http::problem::{ApiResult, ProblemBody},
    state::AppState,
    views::{
        conflict::{self, Conflict, ConflictSide, ConflictState},
        json_values,
        vehicle::{self, Vehicle},
    },
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use http::HeaderMap;
use patio_kit::{clock, errors};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that list and resolve conflicts.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_conflicts)).routes(routes!(resolve_conflict))
}

/// Query parameters that filter the conflict list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Id of the campaign whose conflicts are listed; all campaigns when absent.
    #[param(minimum = 1, nullable = false)]
    campaign_id: Option<i64>,
    /// State of the listed conflicts; conflicts in any state when absent.
    #[param(inline, nullable = false)]
    state: Option<ConflictState>,
    /// Whether to list only conflicts in which the caller saved one of the two values; false when absent. Operators always receive only
    /// these conflicts.
    #[param(nullable = false)]
    mine: Option<bool>,
    /// Only conflicts that were created or resolved at or after this time are listed; no limit when absent.
    #[param(nullable = false)]
    since: Option<DateTime<Utc>>,
}

/// One page of conflicts.
#[derive(Serialize, ToSchema)]
struct Conflicts {
    conflicts: Vec<Conflict>,
    meta: query::PageMeta,
}

/// Lists conflicts between concurrent changes of two users, newest first. Operators see only conflicts in which they saved one
/// of the two values.
#[utoipa::path(get, path = "/conflicts", tag = "conflicts", params(query::PageQuery, ListQuery),
    responses((status = 200, description = "One page.", body = Conflicts)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.ConflictService/ListConflicts"))))]
async fn list_conflicts(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(page): QueryParams<query::PageQuery>,
    QueryParams(query): QueryParams<ListQuery>,
) -> ApiResult<Json<Conflicts>> {
    let request = pb::ListConflictsRequest {
        page: Some(page.to_page()?),
        campaign_id: query::validate_campaign_id(query.campaign_id)?,
        settled: query.state.map(|state| state == ConflictState::Settled),
        mine: query.mine.unwrap_or_default(),
        since: query.since.map(|at| json_values::validate_timestamp_range("since", at).map(clock::to_timestamp)).transpose()?,
        id: None,
    };
    let reply = api.conflicts().list_conflicts(signed.grpc_request(request)).await?.into_inner();
    let people = api.names.resolve_names(signed.call_context(), reply.conflicts.iter().flat_map(conflict::user_ids)).await;
    Ok(Json(Conflicts {
        conflicts: reply.conflicts.into_iter().map(|found| Conflict::new(found, &people)).collect(),
        meta: reply.meta.into(),
    }))
}

/// Request to resolve a conflict by choosing one of the two values.
#[derive(Deserialize, ToSchema)]
struct Settling {
    choice: ConflictSide,
}

/// Resolves a conflict by choosing one of its two values, and returns the vehicle. Only supervisors may resolve a conflict on
/// VIN, parking space or supervisor notes. If another save has meanwhile set the field to a third value, the vehicle is not
/// changed. The conflict then stays open with the third value as `theirs`, and the call returns 409 with the current vehicle in
/// `details`.
#[utoipa::path(post, path = "/conflicts/{id}/settle", tag = "conflicts", params(("id" = i64, Path, minimum = 1)), request_body = Settling,
    responses((status = 200, description = "The vehicle.", body = Vehicle, headers(("ETag" = String, description = "Version of the vehicle, in quotes."))),
        (status = 409, description = "The conflict was settled or the field changed meanwhile, the campaign is closed, or the VIN is taken.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.ConflictService/ResolveConflict"))))]
async fn resolve_conflict(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    JsonBody(body): JsonBody<Settling>,
) -> ApiResult<(HeaderMap, Json<Vehicle>)> {
    let choice = match body.choice {
        ConflictSide::Theirs => pb::Side::Theirs,
        ConflictSide::Mine => pb::Side::Mine,
    };
    match api.conflicts().resolve_conflict(signed.grpc_request(pb::ResolveConflictRequest { id, choice: choice.into() })).await {
        Ok(saved) => vehicle::build_vehicle_response(&api, &signed, saved.into_inner()).await,
        Err(refusal) => {
            let id = errors::status_value(&refusal, "vehicle").and_then(|id| id.parse().ok()).unwrap_or_default();
            Err(vehicle::save_error_to_problem(&api, &signed, id, refusal).await)
        }
    }
}
