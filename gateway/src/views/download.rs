//! Responses that offer a file for download.
use crate::{
    extract::{request_parts, upload::UploadError},
    http::problem::{ApiResult, Problem},
};
use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use patio_proto::imports::{self as pb, file_chunk::Part};
use tonic::Status;
use utoipa::ToSchema;

/// Content of an .xlsx file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "only documents the response")]
pub struct Workbook(Vec<u8>);

/// Returns the response that streams a file to the client. The first message from import-svc contains the name and type of the
/// file; an error in a later message aborts the response.
pub async fn build_file_response<S>(mut chunks: S, product: &str) -> ApiResult<Response>
where
    S: Stream<Item = Result<pb::FileChunk, Status>> + Unpin + Send + 'static,
{
    let head = match chunks.next().await.transpose()?.and_then(|piece| piece.part) {
        Some(Part::Head(head)) => head,
        Some(Part::Rejected(rejection)) => return Err(UploadError::from_rejection(rejection, product).into()),
        Some(Part::Data(_)) | None => return Err(Problem::internal_error()),
    };
    let data = chunks.map(|piece| match piece?.part {
        Some(Part::Data(data)) => Ok(Bytes::from(data)),
        _ => Err(Status::internal("file stream message without data")),
    });
    let headers = [(CONTENT_TYPE, head.content_type), (CONTENT_DISPOSITION, request_parts::build_content_disposition(&head.name))];
    Ok((headers, Body::from_stream(data)).into_response())
}
