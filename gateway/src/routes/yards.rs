//! Yards and their counts.
use crate::{api::Api, bearer::Signed, error::Reply, input::Asked, page};
use axum::{Json, extract::State};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(list_yards)).routes(routes!(yard_counts))
}

/// A yard with its counts over all campaigns.
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
    meta: page::Meta,
}

/// A yard with the counts of one campaign.
#[derive(Serialize, ToSchema)]
struct YardCount {
    yard_id: i32,
    yard_name: String,
    total_vehicles: i64,
    inspected_vehicles: i64,
}

/// Which yards.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Counted from 0.
    #[param(minimum = 0, maximum = 1_000_000, nullable = false)]
    page: Option<i32>,
    /// 1 to 200, 10 when absent.
    #[param(minimum = 1, maximum = 200, nullable = false)]
    per_page: Option<i32>,
    /// Contained in the name, whatever the case.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
}

/// Lists yards with their counts over all campaigns.
#[utoipa::path(get, path = "/yards", tag = "yards", params(ListQuery), responses((status = 200, description = "One page.", body = Yards)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.YardService/ListYards"))))]
async fn list_yards(State(api): State<Api>, signed: Signed, Asked(query): Asked<ListQuery>) -> Reply<Json<Yards>> {
    let ask = pb::ListYardsRequest { page: Some(page::of(query.page, query.per_page)?), search: page::search(query.search)? };
    let reply = api.yards().list_yards(signed.sign(ask)).await?.into_inner();
    let yards = reply.yards.into_iter().map(|yard| Yard {
        id: yard.id,
        name: yard.name,
        vehicles_count: yard.total_vehicles,
        vehicles_inspected_count: yard.inspected_vehicles,
    });
    Ok(Json(Yards { yards: yards.collect(), meta: reply.meta.into() }))
}

/// Of which campaign.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct NameQuery {
    /// The campaign's whole name.
    #[param(min_length = 1, max_length = 200)]
    campaign_name: String,
}

/// Returns the counts of each yard of one campaign.
#[utoipa::path(get, path = "/yards/vehicle-counts", tag = "yards", params(NameQuery),
    responses((status = 200, description = "Each yard that has vehicles.", body = Vec<YardCount>),
        (status = 404, description = "There is no such campaign.", body = crate::error::ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.YardService/GetYardCounts"))))]
async fn yard_counts(State(api): State<Api>, signed: Signed, Asked(query): Asked<NameQuery>) -> Reply<Json<Vec<YardCount>>> {
    let ask = pb::GetYardCountsRequest { campaign_name: page::campaign_name(query.campaign_name)? };
    let yards = api.yards().get_yard_counts(signed.sign(ask)).await?.into_inner().yards;
    let counts = yards.into_iter().map(|yard| YardCount {
        yard_id: yard.id,
        yard_name: yard.name,
        total_vehicles: yard.total_vehicles,
        inspected_vehicles: yard.inspected_vehicles,
    });
    Ok(Json(counts.collect()))
}
