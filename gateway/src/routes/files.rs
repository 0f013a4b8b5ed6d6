//! Routes for files: export of a campaign's vehicles, conversion of a campaign workbook to SQL, and bulk changes of
//! vehicles by CSV file.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        request_parts::IdFromPath,
        upload::{self, UploadError, UploadFieldNames},
    },
    http::problem::{ApiResult, Problem, ProblemBody},
    state::{AppState, BULK_CALL_TIMEOUT},
    views::{
        download::{Workbook, build_file_response},
        vehicle_preview::{ReplacedStatus, VehiclePreview},
    },
};
use axum::{
    Json,
    extract::{Request, State},
    response::Response,
};
use http::StatusCode;
use patio_proto::{
    imports::{self as pb, Report, csv_response::Outcome},
    vehicle,
};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that export campaigns, convert workbooks to SQL scripts and apply CSV files.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(vehicle_report))
        .routes(routes!(export_all_yards))
        .routes(routes!(convert_to_sql))
        .routes(routes!(validate_csv))
        .routes(routes!(apply_csv))
}

async fn export(api: &AppState, signed: &AuthenticatedCaller, campaign_id: i64, report: Report) -> ApiResult<Response> {
    let request = pb::ExportCampaignRequest { campaign_id, report: report.into() };
    let pieces = api.files().export_campaign(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, request)).await?.into_inner();
    build_file_response(pieces, &api.config.product_name).await
}

/// Returns a campaign's vehicles as a workbook named `report_{name}-{timestamp}.xlsx`.
#[utoipa::path(get, path = "/campaigns/{id}/generate_campaign_vehicle_report", tag = "campaigns", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "An .xlsx file.", body = Workbook, content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/ExportCampaign"))))]
async fn vehicle_report(State(api): State<AppState>, signed: AuthenticatedCaller, IdFromPath(id): IdFromPath) -> ApiResult<Response> {
    export(&api, &signed, id, Report::Vehicles).await
}

/// Returns a campaign's vehicles as a workbook with a summary and one sheet per yard.
#[utoipa::path(get, path = "/campaigns/{id}/export_all_yards", tag = "campaigns", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "An .xlsx file.", body = Workbook, content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/ExportCampaign"))))]
async fn export_all_yards(State(api): State<AppState>, signed: AuthenticatedCaller, IdFromPath(id): IdFromPath) -> ApiResult<Response> {
    export(&api, &signed, id, Report::AllYards).await
}

/// Multipart form with a campaign workbook.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only documents the form, which is streamed")]
#[schema(rename_all = "camelCase")]
struct SheetForm {
    /// An .xlsx file of at most 5,242,880 bytes, in the format of a workbook for a campaign import.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// Campaign name that replaces the campaign name in the workbook; the name in the workbook is used when absent.
    campaign_name: Option<String>,
}

/// Text of an SQL script.
#[derive(ToSchema)]
#[schema(value_type = String)]
#[expect(dead_code, reason = "only documents the response")]
struct Script(String);

/// Converts a campaign workbook to an SQL script that inserts the data of the workbook into a database. The script file is
/// named `{campaign} SQL Data.sql`.
#[utoipa::path(post, path = "/convert-to-sql", tag = "documents",
    request_body(content = SheetForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "An SQL script of one transaction, for PostgreSQL and SQLite.", body = Script, content_type = "application/sql"),
        (status = 422, description = "The workbook is invalid; an upload of it would be rejected, too.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/ConvertToSql"))))]
async fn convert_to_sql(State(api): State<AppState>, signed: AuthenticatedCaller, request: Request) -> ApiResult<Response> {
    let form = UploadFieldNames { file: "file", name: Some("campaignName") };
    let mut files = api.files();
    let pieces = upload::stream_file_to_import_svc(request, form, String::new(), async |chunks| {
        files.convert_to_sql(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, chunks)).await
    })
    .await?;
    build_file_response(pieces, &api.config.product_name).await
}

/// Multipart form with a CSV file of vehicle changes.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only documents the form, which is streamed")]
struct CsvForm {
    /// A .csv file of at most 5,242,880 bytes, in UTF-8 or Windows-1252.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// Result of applying or checking a CSV file.
#[derive(Serialize, ToSchema)]
struct CsvResult {
    /// Number of vehicles whose VIN is in the CSV file, in open campaigns only.
    vehicles: i64,
    /// Number of vehicles that the CSV file changes.
    updated: i64,
    /// Errors in the file, at most 500 of them.
    errors: Vec<CsvError>,
    /// Total number of errors in the file.
    total_errors: i64,
    /// Changes that the file makes to the first 20 vehicles.
    preview: Vec<VehiclePreview>,
    /// Vehicles whose status the file would replace, by their present status; empty after the file was applied.
    replaced_statuses: Vec<ReplacedStatus>,
    /// Number of vehicles that would change and have an open conflict; 0 after the file was applied.
    open_conflicts: i64,
    /// Warnings about the file, one sentence each, to review before the file is applied; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Error in one line of a CSV file.
#[derive(Serialize, ToSchema)]
struct CsvError {
    /// Line number in the file, counted from 1.
    line: i64,
    message: String,
}

impl From<vehicle::BulkEditResponse> for CsvResult {
    fn from(reply: vehicle::BulkEditResponse) -> Self {
        Self {
            vehicles: reply.matched,
            updated: reply.updated,
            errors: reply.errors.into_iter().map(|error| CsvError { line: error.line, message: error.message }).collect(),
            total_errors: reply.total_errors,
            preview: reply.preview.into_iter().map(Into::into).collect(),
            replaced_statuses: reply.replaced_statuses.into_iter().map(Into::into).collect(),
            open_conflicts: reply.open_conflicts,
            warnings: reply.warnings,
        }
    }
}

const CSV_FORM: UploadFieldNames = UploadFieldNames { file: "file", name: None };

fn edited(reply: pb::CsvResponse, product: &str) -> ApiResult<CsvResult> {
    match reply.outcome {
        Some(Outcome::Edit(edit)) => Ok(edit.into()),
        Some(Outcome::Rejected(rejection)) => Err(UploadError::from_rejection(rejection, product).into()),
        None => Err(Problem::internal_error()),
    }
}

/// Converts an upload error to an error response. A file above the size limit gets an error message specific to CSV files.
fn csv_problem(refusal: UploadError) -> Problem {
    let mut problem = Problem::from(refusal);
    if problem.status == StatusCode::PAYLOAD_TOO_LARGE {
        "O arquivo deve ter no máximo 5MB.".clone_into(&mut problem.body.message);
    }
    problem
}

/// Checks a CSV file without changing anything. Returns the changes that the file would make, and the errors in the file.
#[utoipa::path(post, path = "/vehicles/csv/validate", tag = "vehicles",
    request_body(content = CsvForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "The expected changes and the errors.", body = CsvResult)),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/CheckCsv"))))]
async fn validate_csv(State(api): State<AppState>, signed: AuthenticatedCaller, request: Request) -> ApiResult<Json<CsvResult>> {
    let mut files = api.files();
    let call = async |chunks| files.check_csv(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, chunks)).await;
    let reply = upload::stream_file_to_import_svc(request, CSV_FORM, String::new(), call).await.map_err(csv_problem)?;
    edited(reply, &api.config.product_name).map(Json)
}

/// Applies all vehicle changes in a CSV file, or none if the file has an error. Only supervisors may change Supervisor Notes.
#[utoipa::path(post, path = "/vehicles/csv", tag = "vehicles",
    request_body(content = CsvForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "Result of the changes.", body = CsvResult),
        (status = 422, description = "The file has errors, listed by line in `details`; nothing was changed.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.imports.v1.FileService/ApplyCsv"))))]
async fn apply_csv(State(api): State<AppState>, signed: AuthenticatedCaller, request: Request) -> ApiResult<Json<CsvResult>> {
    let mut files = api.files();
    let call = async |chunks| files.apply_csv(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, chunks)).await;
    let reply = upload::stream_file_to_import_svc(request, CSV_FORM, String::new(), call).await.map_err(csv_problem)?;
    let result = edited(reply, &api.config.product_name)?;
    let refused = |words: String| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "CSV_REFUSED", words);
    if result.total_errors > 0 {
        let problem = refused(format!("The file has errors ({} in total). Nothing was changed.", result.total_errors));
        return Err(result.errors.iter().fold(problem, |problem, error| problem.with_detail(json!(error))));
    }
    if result.vehicles == 0 {
        return Err(refused("The file has no row that changes a vehicle.".to_owned()));
    }
    Ok(Json(result))
}
