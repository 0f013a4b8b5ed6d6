//! Vehicles, one by one and in lists.
use crate::{
    api::{Api, LONG},
    bearer::Signed,
    error::{Problem, ProblemBody, Reply},
    input::{Asked, Id, Sent},
    page, precondition,
    values::{self, VehicleStatus},
};
use axum::{
    Json,
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::{Stream, StreamExt, stream};
use http::{
    HeaderMap, HeaderValue,
    header::{CONTENT_TYPE, ETAG},
};
use patio_kit::errors::{self, Reason};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tonic::Status;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(get_vehicle, save_vehicle)).routes(routes!(list_vehicles)).routes(routes!(all_vehicles))
}

/// A vehicle.
#[derive(Serialize, ToSchema)]
struct Vehicle {
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
}

/// Vehicles as the API shows them, everybody's name looked up in one call.
async fn shown(api: &Api, signed: &Signed, vehicles: Vec<pb::Vehicle>) -> Vec<Vehicle> {
    let people = api.names.of(signed, vehicles.iter().filter_map(|vehicle| vehicle.modified_by)).await;
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
    };
    vehicles.into_iter().map(show).collect()
}

async fn shown_one(api: &Api, signed: &Signed, vehicle: pb::Vehicle) -> Reply<Vehicle> {
    shown(api, signed, vec![vehicle]).await.pop().ok_or_else(Problem::internal)
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
    shown_one(&api, &signed, vehicle).await.map(tagged)
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
}

fn save(id: i64, body: SaveVehicle) -> pb::SaveVehicleRequest {
    let origin = match body.origin {
        None => pb::Origin::Unspecified,
        Some(Origin::Typed) => pb::Origin::Typed,
        Some(Origin::Scanned) => pb::Origin::Scanned,
    };
    pb::SaveVehicleRequest {
        id,
        vin_number: body.vin_number,
        status: body.status.map(|status| status.wire().into()),
        parking_space: body.parking_space,
        operator_notes: body.operator_notes,
        admin_notes: body.admin_notes,
        campaign_id: body.campaign_id,
        origin: origin.into(),
        ..Default::default()
    }
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

/// Saves one vehicle's inspection. On a version that is not the last one it answers the current vehicle in `details`.
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
    let ask = pb::SaveVehicleRequest { if_version: terms.if_version, idempotency_key: terms.idempotency_key, yard, ..save(id, body) };
    let ask = if ask.idempotency_key.is_empty() { signed.sign(ask) } else { signed.sign_repeatable(ask) };
    match api.vehicles().save_vehicle(ask).await {
        Ok(saved) => shown_one(&api, &signed, saved.into_inner()).await.map(tagged),
        Err(refusal) => Err(with_current(&api, &signed, id, refusal).await),
    }
}

/// A refusal, with the vehicle as it is now when somebody else saved it first.
async fn with_current(api: &Api, signed: &Signed, id: i64, refusal: Status) -> Problem {
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

/// A vehicle as whole lists have it.
#[derive(Serialize, ToSchema)]
struct ListedVehicle {
    id: i64,
    vin_number: String,
    parking_space: String,
    yard_group: String,
    id_yard: Option<i32>,
    status: VehicleStatus,
    inspected: bool,
    version: i64,
}

impl From<pb::VehicleRow> for ListedVehicle {
    fn from(row: pb::VehicleRow) -> Self {
        Self {
            id: row.id,
            status: row.status().into(),
            vin_number: row.vin_number,
            parking_space: row.parking_space,
            yard_group: row.yard_group,
            id_yard: row.id_yard,
            inspected: row.inspected,
            version: row.version,
        }
    }
}

/// Streams every vehicle of a campaign in walking order.
#[utoipa::path(get, path = "/vehicles/campaign/{id}/all", tag = "vehicles", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "The whole list.", body = Vec<ListedVehicle>)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/ListAllVehicles"))))]
async fn all_vehicles(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Response> {
    let ask = pb::ListAllVehiclesRequest { campaign_id: id };
    let chunks = api.vehicles().list_all_vehicles(signed.sign_within(LONG, ask)).await?.into_inner();
    Ok(([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], Body::from_stream(array(chunks))).into_response())
}

/// One JSON array, a piece a chunk; what fails on the way breaks the answer off, so that no client takes half a list for the whole.
fn array(chunks: impl Stream<Item = Result<pb::VehicleChunk, Status>>) -> impl Stream<Item = Result<Bytes, Status>> {
    let mut before = "[";
    let pieces =
        chunks.filter(|chunk| futures::future::ready(chunk.as_ref().map_or(true, |chunk| !chunk.vehicles.is_empty()))).map(move |chunk| {
            let mut piece = Vec::new();
            for row in chunk?.vehicles {
                piece.extend_from_slice(std::mem::replace(&mut before, ",").as_bytes());
                serde_json::to_writer(&mut piece, &ListedVehicle::from(row)).map_err(|cause| errors::internal(&cause))?;
            }
            Ok(Some(Bytes::from(piece)))
        });
    let ended = pieces.chain(stream::once(async { Ok(None) }));
    ended.scan(false, |begun, piece| {
        let bytes = piece.map(|piece| match piece {
            Some(bytes) => bytes,
            None if *begun => Bytes::from_static(b"]"),
            None => Bytes::from_static(b"[]"),
        });
        *begun = true;
        futures::future::ready(Some(bytes))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ids: &[i64]) -> pb::VehicleChunk {
        pb::VehicleChunk { vehicles: ids.iter().map(|id| pb::VehicleRow { id: *id, ..Default::default() }).collect() }
    }

    async fn joined(chunks: Vec<Result<pb::VehicleChunk, Status>>) -> Result<Vec<u8>, Status> {
        let pieces: Vec<_> = array(stream::iter(chunks)).collect().await;
        pieces.into_iter().try_fold(Vec::new(), |mut all, piece| {
            all.extend_from_slice(&piece?);
            Ok(all)
        })
    }

    #[tokio::test]
    async fn chunks_become_one_array_however_they_are_cut() {
        for (chunks, ids) in [(vec![], vec![]), (vec![vec![]], vec![]), (vec![vec![1, 2], vec![], vec![3]], vec![1, 2, 3])] {
            let text = joined(chunks.iter().map(|chunk| Ok(rows(chunk))).collect()).await.unwrap();
            let list: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
            assert_eq!(list.iter().map(|row| row["id"].as_i64().unwrap()).collect::<Vec<_>>(), ids);
        }
    }

    #[tokio::test]
    async fn a_list_that_fails_on_the_way_is_broken_off() {
        assert!(joined(vec![Ok(rows(&[1])), Err(Status::unavailable("gone"))]).await.is_err());
    }
}
