//! Spreadsheets out, and files that change vehicles.
use super::documents::Workbook;
use crate::{
    api::{Api, LONG},
    bearer::Signed,
    error::{Problem, ProblemBody, Reply},
    input::{self, Id},
    preview::VehiclePreview,
    upload::{self, Form, Refusal},
};
use axum::{
    Json,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::{
    StatusCode,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE},
};
use patio_proto::{
    imports::{self as pb, Report, csv_reply::Outcome, file_piece::Part},
    vehicle,
};
use serde::Serialize;
use serde_json::json;
use tonic::Status;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(vehicle_report))
        .routes(routes!(export_all_yards))
        .routes(routes!(convert_to_sql))
        .routes(routes!(validate_csv))
        .routes(routes!(apply_csv))
}

/// A file as it comes, its name and type from the first piece; what fails on the way breaks the answer off.
pub(super) async fn handed_out<S>(mut pieces: S, product: &str) -> Reply<Response>
where
    S: Stream<Item = Result<pb::FilePiece, Status>> + Unpin + Send + 'static,
{
    let head = match pieces.next().await.transpose()?.and_then(|piece| piece.part) {
        Some(Part::Head(head)) => head,
        Some(Part::Rejected(rejection)) => return Err(Refusal::of(rejection, product).into()),
        Some(Part::Data(_)) | None => return Err(Problem::internal()),
    };
    let data = pieces.map(|piece| match piece?.part {
        Some(Part::Data(data)) => Ok(Bytes::from(data)),
        _ => Err(Status::internal("a piece of a file that holds no data")),
    });
    let headers = [(CONTENT_TYPE, head.content_type), (CONTENT_DISPOSITION, input::attachment(&head.name))];
    Ok((headers, Body::from_stream(data)).into_response())
}

async fn export(api: &Api, signed: &Signed, campaign_id: i64, report: Report) -> Reply<Response> {
    let ask = pb::ExportCampaignRequest { campaign_id, report: report.into() };
    let pieces = api.files().export_campaign(signed.sign_within(LONG, ask)).await?.into_inner();
    handed_out(pieces, &api.config.product_name).await
}

/// Returns a campaign's vehicles as a workbook, `report_{name}-{timestamp}.xlsx`.
#[utoipa::path(get, path = "/campaigns/{id}/generate_campaign_vehicle_report", tag = "campaigns", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "An .xlsx file.", body = Workbook, content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/ExportCampaign"))))]
async fn vehicle_report(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Response> {
    export(&api, &signed, id, Report::Vehicles).await
}

/// Returns a campaign's vehicles as a workbook with a summary and a sheet for each yard.
#[utoipa::path(get, path = "/campaigns/{id}/export_all_yards", tag = "campaigns", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "An .xlsx file.", body = Workbook, content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/ExportCampaign"))))]
async fn export_all_yards(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Response> {
    export(&api, &signed, id, Report::AllYards).await
}

/// A campaign sheet.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the form, which is read as it comes in")]
#[schema(rename_all = "camelCase")]
struct SheetForm {
    /// One .xlsx file of at most 5,242,880 bytes, as it is uploaded to make a campaign.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// Replaces the campaign's name in the sheet.
    campaign_name: Option<String>,
}

/// A script.
#[derive(ToSchema)]
#[schema(value_type = String)]
#[expect(dead_code, reason = "only describes the answer")]
struct Script(String);

/// Turns a campaign sheet into an SQL script that inserts the same, `{campaign} SQL Data.sql`.
#[utoipa::path(post, path = "/convert-to-sql", tag = "documents",
    request_body(content = SheetForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "One transaction that PostgreSQL and SQLite accept.", body = Script, content_type = "application/sql"),
        (status = 422, description = "The sheet is refused, as an upload of it would be.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/ConvertToSql"))))]
async fn convert_to_sql(State(api): State<Api>, signed: Signed, request: Request) -> Reply<Response> {
    let form = Form { file: "file", name: Some("campaignName") };
    let mut files = api.files();
    let pieces =
        upload::carry(request, form, String::new(), async |chunks| files.convert_to_sql(signed.sign_within(LONG, chunks)).await).await?;
    handed_out(pieces, &api.config.product_name).await
}

/// A file of changes.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the form, which is read as it comes in")]
struct CsvForm {
    /// One .csv file of at most 5,242,880 bytes in UTF-8 or Windows-1252.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// What a file of changes does, or would do.
#[derive(Serialize, ToSchema)]
struct CsvResult {
    /// Vehicles that the file names.
    vehicles: i64,
    /// Vehicles that are different afterwards.
    updated: i64,
    /// The first wrong lines, at most 500.
    errors: Vec<CsvError>,
    /// How many are wrong in all.
    total_errors: i64,
    /// The first 20 vehicles.
    preview: Vec<VehiclePreview>,
    /// What a person should look at before it is done, one sentence each; absent when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A wrong line.
#[derive(Serialize, ToSchema)]
struct CsvError {
    /// As an editor numbers it, from 1.
    line: i64,
    message: String,
}

impl From<vehicle::BulkEditReply> for CsvResult {
    fn from(reply: vehicle::BulkEditReply) -> Self {
        Self {
            vehicles: reply.matched,
            updated: reply.updated,
            errors: reply.errors.into_iter().map(|error| CsvError { line: error.line, message: error.message }).collect(),
            total_errors: reply.total_errors,
            preview: reply.preview.into_iter().map(Into::into).collect(),
            warnings: reply.warnings,
        }
    }
}

const CSV: Form = Form { file: "file", name: None };

fn edited(reply: pb::CsvReply, product: &str) -> Reply<CsvResult> {
    match reply.outcome {
        Some(Outcome::Edit(edit)) => Ok(edit.into()),
        Some(Outcome::Rejected(rejection)) => Err(Refusal::of(rejection, product).into()),
        None => Err(Problem::internal()),
    }
}

/// A refusal of the file as a whole, in the words of the CSV editor.
fn in_its_words(refusal: Refusal) -> Problem {
    let mut problem = Problem::from(refusal);
    if problem.status == StatusCode::PAYLOAD_TOO_LARGE {
        "O arquivo deve ter no máximo 5MB.".clone_into(&mut problem.body.message);
    }
    problem
}

/// Tells what a CSV file would change, and what is wrong with it; changes nothing.
#[utoipa::path(post, path = "/vehicles/csv/validate", tag = "vehicles",
    request_body(content = CsvForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "What it would do.", body = CsvResult)),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/CheckCsv"))))]
async fn validate_csv(State(api): State<Api>, signed: Signed, request: Request) -> Reply<Json<CsvResult>> {
    let mut files = api.files();
    let call = async |chunks| files.check_csv(signed.sign_within(LONG, chunks)).await;
    let reply = upload::carry(request, CSV, String::new(), call).await.map_err(in_its_words)?;
    edited(reply, &api.config.product_name).map(Json)
}

/// Changes vehicles as a CSV file says, all or none; Supervisor Notes are taken from supervisors only.
#[utoipa::path(post, path = "/vehicles/csv", tag = "vehicles",
    request_body(content = CsvForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "What was done.", body = CsvResult),
        (status = 422, description = "Something is wrong with it, listed by line in `details`; nothing was changed.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/ApplyCsv"))))]
async fn apply_csv(State(api): State<Api>, signed: Signed, request: Request) -> Reply<Json<CsvResult>> {
    let mut files = api.files();
    let call = async |chunks| files.apply_csv(signed.sign_within(LONG, chunks)).await;
    let reply = upload::carry(request, CSV, String::new(), call).await.map_err(in_its_words)?;
    let result = edited(reply, &api.config.product_name)?;
    let refused = |words: String| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "CSV_REFUSED", words);
    if result.total_errors > 0 {
        let problem = refused(format!("{} errors have to be corrected; nothing was changed.", result.total_errors));
        return Err(result.errors.iter().fold(problem, |problem, error| problem.with(json!(error))));
    }
    if result.vehicles == 0 {
        return Err(refused("The file holds no row that changes a vehicle.".to_owned()));
    }
    Ok(Json(result))
}
