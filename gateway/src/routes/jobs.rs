//! Routes for the job history: users list earlier imports and bulk changes of vehicles (jobs) and undo a job.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        query,
        request_parts::{IdFromPath, QueryParams},
    },
    http::problem::{ApiResult, ProblemBody},
    state::{AppState, BULK_CALL_TIMEOUT},
    views::json_values,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use patio_kit::client::user_names::UserNameMap;
use patio_proto::vehicle as pb;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that list and undo jobs (imports and bulk changes).
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_jobs)).routes(routes!(undo_job))
}

/// Kind of a job: an import, a bulk change of the status or the parking space, or a bulk change by a CSV file.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum JobKind {
    Import,
    Status,
    ParkingSpace,
    Csv,
}

/// Reason why a job cannot be undone.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum UndoBlocker {
    Undone,
    CampaignClosed,
    CampaignDeleted,
    /// The job changed supervisor notes, and the caller is not a supervisor.
    SupervisorOnly,
    /// Vehicles of the imported campaign are inspected.
    Inspected,
}

/// Campaign whose vehicles a job changed.
#[derive(Serialize, ToSchema)]
struct JobCampaign {
    id: i64,
    name: String,
    deleted: bool,
}

/// Import or bulk change of vehicles.
#[derive(Serialize, ToSchema)]
struct Job {
    id: i64,
    kind: JobKind,
    /// For a status change, the new status, which is empty when the status was cleared. For an import or a CSV file, the file
    /// name. Otherwise empty.
    detail: String,
    /// First 10 campaigns whose vehicles the job changed.
    campaigns: Vec<JobCampaign>,
    total_campaigns: i64,
    created_by_name: Option<String>,
    created_at: DateTime<Utc>,
    /// Number of vehicles that the job changed or imported.
    vehicles: i64,
    undone_by_name: Option<String>,
    undone_at: Option<DateTime<Utc>>,
    /// Number of vehicles that were restored when the job was undone.
    restored: i64,
    /// Reason why the job cannot be undone; null when the caller can undo the job.
    hindrance: Option<UndoBlocker>,
}

impl Job {
    fn of(job: pb::Job, people: &UserNameMap) -> Self {
        Self {
            id: job.id,
            kind: match job.kind() {
                pb::JobKind::Import => JobKind::Import,
                pb::JobKind::Status => JobKind::Status,
                pb::JobKind::Space => JobKind::ParkingSpace,
                pb::JobKind::File | pb::JobKind::Unspecified => JobKind::Csv,
            },
            hindrance: match job.hindrance() {
                pb::UndoBlocker::Unspecified => None,
                pb::UndoBlocker::Undone => Some(UndoBlocker::Undone),
                pb::UndoBlocker::Closed => Some(UndoBlocker::CampaignClosed),
                pb::UndoBlocker::Deleted => Some(UndoBlocker::CampaignDeleted),
                pb::UndoBlocker::Supervisor => Some(UndoBlocker::SupervisorOnly),
                pb::UndoBlocker::Inspected => Some(UndoBlocker::Inspected),
            },
            detail: job.detail,
            campaigns: job.campaigns.into_iter().map(|of| JobCampaign { id: of.id, name: of.name, deleted: of.deleted }).collect(),
            total_campaigns: job.total_campaigns,
            created_by_name: job.user_id.map(|id| people.name(id)),
            created_at: json_values::to_datetime_or_epoch(job.at.as_ref()),
            vehicles: job.vehicles,
            undone_by_name: job.undone_by.map(|id| people.name(id)),
            undone_at: json_values::to_optional_datetime(job.undone_at.as_ref()),
            restored: job.restored,
        }
    }
}

/// One page of jobs.
#[derive(Serialize, ToSchema)]
struct Jobs {
    jobs: Vec<Job>,
    meta: query::PageMeta,
}

/// Lists the imports and bulk changes of the last 90 days, newest first.
#[utoipa::path(get, path = "/jobs", tag = "jobs", params(query::PageQuery), responses((status = 200, description = "One page.", body = Jobs)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.JobService/ListJobs"))))]
async fn list_jobs(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(page): QueryParams<query::PageQuery>,
) -> ApiResult<Json<Jobs>> {
    let request = pb::ListJobsRequest { page: Some(page.to_page()?) };
    let reply = api.jobs().list_jobs(signed.grpc_request(request)).await?.into_inner();
    let ids: Vec<i64> = reply.jobs.iter().flat_map(|job| [job.user_id, job.undone_by]).flatten().collect();
    let people = api.names.resolve_names(signed.call_context(), ids).await;
    Ok(Json(Jobs { jobs: reply.jobs.into_iter().map(|job| Job::of(job, &people)).collect(), meta: reply.meta.into() }))
}

/// Vehicle that undoing a job did not restore, because the vehicle was changed after the job.
#[derive(Serialize, ToSchema)]
struct SkippedVehicle {
    id: i64,
    vin_number: String,
    campaign_name: String,
}

/// Result of undoing a job.
#[derive(Serialize, ToSchema)]
struct UndoResult {
    /// Whether at least one vehicle was restored, or the imported campaign was deleted. For a bulk change, false when every vehicle
    /// was changed after the job. For an import, false when any vehicle was changed after the import.
    undone: bool,
    /// Number of vehicles that were restored to their state before the job. For an import, the number of vehicles deleted with
    /// the campaign.
    restored: i64,
    /// Up to 500 of the vehicles that were changed after the job. The undo leaves these vehicles unchanged.
    left: Vec<SkippedVehicle>,
    total_left: i64,
    /// Number of vehicles of the job that were not restored because their campaign had already been deleted.
    deleted: i64,
}

/// Undoes a job (import or bulk change). Vehicles that were changed after the job are not restored, but listed in the result. Undoing
/// an import deletes its campaign, unless a vehicle of the campaign was changed after the import. A repeated call returns the result of
/// the first call.
#[utoipa::path(post, path = "/jobs/{id}/undo", tag = "jobs", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "Result of the undo.", body = UndoResult),
        (status = 404, description = "The job does not exist, or its campaigns are deleted.", body = ProblemBody),
        (status = 409, description = "A campaign of the job is closed.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.JobService/UndoJob"))))]
async fn undo_job(State(api): State<AppState>, signed: AuthenticatedCaller, IdFromPath(id): IdFromPath) -> ApiResult<Json<UndoResult>> {
    let reply = api.jobs().undo_job(signed.grpc_request_with_timeout(BULK_CALL_TIMEOUT, pb::UndoJobRequest { id })).await?.into_inner();
    let left = reply.left.into_iter();
    Ok(Json(UndoResult {
        undone: reply.undone,
        restored: reply.restored,
        left: left.map(|left| SkippedVehicle { id: left.id, vin_number: left.vin_number, campaign_name: left.campaign_name }).collect(),
        total_left: reply.total_left,
        deleted: reply.deleted,
    }))
}
