//! What changed many vehicles at once, and taking it back.
use crate::{
    api::{Api, LONG},
    bearer::Signed,
    error::{ProblemBody, Reply},
    input::{Asked, Id},
    names::People,
    page, values,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(list_jobs)).routes(routes!(undo_job))
}

/// What a job did.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum JobKind {
    Import,
    Status,
    ParkingSpace,
    Csv,
}

/// Why a job cannot be undone.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Hindrance {
    Undone,
    CampaignClosed,
    CampaignDeleted,
    /// It changed supervisor notes, and the caller is no supervisor.
    SupervisorOnly,
}

/// A campaign of a job.
#[derive(Serialize, ToSchema)]
struct JobCampaign {
    id: i64,
    name: String,
    deleted: bool,
}

/// An import, or a change of many vehicles at once.
#[derive(Serialize, ToSchema)]
struct Job {
    id: i64,
    kind: JobKind,
    /// The status that was set, empty when it was removed; the name of the file.
    detail: String,
    /// The first 10.
    campaigns: Vec<JobCampaign>,
    total_campaigns: i64,
    created_by_name: Option<String>,
    created_at: DateTime<Utc>,
    /// Vehicles that it changed or brought.
    vehicles: i64,
    undone_by_name: Option<String>,
    undone_at: Option<DateTime<Utc>>,
    /// Vehicles that are as before again.
    restored: i64,
    /// Why it cannot be undone; null when it can.
    hindrance: Option<Hindrance>,
}

impl Job {
    fn of(job: pb::Job, people: &People) -> Self {
        Self {
            id: job.id,
            kind: match job.kind() {
                pb::JobKind::Import => JobKind::Import,
                pb::JobKind::Status => JobKind::Status,
                pb::JobKind::Space => JobKind::ParkingSpace,
                pb::JobKind::File | pb::JobKind::Unspecified => JobKind::Csv,
            },
            hindrance: match job.hindrance() {
                pb::Hindrance::Unspecified => None,
                pb::Hindrance::Undone => Some(Hindrance::Undone),
                pb::Hindrance::Closed => Some(Hindrance::CampaignClosed),
                pb::Hindrance::Deleted => Some(Hindrance::CampaignDeleted),
                pb::Hindrance::Supervisor => Some(Hindrance::SupervisorOnly),
            },
            detail: job.detail,
            campaigns: job.campaigns.into_iter().map(|of| JobCampaign { id: of.id, name: of.name, deleted: of.deleted }).collect(),
            total_campaigns: job.total_campaigns,
            created_by_name: job.user_id.map(|id| people.name(id)),
            created_at: values::moment(job.at.as_ref()),
            vehicles: job.vehicles,
            undone_by_name: job.undone_by.map(|id| people.name(id)),
            undone_at: values::optional_moment(job.undone_at.as_ref()),
            restored: job.restored,
        }
    }
}

/// One page of jobs.
#[derive(Serialize, ToSchema)]
struct Jobs {
    jobs: Vec<Job>,
    meta: page::Meta,
}

/// Which jobs.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Counted from 0.
    #[param(minimum = 0, maximum = 1_000_000, nullable = false)]
    page: Option<i32>,
    /// 1 to 200, 10 when absent.
    #[param(minimum = 1, maximum = 200, nullable = false)]
    per_page: Option<i32>,
}

/// Lists imports and changes of many vehicles at once of the last 90 days, newest first.
#[utoipa::path(get, path = "/jobs", tag = "jobs", params(ListQuery), responses((status = 200, description = "One page.", body = Jobs)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.JobService/ListJobs"))))]
async fn list_jobs(State(api): State<Api>, signed: Signed, Asked(query): Asked<ListQuery>) -> Reply<Json<Jobs>> {
    let ask = pb::ListJobsRequest { page: Some(page::of(query.page, query.per_page)?) };
    let reply = api.jobs().list_jobs(signed.sign(ask)).await?.into_inner();
    let ids: Vec<i64> = reply.jobs.iter().flat_map(|job| [job.user_id, job.undone_by]).flatten().collect();
    let people = api.names.of(&signed, ids).await;
    Ok(Json(Jobs { jobs: reply.jobs.into_iter().map(|job| Job::of(job, &people)).collect(), meta: reply.meta.into() }))
}

/// A vehicle that was changed after the job.
#[derive(Serialize, ToSchema)]
struct LeftVehicle {
    id: i64,
    vin_number: String,
    campaign_name: String,
}

/// What undoing came to.
#[derive(Serialize, ToSchema)]
struct UndoResult {
    /// False when nothing was changed: every vehicle, or one of an import, was changed after the job.
    undone: bool,
    /// Vehicles that are as before the job again, or gone with their campaign.
    restored: i64,
    /// Vehicles that were changed since and stay as they are, at most 500.
    left: Vec<LeftVehicle>,
    total_left: i64,
    /// Vehicles that went with their campaign before.
    deleted: i64,
}

/// Takes a job back as a whole. Vehicles that were changed since stay as they are and are listed; an import
/// goes with its campaign, unless one of its vehicles was changed. Repeated, it answers what the first one did.
#[utoipa::path(post, path = "/jobs/{id}/undo", tag = "jobs", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "What was done.", body = UndoResult),
        (status = 404, description = "There is no such job, or its campaigns are deleted.", body = ProblemBody),
        (status = 409, description = "A campaign of it is closed.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.JobService/UndoJob"))))]
async fn undo_job(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Json<UndoResult>> {
    let reply = api.jobs().undo_job(signed.sign_within(LONG, pb::UndoJobRequest { id })).await?.into_inner();
    let left = reply.left.into_iter();
    Ok(Json(UndoResult {
        undone: reply.undone,
        restored: reply.restored,
        left: left.map(|left| LeftVehicle { id: left.id, vin_number: left.vin_number, campaign_name: left.campaign_name }).collect(),
        total_left: reply.total_left,
        deleted: reply.deleted,
    }))
}
