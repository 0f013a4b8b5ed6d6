//! Routes that list the yards (parking areas of the site). Each yard has a number of vehicles and a number of inspected vehicles.
use crate::{
    extract::{auth::AuthenticatedCaller, query, request_parts::QueryParams},
    http::problem::ApiResult,
    state::AppState,
};
use axum::{Json, extract::State};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that list yards with their vehicle counts.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_yards)).routes(routes!(yard_counts))
}

/// Yard with its vehicle counts over all campaigns.
#[derive(Serialize, ToSchema)]
struct Yard {
    id: i32,
    name: String,
    vehicles_count: i64,
    vehicles_inspected_count: i64,
}

/// One page of yards.
#[derive(Serialize, ToSchema)]
struct Yards {
    yards: Vec<Yard>,
    meta: query::PageMeta,
}

/// Yard with its vehicle counts in one campaign.
#[derive(Serialize, ToSchema)]
struct YardCount {
    yard_id: i32,
    yard_name: String,
    total_vehicles: i64,
    inspected_vehicles: i64,
}

/// Query parameter that searches the yard list by name.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Text that the name of a yard must contain, ignoring case; all yards when absent.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
}

/// Lists yards with their vehicle counts over all campaigns.
#[utoipa::path(get, path = "/yards", tag = "yards", params(query::PageQuery, ListQuery), responses((status = 200, description = "One page.", body = Yards)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.YardService/ListYards"))))]
async fn list_yards(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(page): QueryParams<query::PageQuery>,
    QueryParams(query): QueryParams<ListQuery>,
) -> ApiResult<Json<Yards>> {
    let request = pb::ListYardsRequest { page: Some(page.to_page()?), search: query::validate_search_text(query.search)? };
    let reply = api.yards().list_yards(signed.grpc_request(request)).await?.into_inner();
    let yards = reply.yards.into_iter().map(|yard| Yard {
        id: yard.id,
        name: yard.name,
        vehicles_count: yard.total_vehicles,
        vehicles_inspected_count: yard.inspected_vehicles,
    });
    Ok(Json(Yards { yards: yards.collect(), meta: reply.meta.into() }))
}

/// Query parameter with the name of a campaign.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct NameQuery {
    /// Exact name of the campaign.
    #[param(min_length = 1, max_length = 200)]
    campaign_name: String,
}

/// Returns the vehicle counts of each yard in one campaign.
#[utoipa::path(get, path = "/yards/vehicle-counts", tag = "yards", params(NameQuery),
    responses((status = 200, description = "The yards that have vehicles in the campaign.", body = Vec<YardCount>),
        (status = 404, description = "The campaign does not exist.", body = crate::http::problem::ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.YardService/GetYardCounts"))))]
async fn yard_counts(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(query): QueryParams<NameQuery>,
) -> ApiResult<Json<Vec<YardCount>>> {
    let request = pb::GetYardCountsRequest { campaign_name: query::validate_campaign_name(query.campaign_name)? };
    let yards = api.yards().get_yard_counts(signed.grpc_request(request)).await?.into_inner().yards;
    let counts = yards.into_iter().map(|yard| YardCount {
        yard_id: yard.id,
        yard_name: yard.name,
        total_vehicles: yard.total_vehicles,
        inspected_vehicles: yard.inspected_vehicles,
    });
    Ok(Json(counts.collect()))
}
