//! Route that streams all vehicles of a campaign to clients that store a copy of the list. Responds with status 304 when the
//! copy is current.
use crate::{
    extract::{auth::AuthenticatedCaller, conditional_headers, request_parts::IdFromPath},
    http::problem::{ApiResult, Problem},
    state::AppState,
    views::json_values::VehicleStatus,
};
use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{CONTENT_TYPE, ETAG},
};
use patio_kit::{
    client::deadline::DEFAULT_CALL_TIMEOUT,
    errors::{self, ErrorReason},
};
use patio_proto::vehicle as pb;
use serde::Serialize;
use std::time::Duration;
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the route that streams the full vehicle list of a campaign.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(all_vehicles))
}

const REVISION_HEADER: HeaderName = HeaderName::from_static("x-revision");

/// Vehicle as it appears in the full vehicle list of a campaign.
#[derive(Serialize, ToSchema)]
pub struct ListedVehicle {
    id: i64,
    vin_number: String,
    parking_space: String,
    yard_group: String,
    id_yard: Option<i32>,
    status: VehicleStatus,
    inspected: bool,
    version: i64,
}

impl From<pb::VehicleSummary> for ListedVehicle {
    fn from(row: pb::VehicleSummary) -> Self {
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

/// Streams all vehicles of a campaign in walking order (by yard, then parking space). A request with the `ETag` of an earlier
/// list in `If-None-Match` gets a 304 response while the list is unchanged.
#[utoipa::path(get, path = "/vehicles/campaign/{id}/all", tag = "vehicles",
    params(("id" = i64, Path, minimum = 1),
        ("If-None-Match" = Option<String>, Header, description = "The `ETag` of the client's copy of the list.", nullable = false)),
    responses((status = 200, description = "The full list.", body = Vec<ListedVehicle>, headers(("ETag" = String, description = "Tag of the list, which changes with any of its vehicles."), ("x-revision" = i64, description = "Revision of the list, for fetching later changes."))),
        (status = 304, description = "The client's copy is current.")),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/ListAllVehicles"))))]
async fn all_vehicles(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let role = signed.caller.role;
    let request =
        pb::ListAllVehiclesRequest { campaign_id: id, known: conditional_headers::parse_if_none_match_header(&headers, id, role) };
    let mut chunks = api.vehicles().list_all_vehicles(signed.grpc_request(request)).await?.into_inner();
    let first = next(&mut chunks, DEFAULT_CALL_TIMEOUT).await?.ok_or_else(Problem::internal_error)?;
    let (tag, revision) = (
        (ETAG, conditional_headers::build_vehicle_list_etag(id, first.revision, role)),
        (REVISION_HEADER, HeaderValue::from(first.revision)),
    );
    if first.unchanged {
        return Ok((StatusCode::NOT_MODIFIED, [tag, revision]).into_response());
    }
    let rest = stream::try_unfold(chunks, async |mut chunks| Ok(next(&mut chunks, CHUNK_TIMEOUT).await?.map(|chunk| (chunk, chunks))));
    let all = stream::once(std::future::ready(Ok(first))).chain(rest);
    Ok(([tag, revision, (CONTENT_TYPE, HeaderValue::from_static("application/json"))], Body::from_stream(array(all))).into_response())
}

/// Timeout for each chunk of a vehicle list except the first. The response has already begun by then, so a timeout aborts the response. The
/// first chunk has the shorter `DEFAULT_CALL_TIMEOUT`.
const CHUNK_TIMEOUT: Duration = Duration::from_secs(30);

/// Returns the next chunk of the vehicle list; `None` after the last chunk. Returns an `Unavailable` error when no chunk arrives
/// within the timeout, for example because the database failed.
async fn next(chunks: &mut Streaming<pb::VehicleChunk>, limit: Duration) -> Result<Option<pb::VehicleChunk>, Status> {
    let late =
        || errors::status(Code::Unavailable, ErrorReason::Unavailable, &"The vehicle list is not available yet. Try again in a moment.");
    timeout(limit, chunks.message()).await.unwrap_or_else(|_| Err(late()))
}

/// Serializes chunks of vehicles as one JSON array. An error aborts the response, so that no client mistakes a partial list for
/// the full list.
fn array(chunks: impl Stream<Item = Result<pb::VehicleChunk, Status>>) -> impl Stream<Item = Result<Bytes, Status>> {
    let mut before = "[";
    let pieces =
        chunks.filter(|chunk| futures::future::ready(chunk.as_ref().map_or(true, |chunk| !chunk.vehicles.is_empty()))).map(move |chunk| {
            let mut piece = Vec::new();
            for row in chunk?.vehicles {
                piece.extend_from_slice(std::mem::replace(&mut before, ",").as_bytes());
                serde_json::to_writer(&mut piece, &ListedVehicle::from(row)).map_err(|cause| errors::internal_status(&cause))?;
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
        pb::VehicleChunk {
            vehicles: ids.iter().map(|id| pb::VehicleSummary { id: *id, ..Default::default() }).collect(),
            ..Default::default()
        }
    }

    async fn joined(chunks: Vec<Result<pb::VehicleChunk, Status>>) -> Result<Vec<u8>, Status> {
        let pieces: Vec<_> = array(stream::iter(chunks)).collect().await;
        pieces.into_iter().try_fold(Vec::new(), |mut all, piece| {
            all.extend_from_slice(&piece?);
            Ok(all)
        })
    }

    #[tokio::test]
    async fn chunks_of_any_size_become_one_array() {
        for (chunks, ids) in [(vec![], vec![]), (vec![vec![]], vec![]), (vec![vec![1, 2], vec![], vec![3]], vec![1, 2, 3])] {
            let text = joined(chunks.iter().map(|chunk| Ok(rows(chunk))).collect()).await.unwrap();
            let list: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
            assert_eq!(list.iter().map(|row| row["id"].as_i64().unwrap()).collect::<Vec<_>>(), ids);
        }
    }

    #[tokio::test]
    async fn an_error_midway_aborts_the_list() {
        assert!(joined(vec![Ok(rows(&[1])), Err(Status::unavailable("gone"))]).await.is_err());
    }
}
