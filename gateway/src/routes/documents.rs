//! Spreadsheets in: uploading a campaign, watching it, and an example to begin from.
use super::{
    campaigns::{self, Campaign},
    files::handed_out,
    live,
};
use crate::{
    api::{Api, LONG},
    bearer::Signed,
    error::{Problem, ProblemBody, Reply},
    input::{self, UploadId},
    upload::{self, Refusal},
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
use patio_proto::imports::{self as pb, ImportPhase, import_campaign_reply::Outcome};
use serde::Serialize;
use std::{convert::Infallible, pin::pin, time::Duration};
use tonic::Status;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(upload_document))
        .routes(routes!(cancel_upload))
        .routes(routes!(watch_upload))
        .routes(routes!(get_rejected))
        .routes(routes!(get_template))
}

const FORM: upload::Form = upload::Form { file: "documents", name: None };
const DONE: &str = "Documento enviado com sucesso e inserido no banco de dados! A campanha já pode ser iniciada.";

/// A workbook.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the form, which is read as it comes in")]
struct UploadForm {
    /// One .xlsx file of at most 5,242,880 bytes.
    #[schema(value_type = String, format = Binary)]
    documents: Vec<u8>,
}

/// A campaign that was imported.
#[derive(Serialize, ToSchema)]
struct Imported {
    message: String,
    campaign: Campaign,
    /// What was read otherwise than the sheet shows it, one sentence each; absent when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Imports one workbook as a new campaign, wholly or not at all.
#[utoipa::path(post, path = "/documents/upload", tag = "documents",
    params(("x-upload-id" = Option<Uuid>, Header, description = "Chosen by the client, to watch this upload by.", nullable = false)),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses((status = 201, description = "The new campaign.", body = Imported),
        (status = 409, description = "Code 54: the name is taken.", body = upload::UploadProblem),
        (status = 413, description = "Code 52: larger than 5,242,880 bytes.", body = upload::UploadProblem),
        (status = 415, description = "Code 53: not an .xlsx file.", body = upload::UploadProblem),
        (status = 422, description = "Code 50 no sheet Sheet1, 51 unreadable, 55 no vehicles, 56 wrong columns, 57 wrong rows.", body = upload::UploadProblem)),
    extensions(("x-rpc" = json!("/patio.imports.v1.ImportService/ImportCampaign"))))]
async fn upload_document(State(api): State<Api>, signed: Signed, request: Request) -> Result<Response, Refusal> {
    let id = upload_id(&request)?;
    let mut imports = api.imports();
    let reply = upload::carry(request, FORM, id, async |chunks| imports.import_campaign(signed.sign_within(LONG, chunks)).await).await?;
    match reply.outcome {
        Some(Outcome::Imported(pb::Imported { campaign: Some(campaign), notes, .. })) => {
            let campaign = campaigns::shown(&api, &signed, vec![campaign]).await.pop().ok_or_else(Problem::internal)?;
            Ok((StatusCode::CREATED, Json(Imported { message: DONE.to_owned(), campaign, notes })).into_response())
        }
        Some(Outcome::Rejected(rejection)) => Err(Refusal::of(rejection, &api.config.product_name)),
        Some(Outcome::Imported(_)) | None => Err(Problem::internal().into()),
    }
}

/// The id the client chose, or one of ours.
fn upload_id(request: &Request) -> Reply<String> {
    let Some(told) = request.headers().get(HeaderName::from_static("x-upload-id")) else { return Ok(Uuid::now_v7().to_string()) };
    let id = told.to_str().ok().and_then(|text| Uuid::parse_str(text).ok());
    id.map(|id| id.to_string()).ok_or_else(|| Problem::field("x-upload-id", "it is a UUID"))
}

/// Gives a running import up, and answers once nothing of it is left.
#[utoipa::path(delete, path = "/documents/uploads/{id}", tag = "documents", params(("id" = Uuid, Path)),
    responses((status = 204, description = "Nothing of it is left."),
        (status = 404, description = "Nothing is or was imported under this id by the caller.", body = ProblemBody),
        (status = 409, description = "It is a campaign already.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.imports.v1.ImportService/CancelImport"))))]
async fn cancel_upload(State(api): State<Api>, signed: Signed, UploadId(id): UploadId) -> Reply<StatusCode> {
    let ask = pb::CancelImportRequest { upload_id: id.to_string() };
    api.imports().cancel_import(signed.sign_within(LONG, ask)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Gives a sheet that was refused for bad rows back, with a column that says what is wrong in each row. Corrected, it
/// is uploaded as it is. Only for whoever sent it and for supervisors, for three days.
#[utoipa::path(get, path = "/documents/rejected/{id}", tag = "documents", params(("id" = Uuid, Path)),
    responses((status = 200, description = "An .xlsx file.", body = Workbook, content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (status = 404, description = "There is no such sheet, or no more.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/GetRejectedSheet"))))]
async fn get_rejected(State(api): State<Api>, signed: Signed, UploadId(id): UploadId) -> Reply<Response> {
    let ask = pb::GetRejectedSheetRequest { upload_id: id.to_string() };
    let pieces = api.files().get_rejected_sheet(signed.sign_within(LONG, ask)).await?.into_inner();
    handed_out(pieces, &api.config.product_name).await
}

/// How far an upload is.
#[derive(Serialize, ToSchema)]
struct UploadProgress {
    phase: Phase,
    rows: i64,
    /// Known once the whole sheet has been read.
    total: Option<i64>,
}

/// What happens to an upload.
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

/// Tells how far an upload is, as server-sent events named `progress`, until it has ended.
#[utoipa::path(get, path = "/documents/uploads/{id}/events", tag = "documents", params(("id" = Uuid, Path)),
    responses((status = 200, description = "`event: progress` with UploadProgress as data.", body = UploadProgress, content_type = "text/event-stream")),
    extensions(("x-rpc" = json!("/patio.imports.v1.ImportService/WatchImport"))))]
async fn watch_upload(State(api): State<Api>, signed: Signed, UploadId(id): UploadId) -> Reply<Response> {
    let room = api.streams.open(signed.caller.user_id).ok_or_else(live::too_many)?;
    let ask = pb::WatchImportRequest { upload_id: id.to_string() };
    let progress = api.imports().watch_import(signed.sign_within(LONG, ask)).await?.into_inner();
    let (host, caller) = (api.host.clone(), signed.caller);
    let over = async move {
        let (ended, stopped) = (pin!(host.identity.ended(&caller)), pin!(host.tasks.stopped()));
        future::select(ended, stopped).await;
    };
    let told = events(progress).take_until(over).map(move |event| {
        let _kept = &room;
        event
    });
    let alive = KeepAlive::new().interval(Duration::from_secs(5)).text("still there");
    Ok(Sse::new(told).keep_alive(alive).into_response())
}

/// One event for each step; a service that goes away ends the stream, and the client asks again.
fn events(progress: impl Stream<Item = Result<pb::ImportProgress, Status>>) -> impl Stream<Item = Result<Event, Infallible>> {
    let told = progress.take_while(|step| futures::future::ready(step.is_ok())).filter_map(|step| async { step.ok() });
    told.map(|step| {
        let data = serde_json::to_string(&UploadProgress::from(step)).unwrap_or_default();
        Ok(Event::default().event("progress").data(data))
    })
}

/// A file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "only describes the answer")]
pub struct Workbook(Vec<u8>);

/// Returns an example workbook that imports as it is.
#[utoipa::path(get, path = "/documents/template", tag = "documents",
    responses((status = 200, description = "An .xlsx file.", body = Workbook, content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
    extensions(("x-rpc" = json!("/patio.imports.v1.ImportService/GetTemplate"))))]
async fn get_template(State(api): State<Api>, signed: Signed) -> Reply<Response> {
    let file = api.imports().get_template(signed.sign(pb::GetTemplateRequest {})).await?.into_inner();
    let headers = [(CONTENT_TYPE, file.content_type), (CONTENT_DISPOSITION, input::attachment(&file.name))];
    Ok((headers, file.data).into_response())
}
