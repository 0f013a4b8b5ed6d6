//! The whole list of a campaign: streamed, or not sent at all to whoever holds the latest already.
use crate::{
    api::Api,
    bearer::Signed,
    error::{Problem, Reply},
    input::Id,
    precondition,
    values::VehicleStatus,
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
    errors::{self, Reason},
    link::PATIENCE,
};
use patio_proto::vehicle as pb;
use serde::Serialize;
use std::time::Duration;
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(all_vehicles))
}

const REVISION: HeaderName = HeaderName::from_static("x-revision");

/// A vehicle as whole lists have it.
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

/// Streams every vehicle of a campaign in walking order; asked with the `ETag` that a list came with, it sends none while nothing has changed.
#[utoipa::path(get, path = "/vehicles/campaign/{id}/all", tag = "vehicles",
    params(("id" = i64, Path, minimum = 1),
        ("If-None-Match" = Option<String>, Header, description = "The `ETag` of the list that is held.", nullable = false)),
    responses((status = 200, description = "The whole list.", body = Vec<ListedVehicle>, headers(("ETag" = String, description = "Changes with any of its vehicles."), ("x-revision" = i64, description = "To ask by what changed since."))),
        (status = 304, description = "The list that is held is the latest.")),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/ListAllVehicles"))))]
async fn all_vehicles(State(api): State<Api>, signed: Signed, Id(id): Id, headers: HeaderMap) -> Reply<Response> {
    let role = signed.caller.role;
    let ask = pb::ListAllVehiclesRequest { campaign_id: id, known: precondition::known_list(&headers, id, role) };
    let mut chunks = api.vehicles().list_all_vehicles(signed.sign(ask)).await?.into_inner();
    let first = next(&mut chunks, PATIENCE).await?.ok_or_else(Problem::internal)?;
    let (tag, revision) = ((ETAG, precondition::list_tag(id, first.revision, role)), (REVISION, HeaderValue::from(first.revision)));
    if first.unchanged {
        return Ok((StatusCode::NOT_MODIFIED, [tag, revision]).into_response());
    }
    let rest = stream::try_unfold(chunks, async |mut chunks| Ok(next(&mut chunks, STUCK).await?.map(|chunk| (chunk, chunks))));
    let all = stream::once(std::future::ready(Ok(first))).chain(rest);
    Ok(([tag, revision, (CONTENT_TYPE, HeaderValue::from_static("application/json"))], Body::from_stream(array(all))).into_response())
}

/// How long a list that has begun may stand still; its client may be slow, too.
const STUCK: Duration = Duration::from_secs(30);

/// The next chunk, when it comes in time: the database may answer no more in the middle.
async fn next(chunks: &mut Streaming<pb::VehicleChunk>, patience: Duration) -> Result<Option<pb::VehicleChunk>, Status> {
    let late = || errors::status(Code::Unavailable, Reason::Unavailable, &"the list does not come; try again in a moment");
    timeout(patience, chunks.message()).await.unwrap_or_else(|_| Err(late()))
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
        pb::VehicleChunk { vehicles: ids.iter().map(|id| pb::VehicleRow { id: *id, ..Default::default() }).collect(), ..Default::default() }
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
