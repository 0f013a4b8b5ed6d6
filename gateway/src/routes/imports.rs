//! Routes with which users import a campaign from an .xlsx workbook: upload, progress, cancellation, download of a
//! rejected workbook, and a template workbook.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        request_parts::{self, UploadIdFromPath},
        upload::{self, UploadError},
    },
    http::problem::{ApiResult, Problem, ProblemBody},
    routes::{
        campaigns::{self, Campaign},
        live_events,
    },
    state::{AppState, BULK_CALL_TIMEOUT},
    views::download::{Workbook, build_file_response},
};
use axum::{
    Json,
    extract::{Request, State},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures::{Stream, StreamExt, future};
use http::{
    HeaderName, StatusCode,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE},
};
use patio_proto::imports::{self as pb, ImportPhase, import_campaign_response::Outcome};
use serde::Serialize;
use std::{convert::Infallible, pin::pin, time::Duration};
use tonic::Status;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

/// Returns the routes that import workbooks, report the progress of imports and offer workbooks for download.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(upload_document))
        .routes(routes!(cancel_upload))
        .routes(routes!(watch_upload))
        .routes(routes!(get_rejected))
        .routes(routes!(get_template))
}

const FORM: upload::UploadFieldNames = upload::UploadFieldNames { file: "documents", name: None };
const SUCCESS_MESSAGE: &str = "Documento enviado com sucesso e inserido no banco de dados! A campanha já pode ser iniciada.";

/// Upload form with a workbook.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only documents the form, which is streamed")]
struct UploadForm {
    /// An .xlsx file of at most 5,242,880 bytes.
    #[schema(value_type = String, format = Binary)]
    documents: Vec<u8>,
}

/// Result of a successful import.
#[derive(Serialize, ToSchema)]
struct Imported {
    message: String,
    campaign: Campaign,
    /// Notes about the import, one sentence each, for example about values that were normalized; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Imports a workbook as a new campaign, completely or not at all.
#[utoipa::path(post, path = "/documents/upload", tag = "documents",
    params(("x-upload-id" = Option<Uuid>, Header, description = "Id chosen by the client, for watching and cancelling this upload.", nullable = false)),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses((status = 201, description = "The new campaign.", body = Imported),
        (status = 409, description = "Code 54: the name is taken.", body = upload::UploadProblem),
        (status = 413, description = "Code 52: larger than 5,242,880 bytes.", body = upload::UploadProblem),
        (status = 415, description = "Code 53: not an .xlsx file.", body = upload::UploadProblem),
        (status = 422, description = "Code 50: no sheet named Sheet1; 51: unreadable file; 55: no vehicles; 56: wrong columns; 57: invalid rows.", body = upload::UploadProblem)),
    extensions(("x-rpc" = json!("/patio.imports.v1.ImportService/ImportCampaign"))))]
async fn upload_document(State(api): State<AppState>, signed: AuthenticatedCaller, request: Request) -> Result<Response, UploadError> {
    let id = upload_id(&request)?;
    let mut imports = api.imports();
    let reply = upload::stream_file_to_import_svc(request, FORM, id, async |chunks| {
        imports.import_campaign(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, chunks)).await
    })
    .await?;
    match reply.outcome {
        Some(Outcome::Imported(imported)) => {
            let pb::Imported { campaign, notes, .. } = *imported;
            let campaign = campaign.ok_or_else(Problem::internal_error)?;
            let campaign = campaigns::to_campaign_views(&api, &signed, vec![campaign]).await.pop().ok_or_else(Problem::internal_error)?;
            Ok((StatusCode::CREATED, Json(Imported { message: SUCCESS_MESSAGE.to_owned(), campaign, notes })).into_response())
        }
        Some(Outcome::Rejected(rejection)) => Err(UploadError::from_rejection(rejection, &api.config.product_name)),
        None => Err(Problem::internal_error().into()),
    }
}

/// Returns the upload id chosen by the client, or generates a new upload id.
fn upload_id(request: &Request) -> ApiResult<String> {
    let Some(header) = request.headers().get(HeaderName::from_static("x-upload-id")) else { return Ok(Uuid::now_v7().to_string()) };
    let id = header.to_str().ok().and_then(|text| Uuid::parse_str(text).ok());
    id.map(|id| id.to_string()).ok_or_else(|| Problem::invalid_field("x-upload-id", "must be a UUID"))
}

/// Cancels a running import, and returns after all data of the import is deleted.
#[utoipa::path(delete, path = "/documents/uploads/{id}", tag = "documents", params(("id" = Uuid, Path)),
    responses((status = 204, description = "The import is cancelled and its data is deleted."),
        (status = 404, description = "The caller has no upload with this id.", body = ProblemBody),
        (status = 409, description = "The import has already finished.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.imports.v1.ImportService/CancelImport"))))]
async fn cancel_upload(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    UploadIdFromPath(id): UploadIdFromPath,
) -> ApiResult<StatusCode> {
    let request = pb::CancelImportRequest { upload_id: id.to_string() };
    api.imports().cancel_import(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, request)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns a workbook that was rejected for invalid rows, with an added column that explains the errors of each row. The workbook can
/// be corrected and uploaded again. The workbook is available for three days, to supervisors and to the user who uploaded the
/// workbook.
#[utoipa::path(get, path = "/documents/rejected/{id}", tag = "documents", params(("id" = Uuid, Path)),
    responses((status = 200, description = "An .xlsx file.", body = Workbook, content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (status = 404, description = "The sheet does not exist or is no longer available.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/GetRejectedSheet"))))]
async fn get_rejected(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    UploadIdFromPath(id): UploadIdFromPath,
) -> ApiResult<Response> {
    let request = pb::GetRejectedSheetRequest { upload_id: id.to_string() };
    let pieces = api.files().get_rejected_sheet(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, request)).await?.into_inner();
    build_file_response(pieces, &api.config.product_name).await
}

/// Progress of a workbook import.
#[derive(Serialize, ToSchema)]
struct UploadProgress {
    phase: Phase,
    rows: i64,
    /// Total number of rows to import; null until the workbook has been read.
    total: Option<i64>,
}

/// Phase of a workbook import: reading the file, saving the vehicles, done or failed.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Phase {
    Reading,
    Saving,
    Done,
    Failed,
}

impl From<pb::ImportProgress> for UploadProgress {
    fn from(progress: pb::ImportProgress) -> Self {
        let phase = match progress.phase() {
            ImportPhase::Unspecified | ImportPhase::Reading => Phase::Reading,
            ImportPhase::Saving => Phase::Saving,
            ImportPhase::Done => Phase::Done,
            ImportPhase::Failed => Phase::Failed,
        };
        Self { phase, rows: progress.rows, total: progress.total }
    }
}

/// Streams the progress of an import as server-sent events named `progress`, until the import ends.
#[utoipa::path(get, path = "/documents/uploads/{id}/events", tag = "documents", params(("id" = Uuid, Path)),
    responses((status = 200, description = "Events named `progress`, with UploadProgress as data.", body = UploadProgress, content_type = "text/event-stream")),
    extensions(("x-rpc" = json!("/patio.imports.v1.ImportService/WatchImport"))))]
async fn watch_upload(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    UploadIdFromPath(id): UploadIdFromPath,
) -> ApiResult<Response> {
    let permit = api.streams.try_acquire(signed.caller.user_id).ok_or_else(live_events::too_many_streams_problem)?;
    let request = pb::WatchImportRequest { upload_id: id.to_string() };
    let progress = api.imports().watch_import(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, request)).await?.into_inner();
    let (host, caller) = (api.host.clone(), signed.caller);
    let over = async move {
        let (ended, stopped) = (pin!(host.identity.wait_until_caller_invalid(&caller)), pin!(host.tasks.wait_until_stopping()));
        future::select(ended, stopped).await;
    };
    let stream = events(progress).take_until(over).map(move |event| {
        let _kept = &permit;
        event
    });
    let alive = KeepAlive::new().interval(Duration::from_secs(5)).text("still there");
    Ok(Sse::new(stream).keep_alive(alive).into_response())
}

/// Converts progress messages of import-svc to server-sent events. An error of import-svc ends the stream, so that the client
/// reconnects.
fn events(progress: impl Stream<Item = Result<pb::ImportProgress, Status>>) -> impl Stream<Item = Result<Event, Infallible>> {
    let steps = progress.take_while(|step| futures::future::ready(step.is_ok())).filter_map(|step| async { step.ok() });
    steps.map(|step| {
        let data = serde_json::to_string(&UploadProgress::from(step)).unwrap_or_default();
        Ok(Event::default().event("progress").data(data))
    })
}

/// Returns a template workbook with example vehicles for campaign imports. The template can be imported unchanged.
#[utoipa::path(get, path = "/documents/template", tag = "documents",
    responses((status = 200, description = "An .xlsx file.", body = Workbook, content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
    extensions(("x-rpc" = json!("/patio.imports.v1.ImportService/GetTemplate"))))]
async fn get_template(State(api): State<AppState>, signed: AuthenticatedCaller) -> ApiResult<Response> {
    let file = api.imports().get_template(signed.grpc_request(pb::GetTemplateRequest {})).await?.into_inner();
    let headers = [(CONTENT_TYPE, file.content_type), (CONTENT_DISPOSITION, request_parts::build_content_disposition(&file.name))];
    Ok((headers, file.data).into_response())
}
