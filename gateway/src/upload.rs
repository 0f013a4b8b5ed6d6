//! Carrying an uploaded file to import-svc while it comes in.
use crate::{error::Problem, input};
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

/// The largest file.
pub const LARGEST: usize = 5_242_880;
/// What else a form may hold beside the file, in bytes.
const FORM: usize = 64 << 10;
/// Most bytes before a part begins: its head, and what stands between parts.
const HEAD: usize = 16 << 10;
/// The longest campaign name, in characters.
const LONGEST_NAME: usize = 500;
/// How much is sent on at once.
const CHUNK: usize = 64 << 10;

/// A wrong cell.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RowProblem {
    /// As the spreadsheet program numbers it: the header is row 1.
    row: i64,
    column: String,
    value: String,
    message: String,
}

/// Why an uploaded file was refused; nothing of it was kept.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct UploadProblem {
    /// One sentence for people.
    #[serde(rename = "Message")]
    message: String,
    /// 50 to 57.
    #[serde(rename = "ErrorCode")]
    error_code: i32,
    /// The wrong rows, at most 100.
    details: Vec<RowProblem>,
    /// How many are wrong in all.
    total_errors: i64,
    /// `GET /documents/rejected/{id}` gives the sheet back with its errors, for three days.
    rejected_id: Option<String>,
}

/// A refused upload.
#[derive(Debug)]
pub enum Refusal {
    /// The file is at fault.
    File(StatusCode, UploadProblem),
    /// Anything else is.
    Other(Problem),
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Other(problem)
    }
}

impl Refusal {
    fn file(status: StatusCode, error_code: i32, message: &str) -> Self {
        Self::File(
            status,
            UploadProblem { message: message.to_owned(), error_code, details: Vec::new(), total_errors: 0, rejected_id: None },
        )
    }

    fn too_large() -> Self {
        Self::file(StatusCode::PAYLOAD_TOO_LARGE, 52, "Failed to select document. File size should not exceed 5MB.")
    }

    /// What import-svc found wrong with the file.
    #[must_use]
    pub fn of(rejection: Rejection, product: &str) -> Self {
        let details =
            rejection.rows.into_iter().map(|row| RowProblem { row: row.row, column: row.column, value: row.value, message: row.message });
        let message = rejection.message.replace("{product}", product);
        let rejected_id = Some(rejection.kept_as).filter(|id| !id.is_empty());
        let (error_code, total_errors) = (rejection.code, rejection.total_errors);
        Self::File(status_of(error_code), UploadProblem { message, error_code, details: details.collect(), total_errors, rejected_id })
    }
}

/// The HTTP status of a refused file.
#[must_use]
pub fn status_of(code: i32) -> StatusCode {
    match code {
        52 => StatusCode::PAYLOAD_TOO_LARGE,
        53 => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        54 => StatusCode::CONFLICT,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

impl From<Refusal> for Problem {
    /// The one form of every error, for the calls that have none of their own.
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Other(problem) => problem,
            Refusal::File(status, told) => {
                let code = match status {
                    StatusCode::PAYLOAD_TOO_LARGE => "TOO_LARGE",
                    StatusCode::UNSUPPORTED_MEDIA_TYPE => "WRONG_TYPE",
                    _ => "FILE_REFUSED",
                };
                told.details.iter().fold(Self::new(status, code, told.message), |problem, row| problem.with(json!(row)))
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::File(status, problem) => (status, Json(problem)).into_response(),
            Self::Other(problem) => problem.into_response(),
        }
    }
}

/// The fields of a form that are read.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The one with the file.
    pub file: &'static str,
    /// One with a campaign's name.
    pub name: Option<&'static str>,
}

/// Sends the file of a form on in chunks while it comes in.
///
/// A file that is too large or breaks off takes the call with it, before import-svc could take the pieces for the whole.
///
/// # Errors
/// When the form holds no file, the file is too large, or import-svc refuses.
pub async fn carry<F, R>(request: Request, fields: Form, upload_id: String, call: F) -> Result<R, Refusal>
where
    F: AsyncFnOnce(ReceiverStream<UploadChunk>) -> Result<tonic::Response<R>, tonic::Status>,
{
    let boundary = request.headers().get(CONTENT_TYPE).and_then(|kind| multer::parse_boundary(kind.to_str().ok()?).ok());
    let none = || Refusal::file(StatusCode::UNSUPPORTED_MEDIA_TYPE, 53, "Failed to select document. The body must be multipart/form-data.");
    let room = Room::default();
    let limits = Constraints::new().size_limit(SizeLimit::new().whole_stream((LARGEST + FORM) as u64));
    let form =
        Multipart::with_constraints(bounded(request.into_body().into_data_stream(), room.clone()), boundary.ok_or_else(none)?, limits);
    let (sender, receiver) = mpsc::channel(4);
    let mut call = pin!(call(ReceiverStream::new(receiver)));
    let chunks = Chunks { sender: sender.clone(), upload_id, file_name: String::new() };
    let answer = tokio::select! {
        biased;
        early = &mut call => early,
        fed = feed(form, &room, fields, chunks) => {
            fed?;
            drop(sender); // only now is the file whole
            call.await
        }
    };
    answer.map(tonic::Response::into_inner).map_err(|refusal| Problem::from(refusal).into())
}

/// What is on its way to import-svc; nobody listens any more once it has answered.
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

/// How many bytes may still come in while a part's head is looked for; without a bound once its content is read, which
/// has bounds of its own.
#[derive(Clone)]
struct Room(Arc<AtomicUsize>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(HEAD + CHUNK)))
    }
}

impl Room {
    fn set(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Lets one more piece of the body in, which may be larger than what is left.
    fn take(&self, bytes: usize) -> Result<(), LongHead> {
        let left = self.0.load(Ordering::Relaxed);
        self.set(left.saturating_sub(bytes));
        if left == 0 { Err(LongHead) } else { Ok(()) }
    }
}

/// A part whose head does not end.
#[derive(Debug, thiserror::Error)]
#[error("a part of the form begins with more than {HEAD} bytes of headers")]
struct LongHead;

/// The body as long as there is room for it, one piece each time it is asked: the form would take in all that has come
/// before it looks for the end of a head.
fn bounded(mut body: BodyDataStream, room: Room) -> impl Stream<Item = Result<Bytes, axum::BoxError>> + Send {
    let mut has_given = false;
    stream::poll_fn(move |context| {
        if std::mem::take(&mut has_given) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Some(data) = ready!(body.poll_next_unpin(context)) else { return Poll::Ready(None) };
        has_given = true;
        Poll::Ready(Some(data.map_err(Into::into).and_then(|data| room.take(data.len()).map(|()| data).map_err(Into::into))))
    })
}

/// Reads the form to its end. The name goes last, since the first piece names the file.
async fn feed(mut form: Multipart<'_>, room: &Room, fields: Form, mut chunks: Chunks) -> Result<(), Refusal> {
    let (mut found, mut beside, mut campaign_name) = (false, 0, String::new());
    while let Some(field) = form.next_field().await.map_err(broken)? {
        room.set(usize::MAX);
        if field.name() == Some(fields.file) && !found {
            found = true;
            file(field, &mut chunks).await?;
        } else if field.name().is_some() && field.name() == fields.name {
            campaign_name = name(field).await?;
        } else {
            beside = skip(field, beside, fields.file).await?;
        }
        room.set(HEAD + CHUNK);
    }
    if !found {
        return Err(Refusal::Other(Problem::field(fields.file, "the form holds no such file")));
    }
    if !campaign_name.is_empty() {
        let _ = chunks.sender.send(UploadChunk { campaign_name, ..UploadChunk::default() }).await;
    }
    Ok(())
}

/// Reads a campaign's name.
async fn name(mut field: multer::Field<'_>) -> Result<String, Refusal> {
    let called = field.name().unwrap_or_default().to_owned();
    let too_long = || Refusal::Other(Problem::field(&called, &format!("it is longer than {LONGEST_NAME} characters")));
    let mut written = Vec::new();
    while let Some(data) = field.chunk().await.map_err(broken)? {
        written.extend_from_slice(&data);
        if written.len() > LONGEST_NAME * 4 {
            return Err(too_long());
        }
    }
    let name = String::from_utf8(written).map_err(|_| Refusal::Other(Problem::field(&called, "it is not text")))?;
    if name.chars().count() > LONGEST_NAME { Err(too_long()) } else { Ok(name) }
}

/// Reads past a field that nobody asked for; a whole file there was meant for another one.
async fn skip(mut field: multer::Field<'_>, mut seen: usize, meant: &str) -> Result<usize, Refusal> {
    while let Some(data) = field.chunk().await.map_err(broken)? {
        seen += data.len();
        if seen > FORM {
            return Err(Refusal::Other(Problem::field(meant, "the file belongs in this field; what stands in others is too large")));
        }
    }
    Ok(seen)
}

/// Sends one file on.
async fn file(mut field: multer::Field<'_>, chunks: &mut Chunks) -> Result<(), Refusal> {
    chunks.file_name = field.file_name().unwrap_or_default().chars().filter(|c| !c.is_control()).take(200).collect();
    let mut seen = 0;
    while let Some(mut data) = field.chunk().await.map_err(broken)? {
        seen += data.len();
        if seen > LARGEST {
            return Err(Refusal::too_large());
        }
        while !data.is_empty() {
            chunks.send(data.split_to(data.len().min(CHUNK))).await;
        }
    }
    if seen == 0 {
        chunks.send(Bytes::new()).await;
    }
    Ok(())
}

/// What to answer when the form cannot be read to its end.
fn broken(cause: multer::Error) -> Refusal {
    Refusal::Other(match cause {
        multer::Error::StreamSizeExceeded { .. } => return Refusal::too_large(),
        multer::Error::StreamReadFailed(inner) if inner.is::<LongHead>() => Problem::malformed(LongHead.to_string()),
        multer::Error::StreamReadFailed(inner) => input::broken(inner.as_ref()),
        _ => Problem::malformed("the form cannot be read"),
    })
}
