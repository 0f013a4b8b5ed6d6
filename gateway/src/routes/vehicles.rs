//! Vehicles, one by one and in lists.
use super::conflicts::{self, Conflict};
use crate::{
    api::Api,
    bearer::Signed,
    error::{Problem, ProblemBody, Reply},
    input::{Asked, Id, Sent},
    page, precondition,
    values::{self, VehicleStatus},
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use http::{HeaderMap, header::ETAG};
use patio_kit::{
    clock,
    errors::{self, Reason},
};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tonic::Status;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(get_vehicle, save_vehicle)).routes(routes!(list_vehicles))
}

/// A vehicle.
#[derive(Serialize, ToSchema)]
pub struct Vehicle {
    id: i64,
    /// Model code and serial number joined by a space.
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
    /// The next vehicle to inspect in walking order.
    next: Option<i64>,
    modified_by: Option<i64>,
    modified_by_hmc: Option<String>,
    modified_at: Option<DateTime<Utc>>,
    /// Grows with every save; also the `ETag`.
    version: i64,
    /// How many of its conflicts nobody has settled.
    open_conflicts: i64,
    /// Of the answer to a save: those that it made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    conflicts: Vec<Conflict>,
}

/// Vehicles as the API shows them, everybody's name looked up in one call.
async fn shown(api: &Api, signed: &Signed, vehicles: Vec<pb::Vehicle>) -> Vec<Vehicle> {
    let named = |vehicle: &pb::Vehicle| vehicle.conflicts.iter().flat_map(conflicts::people).chain(vehicle.modified_by).collect::<Vec<_>>();
    let people = api.names.of(signed, vehicles.iter().flat_map(named)).await;
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
        modified_at: values::optional_moment(vehicle.modified_at.as_ref()),
        version: vehicle.version,
        open_conflicts: vehicle.open_conflicts,
        conflicts: vehicle.conflicts.into_iter().map(|conflict| Conflict::of(conflict, &people)).collect(),
    };
    vehicles.into_iter().map(show).collect()
}

async fn shown_one(api: &Api, signed: &Signed, vehicle: pb::Vehicle) -> Reply<Vehicle> {
    shown(api, signed, vec![vehicle]).await.pop().ok_or_else(Problem::internal)
}

/// One vehicle as an answer.
///
/// # Errors
/// Never yet.
pub async fn answered(api: &Api, signed: &Signed, vehicle: pb::Vehicle) -> Reply<(HeaderMap, Json<Vehicle>)> {
    shown_one(api, signed, vehicle).await.map(tagged)
}

fn tagged(vehicle: Vehicle) -> (HeaderMap, Json<Vehicle>) {
    (HeaderMap::from_iter([(ETAG, precondition::etag(vehicle.version))]), Json(vehicle))
}

/// Of which yard.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct YardQuery {
    /// `next` stays in this yard.
    #[param(minimum = 1, maximum = 28, nullable = false)]
    yard: Option<i32>,
}

/// Returns one vehicle with the next one in walking order.
#[utoipa::path(get, path = "/vehicles/{id}", tag = "vehicles", params(("id" = i64, Path, minimum = 1), YardQuery),
    responses((status = 200, description = "The vehicle.", body = Vehicle, headers(("ETag" = String, description = "The version in quotes.")))),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/GetVehicle"))))]
async fn get_vehicle(
    State(api): State<Api>,
    signed: Signed,
    Id(id): Id,
    Asked(query): Asked<YardQuery>,
) -> Reply<(HeaderMap, Json<Vehicle>)> {
    let ask = pb::GetVehicleRequest { id, yard: page::yard(query.yard)? };
    let vehicle = api.vehicles().get_vehicle(signed.sign(ask)).await?.into_inner();
    answered(&api, &signed, vehicle).await
}

/// How the identifier of a saved vehicle came in.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Origin {
    Typed,
    Scanned,
}

/// What an inspection found; what is absent stays, what is not named here is ignored.
#[derive(Deserialize, ToSchema)]
struct SaveVehicle {
    /// When given, the same as in the path.
    id: Option<i64>,
    vin_number: Option<String>,
    status: Option<VehicleStatus>,
    parking_space: Option<String>,
    operator_notes: Option<String>,
    admin_notes: Option<String>,
    /// When given, the one the vehicle is in.
    campaign_id: Option<i64>,
    origin: Option<Origin>,
    /// What was seen of the fields that the save changes. With it only the fields named here change, and those that
    /// nobody else changed merge whatever the version is.
    base: Option<Base>,
    /// What becomes of a field that somebody else changed meanwhile; `ask` when absent.
    on_conflict: Option<OnConflict>,
    /// When it was done, as the device tells; the order is the server's.
    device_time: Option<DateTime<Utc>>,
    /// What the installation calls itself.
    #[schema(min_length = 1, max_length = 64)]
    device: Option<String>,
}

/// The values that somebody saw of the fields that a save changes.
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
            status: seen.status.map(|status| status.wire().into()),
            parking_space: seen.parking_space,
            operator_notes: seen.operator_notes,
            admin_notes: seen.admin_notes,
        }
    }
}

/// What becomes of a field that somebody else changed meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum OnConflict {
    /// The save is refused with the current vehicle, and nothing is written.
    Ask,
    /// Both values are kept for somebody to choose, and the other fields are saved.
    Keep,
}

/// What an installation calls itself.
///
/// # Errors
/// Refuses what is empty, longer than 64 characters or holds control characters.
pub fn device(told: String) -> Reply<String> {
    let fine = (1..=64).contains(&told.chars().count()) && !told.chars().any(char::is_control);
    if fine { Ok(told) } else { Err(Problem::field("device", "it is 1 to 64 characters, without control characters")) }
}

fn save(id: i64, body: SaveVehicle) -> Reply<pb::SaveVehicleRequest> {
    let device = body.device.map(device).transpose()?.unwrap_or_default();
    let keeps = body.on_conflict == Some(OnConflict::Keep);
    let origin = match body.origin {
        None => pb::Origin::Unspecified,
        Some(Origin::Typed) => pb::Origin::Typed,
        Some(Origin::Scanned) => pb::Origin::Scanned,
    };
    Ok(pb::SaveVehicleRequest {
        id,
        vin_number: body.vin_number,
        status: body.status.map(|status| status.wire().into()),
        parking_space: body.parking_space,
        operator_notes: body.operator_notes,
        admin_notes: body.admin_notes,
        campaign_id: body.campaign_id,
        origin: origin.into(),
        base: body.base.map(Into::into),
        on_conflict: if keeps { pb::OnConflict::Keep } else { pb::OnConflict::Unspecified }.into(),
        device_time: body.device_time.map(|at| values::kept("device_time", at).map(clock::timestamp)).transpose()?,
        device,
        ..Default::default()
    })
}

/// Where a save goes and on what terms.
struct Terms {
    if_version: Option<i64>,
    idempotency_key: String,
}

impl<S: Sync> axum::extract::FromRequestParts<S> for Terms {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut http::request::Parts, _: &S) -> Reply<Self> {
        Ok(Self { if_version: precondition::if_match(&parts.headers)?, idempotency_key: precondition::idempotency_key(&parts.headers)? })
    }
}

/// The path and the query of a save.
type Place = (Id, Asked<YardQuery>);

/// Saves one vehicle's inspection. On a version that is not the last one it answers the current vehicle in `details`;
/// with `base` the save is by field, and only a field that somebody else changed meanwhile is in conflict. A key is
/// remembered for 30 days; repeated, it answers the vehicle as it is now.
#[utoipa::path(put, path = "/vehicles/{id}", tag = "vehicles",
    params(("id" = i64, Path, minimum = 1), YardQuery,
        ("If-Match" = Option<String>, Header, description = "The version that was seen, in quotes.", nullable = false),
        ("Idempotency-Key" = Option<String>, Header, description = "The same on every try of one save.", max_length = 128, nullable = false)),
    request_body = SaveVehicle,
    responses((status = 200, description = "The saved vehicle.", body = Vehicle, headers(("ETag" = String, description = "The version in quotes."))),
        (status = 409, description = "Somebody saved it first, the campaign is closed, or the VIN is taken.", body = ProblemBody),
        (status = 422, description = "The status cannot be chosen now.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/SaveVehicle"))))]
async fn save_vehicle(
    State(api): State<Api>,
    signed: Signed,
    place: Place,
    terms: Terms,
    Sent(body): Sent<SaveVehicle>,
) -> Reply<(HeaderMap, Json<Vehicle>)> {
    let (Id(id), Asked(query)) = place;
    if body.id.is_some_and(|told| told != id) {
        return Err(Problem::field("id", "it differs from the path's"));
    }
    let yard = page::yard(query.yard)?;
    let ask = pb::SaveVehicleRequest { if_version: terms.if_version, idempotency_key: terms.idempotency_key, yard, ..save(id, body)? };
    let ask = if ask.idempotency_key.is_empty() { signed.sign(ask) } else { signed.sign_repeatable(ask) };
    match api.vehicles().save_vehicle(ask).await {
        Ok(saved) => answered(&api, &signed, saved.into_inner()).await,
        Err(refusal) => Err(with_current(&api, &signed, id, refusal).await),
    }
}

/// A refusal, with the vehicle as it is now when somebody else saved it first.
pub async fn with_current(api: &Api, signed: &Signed, id: i64, refusal: Status) -> Problem {
    let is_stale = errors::reason(&refusal) == Some(Reason::StaleVersion);
    let problem = Problem::from(refusal);
    if !is_stale {
        return problem;
    }
    match api.vehicles().get_vehicle(signed.sign(pb::GetVehicleRequest { id, yard: None })).await {
        Ok(current) => match shown_one(api, signed, current.into_inner()).await {
            Ok(vehicle) => problem.with(json!(vehicle)),
            Err(_) => problem,
        },
        Err(cause) => cause.into(),
    }
}

/// Which vehicles.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Counted from 0.
    #[param(minimum = 0, maximum = 1_000_000, nullable = false)]
    page: Option<i32>,
    /// 1 to 200, 10 when absent.
    #[param(minimum = 1, maximum = 200, nullable = false)]
    per_page: Option<i32>,
    /// Contained in VIN or parking space, whatever the case.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    /// Only vehicles in this yard.
    #[param(minimum = 1, maximum = 28, nullable = false)]
    yard: Option<i32>,
    /// Only vehicles with this status; the empty text for those without one.
    #[param(nullable = false)]
    status: Option<VehicleStatus>,
}

/// One page of vehicles.
#[derive(Serialize, ToSchema)]
struct Vehicles {
    vehicles: Vec<Vehicle>,
    meta: VehiclesMeta,
}

/// Where in the list one is.
#[derive(Serialize, ToSchema)]
struct VehiclesMeta {
    /// Counted from 0.
    page_index: i32,
    per_page: i32,
    total_count: i64,
    campaign_name: String,
}

/// Lists vehicles of a campaign in walking order.
#[utoipa::path(get, path = "/vehicles/campaign/{id}", tag = "vehicles", params(("id" = i64, Path, minimum = 1), ListQuery),
    responses((status = 200, description = "One page.", body = Vehicles)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/ListVehicles"))))]
async fn list_vehicles(State(api): State<Api>, signed: Signed, Id(id): Id, Asked(query): Asked<ListQuery>) -> Reply<Json<Vehicles>> {
    let ask = pb::ListVehiclesRequest {
        campaign_id: id,
        page: Some(page::of(query.page, query.per_page)?),
        search: page::search(query.search)?,
        yard: page::yard(query.yard)?,
        status: query.status.map(|status| status.wire().into()),
    };
    let reply = api.vehicles().list_vehicles(signed.sign(ask)).await?.into_inner();
    let meta = page::Meta::from(reply.meta);
    let (page_index, per_page, total_count) = (meta.page_index, meta.per_page, meta.total_count);
    let meta = VehiclesMeta { page_index, per_page, total_count, campaign_name: reply.campaign_name };
    Ok(Json(Vehicles { vehicles: shown(&api, &signed, reply.vehicles).await, meta }))
}
