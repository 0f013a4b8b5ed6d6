//! Streams the file of a multipart upload to import-svc while the upload arrives, and enforces size limits.
use crate::{extract::request_parts, http::problem::Problem};
use axum::{
    Json,
    body::BodyDataStream,
    extract::Request,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use http::{StatusCode, header::CONTENT_TYPE};
use multer::{Constraints, Multipart, SizeLimit};
use patio_proto::imports::{Rejection, UploadChunk};
use serde::Serialize;
use serde_json::json;
use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Poll, ready},
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::ToSchema;

/// Maximum size of an uploaded file, in bytes.
pub const MAX_UPLOAD_BYTES: usize = 5_242_880;
/// Maximum size of all fields of an upload form except the file, in bytes.
const MAX_FORM_BYTES: usize = 64 << 10;
/// Maximum size of the headers of a form part, including the boundary line before the headers, in bytes.
const MAX_PART_HEADER_BYTES: usize = 16 << 10;
/// Maximum length of a campaign name, in characters.
const MAX_NAME_LEN: usize = 500;
/// Size of the chunks sent to import-svc, in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// Invalid cell of an uploaded workbook.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RowProblem {
    /// Row number as shown by spreadsheet programs; the header is row 1.
    row: i64,
    column: String,
    value: String,
    message: String,
}

/// Error body of a rejected upload. No data of the file was imported.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct UploadProblem {
    /// Error message for users, one sentence.
    #[serde(rename = "Message")]
    message: String,
    /// Error code of the rejected upload, 50 to 57, such as 52 for a file above the size limit.
    #[serde(rename = "ErrorCode")]
    error_code: i32,
    /// Up to 100 of the invalid cells.
    details: Vec<RowProblem>,
    /// Total number of invalid cells.
    total_errors: i64,
    /// Id for `GET /documents/rejected/{id}`, which returns the workbook with its errors marked. The id is valid for three days; null
    /// when no row of the workbook is invalid.
    rejected_id: Option<String>,
}

/// Error of a file upload: an invalid file, or any other failure.
#[derive(Debug)]
pub enum UploadError {
    /// The uploaded file is invalid; contains the HTTP status and the errors found in the file.
    InvalidFile(StatusCode, UploadProblem),
    /// The upload failed for a reason other than the file.
    Failed(Problem),
}

impl From<Problem> for UploadError {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

impl UploadError {
    fn file(status: StatusCode, error_code: i32, message: &str) -> Self {
        Self::InvalidFile(
            status,
            UploadProblem { message: message.to_owned(), error_code, details: Vec::new(), total_errors: 0, rejected_id: None },
        )
    }

    fn too_large() -> Self {
        Self::file(StatusCode::PAYLOAD_TOO_LARGE, 52, "Failed to select document. File size should not exceed 5MB.")
    }

    /// Converts the errors that import-svc found in an uploaded file to the error body of the API.
    #[must_use]
    pub fn from_rejection(rejection: Rejection, product: &str) -> Self {
        let details =
            rejection.rows.into_iter().map(|row| RowProblem { row: row.row, column: row.column, value: row.value, message: row.message });
        let message = rejection.message.replace("{product}", product);
        let rejected_id = Some(rejection.kept_as).filter(|id| !id.is_empty());
        let (error_code, total_errors) = (rejection.code, rejection.total_errors);
        Self::InvalidFile(
            http_status_for_upload_error(error_code),
            UploadProblem { message, error_code, details: details.collect(), total_errors, rejected_id },
        )
    }
}

/// Returns the HTTP status of the response for an error code of import-svc, 50 to 57.
#[must_use]
pub fn http_status_for_upload_error(code: i32) -> StatusCode {
    match code {
        52 => StatusCode::PAYLOAD_TOO_LARGE,
        53 => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        54 => StatusCode::CONFLICT,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

impl From<UploadError> for Problem {
    /// Converts an upload error to the API's common error body, for routes without their own error format.
    fn from(refusal: UploadError) -> Self {
        match refusal {
            UploadError::Failed(problem) => problem,
            UploadError::InvalidFile(status, upload_problem) => {
                let code = match status {
                    StatusCode::PAYLOAD_TOO_LARGE => "TOO_LARGE",
                    StatusCode::UNSUPPORTED_MEDIA_TYPE => "WRONG_TYPE",
                    _ => "FILE_REFUSED",
                };
                upload_problem
                    .details
                    .iter()
                    .fold(Self::new(status, code, upload_problem.message), |problem, row| problem.with_detail(json!(row)))
            }
        }
    }
}

impl IntoResponse for UploadError {
    fn into_response(self) -> Response {
        match self {
            Self::InvalidFile(status, problem) => (status, Json(problem)).into_response(),
            Self::Failed(problem) => problem.into_response(),
        }
    }
}

/// Names of the multipart form fields that an upload route reads.
#[derive(Debug, Clone, Copy)]
pub struct UploadFieldNames {
    /// Name of the form field with the file.
    pub file: &'static str,
    /// Name of the optional form field with the campaign's name; `None` when the route reads no campaign name.
    pub name: Option<&'static str>,
}

/// Streams the file of a multipart form in chunks to a gRPC call of import-svc while the form arrives.
///
/// When the file is too large or ends early, the call is cancelled, so that import-svc never imports an incomplete file.
///
/// # Errors
/// Returns an error when the form is invalid or contains no file, the file is too large, or the gRPC call fails. When import-svc rejects
/// the content of the file, the gRPC call succeeds, and its response contains the rejection.
pub async fn stream_file_to_import_svc<F, R>(
    request: Request,
    fields: UploadFieldNames,
    upload_id: String,
    call: F,
) -> Result<R, UploadError>
where
    F: AsyncFnOnce(ReceiverStream<UploadChunk>) -> Result<tonic::Response<R>, tonic::Status>,
{
    let boundary = request.headers().get(CONTENT_TYPE).and_then(|kind| multer::parse_boundary(kind.to_str().ok()?).ok());
    let none =
        || UploadError::file(StatusCode::UNSUPPORTED_MEDIA_TYPE, 53, "Failed to select document. The body must be multipart/form-data.");
    let header_budget = HeaderBudget::default();
    let limits = Constraints::new().size_limit(SizeLimit::new().whole_stream((MAX_UPLOAD_BYTES + MAX_FORM_BYTES) as u64));
    let form = Multipart::with_constraints(
        bounded(request.into_body().into_data_stream(), header_budget.clone()),
        boundary.ok_or_else(none)?,
        limits,
    );
    let (sender, receiver) = mpsc::channel(4);
    let mut call = pin!(call(ReceiverStream::new(receiver)));
    let chunks = Chunks { sender: sender.clone(), upload_id, file_name: String::new() };
    let answer = tokio::select! {
        biased;
        early = &mut call => early,
        fed = forward_form(form, &header_budget, fields, chunks) => {
            fed?;
            drop(sender); // closing the stream marks the file as complete
            call.await
        }
    };
    answer.map(tonic::Response::into_inner).map_err(|refusal| Problem::from(refusal).into())
}

/// Sender of file chunks to import-svc. Chunks are discarded once import-svc has responded, for example to reject the file.
struct Chunks {
    sender: mpsc::Sender<UploadChunk>,
    upload_id: String,
    file_name: String,
}

impl Chunks {
    async fn send(&mut self, data: Bytes) {
        let (upload_id, file_name) = (std::mem::take(&mut self.upload_id), std::mem::take(&mut self.file_name));
        let chunk = UploadChunk { upload_id, file_name, data: data.to_vec(), ..UploadChunk::default() };
        let _ = self.sender.send(chunk).await;
    }
}

/// Remaining number of bytes in which the headers of the current form part must end. The budget is unlimited while the content of
/// a form part is read.
#[derive(Clone)]
struct HeaderBudget(Arc<AtomicUsize>);

impl Default for HeaderBudget {
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(MAX_PART_HEADER_BYTES + CHUNK_BYTES)))
    }
}

impl HeaderBudget {
    fn set(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Subtracts the size of a received chunk from the budget, down to 0.
    ///
    /// # Errors
    /// Returns an error when the budget was already 0. A chunk larger than the budget causes no error, because the chunk may also
    /// contain content of the form part.
    fn take(&self, bytes: usize) -> Result<(), HeadersTooLong> {
        let left = self.0.load(Ordering::Relaxed);
        self.set(left.saturating_sub(bytes));
        if left == 0 { Err(HeadersTooLong) } else { Ok(()) }
    }
}

/// Error of a form part whose headers are too long.
#[derive(Debug, thiserror::Error)]
#[error("a part of the multipart form has more than {MAX_PART_HEADER_BYTES} bytes of headers")]
struct HeadersTooLong;

/// Returns the request body as a stream that fails once the headers of a form part are too long. The stream pauses after each chunk, so
/// that the form parser searches the chunk for the end of the headers before the next chunk is read.
fn bounded(mut body: BodyDataStream, header_budget: HeaderBudget) -> impl Stream<Item = Result<Bytes, axum::BoxError>> + Send {
    let mut has_given = false;
    stream::poll_fn(move |context| {
        if std::mem::take(&mut has_given) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Some(data) = ready!(body.poll_next_unpin(context)) else { return Poll::Ready(None) };
        has_given = true;
        Poll::Ready(Some(data.map_err(Into::into).and_then(|data| header_budget.take(data.len()).map(|()| data).map_err(Into::into))))
    })
}

/// Reads the form to its end and forwards the file to import-svc. The campaign name is sent in the last chunk, because
/// the form field with the name may come after the file.
async fn forward_form(
    mut form: Multipart<'_>,
    header_budget: &HeaderBudget,
    fields: UploadFieldNames,
    mut chunks: Chunks,
) -> Result<(), UploadError> {
    let (mut found, mut beside, mut campaign_name) = (false, 0, String::new());
    while let Some(field) = form.next_field().await.map_err(broken)? {
        header_budget.set(usize::MAX);
        if field.name() == Some(fields.file) && !found {
            found = true;
            file(field, &mut chunks).await?;
        } else if field.name().is_some() && field.name() == fields.name {
            campaign_name = name(field).await?;
        } else {
            beside = skip(field, beside, fields.file).await?;
        }
        header_budget.set(MAX_PART_HEADER_BYTES + CHUNK_BYTES);
    }
    if !found {
        return Err(UploadError::Failed(Problem::invalid_field(fields.file, "No file was sent. Choose a file and try again.")));
    }
    if !campaign_name.is_empty() {
        let _ = chunks.sender.send(UploadChunk { campaign_name, ..UploadChunk::default() }).await;
    }
    Ok(())
}

/// Reads the campaign name from its form field, as UTF-8 text of limited length.
async fn name(mut field: multer::Field<'_>) -> Result<String, UploadError> {
    let called = field.name().unwrap_or_default().to_owned();
    let too_long = || UploadError::Failed(Problem::invalid_field(&called, &format!("must have at most {MAX_NAME_LEN} characters")));
    let mut written = Vec::new();
    while let Some(data) = field.chunk().await.map_err(broken)? {
        written.extend_from_slice(&data);
        if written.len() > MAX_NAME_LEN * 4 {
            return Err(too_long());
        }
    }
    let name = String::from_utf8(written).map_err(|_| UploadError::Failed(Problem::invalid_field(&called, "must be valid UTF-8 text")))?;
    if name.chars().count() > MAX_NAME_LEN { Err(too_long()) } else { Ok(name) }
}

/// Discards an unknown form field or a second file field. Returns the total size of all discarded fields in bytes: `seen` plus the
/// size of this field.
///
/// Returns an error when the total exceeds the limit. A large field is probably the file under a wrong name, so the error names
/// `meant`, the expected file field.
async fn skip(mut field: multer::Field<'_>, mut seen: usize, meant: &str) -> Result<usize, UploadError> {
    while let Some(data) = field.chunk().await.map_err(broken)? {
        seen += data.len();
        if seen > MAX_FORM_BYTES {
            return Err(UploadError::Failed(Problem::invalid_field(
                meant,
                "must contain the file, since all other fields together are too large",
            )));
        }
    }
    Ok(seen)
}

/// Sends the content of the form's file field to import-svc, in chunks.
async fn file(mut field: multer::Field<'_>, chunks: &mut Chunks) -> Result<(), UploadError> {
    chunks.file_name = field.file_name().unwrap_or_default().chars().filter(|c| !c.is_control()).take(200).collect();
    let mut seen = 0;
    while let Some(mut data) = field.chunk().await.map_err(broken)? {
        seen += data.len();
        if seen > MAX_UPLOAD_BYTES {
            return Err(UploadError::too_large());
        }
        while !data.is_empty() {
            chunks.send(data.split_to(data.len().min(CHUNK_BYTES))).await;
        }
    }
    if seen == 0 {
        chunks.send(Bytes::new()).await;
    }
    Ok(())
}

/// Converts an error of the multipart form parser to the error response of the upload.
fn broken(cause: multer::Error) -> UploadError {
    UploadError::Failed(match cause {
        multer::Error::StreamSizeExceeded { .. } => return UploadError::too_large(),
        multer::Error::StreamReadFailed(inner) if inner.is::<HeadersTooLong>() => Problem::malformed_request(HeadersTooLong.to_string()),
        multer::Error::StreamReadFailed(inner) => request_parts::unreadable_body_problem(inner.as_ref()),
        _ => Problem::malformed_request("The form is not valid multipart/form-data."),
    })
}
