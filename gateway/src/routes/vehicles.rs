//! Routes with which users list and read vehicles and save inspections.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        conditional_headers, query,
        request_parts::{IdFromPath, JsonBody, QueryParams},
    },
    http::problem::{ApiResult, Problem, ProblemBody},
    state::AppState,
    views::{
        json_values::{self, VehicleStatus},
        vehicle::{Vehicle, build_vehicle_response, save_error_to_problem, to_vehicle_views},
    },
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use http::HeaderMap;
use patio_kit::clock;
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that list, read and save vehicles.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(get_vehicle, save_vehicle)).routes(routes!(list_vehicles))
}

/// Optional query parameter with the yard from which the next vehicle to inspect (`next` in the response) is chosen.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct YardQuery {
    /// Id of the yard to which the choice of `next`, the next vehicle to inspect, is limited; all yards when absent.
    #[param(minimum = 1, maximum = 28, nullable = false)]
    yard: Option<i32>,
}

/// Returns one vehicle, with the id of the next vehicle to inspect in walking order (by yard, then parking space).
#[utoipa::path(get, path = "/vehicles/{id}", tag = "vehicles", params(("id" = i64, Path, minimum = 1), YardQuery),
    responses((status = 200, description = "The vehicle.", body = Vehicle, headers(("ETag" = String, description = "Version of the vehicle, in quotes.")))),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/GetVehicle"))))]
async fn get_vehicle(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    QueryParams(query): QueryParams<YardQuery>,
) -> ApiResult<(HeaderMap, Json<Vehicle>)> {
    let request = pb::GetVehicleRequest { id, yard: query::validate_yard_id(query.yard)? };
    let vehicle = api.vehicles().get_vehicle(signed.grpc_request(request)).await?.into_inner();
    build_vehicle_response(&api, &signed, vehicle).await
}

/// How the user entered the vehicle's VIN: typed or scanned.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VinOrigin {
    /// VIN typed on the keyboard of the device.
    Typed,
    /// VIN scanned with the camera or a hardware scanner.
    Scanned,
}

/// Changes to a vehicle. Absent fields keep their value, and unknown fields are ignored.
#[derive(Deserialize, ToSchema)]
struct SaveVehicle {
    /// Id of the vehicle. When present, the id must equal the id in the path.
    id: Option<i64>,
    /// VIN that the user saw. When present, the save fails with `OTHER_VEHICLE` if the vehicle's VIN differs.
    seen_vin_number: Option<String>,
    vin_number: Option<String>,
    status: Option<VehicleStatus>,
    parking_space: Option<String>,
    operator_notes: Option<String>,
    admin_notes: Option<String>,
    /// Id of the campaign. When present, the id must equal the id of the vehicle's campaign.
    campaign_id: Option<i64>,
    origin: Option<VinOrigin>,
    /// Old values of the fields to change, as the user saw them. When present, the save changes only these fields. The server then checks
    /// each of these fields for a concurrent change, instead of comparing the version of the vehicle.
    base: Option<Base>,
    /// How to handle a field that another user changed meanwhile; `ask` when absent.
    on_conflict: Option<OnConflict>,
    /// Time of the change according to the device's clock; absent when unknown. The time is only informative: the server
    /// determines the order of saves.
    device_time: Option<DateTime<Utc>>,
    /// Device name, chosen by the client for this installation of the web app; absent when the client sends none.
    #[schema(min_length = 1, max_length = 64)]
    device: Option<String>,
}

/// Field values of a vehicle that the user saw before a save; fields that the save does not change are absent.
#[derive(Deserialize, ToSchema)]
struct Base {
    status: Option<VehicleStatus>,
    operator_notes: Option<String>,
    admin_notes: Option<String>,
    vin_number: Option<String>,
    parking_space: Option<String>,
}

impl From<Base> for pb::Base {
    fn from(seen: Base) -> Self {
        Self {
            vin_number: seen.vin_number,
            status: seen.status.map(|status| status.to_proto().into()),
            parking_space: seen.parking_space,
            operator_notes: seen.operator_notes,
            admin_notes: seen.admin_notes,
        }
    }
}

/// How a save handles a field that another user changed meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum OnConflict {
    /// Rejects the whole save and returns the current vehicle.
    Ask,
    /// Stores both values as a conflict that a user resolves later, and saves all fields that do not conflict.
    Keep,
}

/// Validates a device name, which a client chooses for its installation of the web app.
///
/// # Errors
/// Returns a 400 when the name is empty, longer than 64 characters or contains control characters.
pub fn validate_device_name(name: String) -> ApiResult<String> {
    let is_valid = (1..=64).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if is_valid { Ok(name) } else { Err(Problem::invalid_field("device", "must have 1 to 64 characters, without control characters")) }
}

fn save(id: i64, body: SaveVehicle) -> ApiResult<pb::SaveVehicleRequest> {
    let device = body.device.map(validate_device_name).transpose()?.unwrap_or_default();
    let keeps = body.on_conflict == Some(OnConflict::Keep);
    let origin = match body.origin {
        None => pb::Origin::Unspecified,
        Some(VinOrigin::Typed) => pb::Origin::Typed,
        Some(VinOrigin::Scanned) => pb::Origin::Scanned,
    };
    Ok(pb::SaveVehicleRequest {
        id,
        seen_vin_number: body.seen_vin_number,
        vin_number: body.vin_number,
        status: body.status.map(|status| status.to_proto().into()),
        parking_space: body.parking_space,
        operator_notes: body.operator_notes,
        admin_notes: body.admin_notes,
        campaign_id: body.campaign_id,
        origin: origin.into(),
        base: body.base.map(Into::into),
        on_conflict: if keeps { pb::OnConflict::Keep } else { pb::OnConflict::Unspecified }.into(),
        device_time: body
            .device_time
            .map(|at| json_values::validate_timestamp_range("device_time", at).map(clock::to_timestamp))
            .transpose()?,
        device,
        ..Default::default()
    })
}

/// Preconditions of a save: the expected version and the idempotency key.
struct SavePreconditions {
    if_version: Option<i64>,
    idempotency_key: String,
}

impl<S: Sync> axum::extract::FromRequestParts<S> for SavePreconditions {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut http::request::Parts, _: &S) -> ApiResult<Self> {
        Ok(Self {
            if_version: conditional_headers::parse_if_match_header(&parts.headers)?,
            idempotency_key: conditional_headers::parse_idempotency_key(&parts.headers)?,
        })
    }
}

/// Path and query parameters of the route that saves a vehicle.
type Place = (IdFromPath, QueryParams<YardQuery>);

/// Saves the inspection of a vehicle. If the version in `If-Match` is outdated, the call returns 409 with the current vehicle in
/// `details`. With `base`, an outdated version is accepted, and `on_conflict` decides what happens when another user has changed
/// the same field. An idempotency key is stored for 30 days; a repeated save with the same key returns the current vehicle.
#[utoipa::path(put, path = "/vehicles/{id}", tag = "vehicles",
    params(("id" = i64, Path, minimum = 1), YardQuery,
        ("If-Match" = Option<String>, Header, description = "Version of the vehicle that the change is based on, in quotes.", nullable = false),
        ("Idempotency-Key" = Option<String>, Header, description = "Unique key of this save; repeat it on every retry.", max_length = 128, nullable = false)),
    request_body = SaveVehicle,
    responses((status = 200, description = "The saved vehicle.", body = Vehicle, headers(("ETag" = String, description = "Version of the vehicle, in quotes."))),
        (status = 409, description = "Another user saved the vehicle first, its VIN is not the one that was seen, the campaign is closed, or the VIN is taken.", body = ProblemBody),
        (status = 422, description = "The vehicle cannot change to this status.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/SaveVehicle"))))]
async fn save_vehicle(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    place: Place,
    terms: SavePreconditions,
    JsonBody(body): JsonBody<SaveVehicle>,
) -> ApiResult<(HeaderMap, Json<Vehicle>)> {
    let (IdFromPath(id), QueryParams(query)) = place;
    if body.id.is_some_and(|body_id| body_id != id) {
        return Err(Problem::invalid_field("id", "must equal the id in the path"));
    }
    let yard = query::validate_yard_id(query.yard)?;
    let request = pb::SaveVehicleRequest { if_version: terms.if_version, idempotency_key: terms.idempotency_key, yard, ..save(id, body)? };
    let request = if request.idempotency_key.is_empty() { signed.grpc_request(request) } else { signed.idempotent_grpc_request(request) };
    match api.vehicles().save_vehicle(request).await {
        Ok(saved) => build_vehicle_response(&api, &signed, saved.into_inner()).await,
        Err(refusal) => Err(save_error_to_problem(&api, &signed, id, refusal).await),
    }
}

/// Query parameters that filter a campaign's vehicle list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Text that the VIN or the parking space must contain, ignoring case; all vehicles when absent.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    /// Id of the yard whose vehicles are listed; all yards when absent.
    #[param(minimum = 1, maximum = 28, nullable = false)]
    yard: Option<i32>,
    /// Status of the listed vehicles; an empty status selects vehicles without a status, and an absent status selects all vehicles.
    #[param(nullable = false)]
    status: Option<VehicleStatus>,
}

/// One page of vehicles.
#[derive(Serialize, ToSchema)]
struct Vehicles {
    vehicles: Vec<Vehicle>,
    meta: VehiclesMeta,
}

/// Paging metadata of the vehicle list.
#[derive(Serialize, ToSchema)]
struct VehiclesMeta {
    /// Number of the returned page, counted from 0.
    page_index: i32,
    per_page: i32,
    total_count: i64,
    campaign_name: String,
}

/// Lists the vehicles of a campaign in walking order (by yard, then parking space), page by page.
#[utoipa::path(get, path = "/vehicles/campaign/{id}", tag = "vehicles",
    params(("id" = i64, Path, minimum = 1), query::PageQuery, ListQuery),
    responses((status = 200, description = "One page.", body = Vehicles)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/ListVehicles"))))]
async fn list_vehicles(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    QueryParams(page): QueryParams<query::PageQuery>,
    QueryParams(query): QueryParams<ListQuery>,
) -> ApiResult<Json<Vehicles>> {
    let request = pb::ListVehiclesRequest {
        campaign_id: id,
        page: Some(page.to_page()?),
        search: query::validate_search_text(query.search)?,
        yard: query::validate_yard_id(query.yard)?,
        status: query.status.map(|status| status.to_proto().into()),
    };
    let reply = api.vehicles().list_vehicles(signed.grpc_request(request)).await?.into_inner();
    let meta = query::PageMeta::from(reply.meta);
    let (page_index, per_page, total_count) = (meta.page_index, meta.per_page, meta.total_count);
    let meta = VehiclesMeta { page_index, per_page, total_count, campaign_name: reply.campaign_name };
    Ok(Json(Vehicles { vehicles: to_vehicle_views(&api, &signed, reply.vehicles).await, meta }))
}
