//! gRPC service for bulk jobs (changes of many vehicles): history and undo of jobs.
use super::{ApiContext, Reply, reply};
use crate::{
    bulk_changes::{
        context::BulkCallContext,
        undo::{self, UndoResult},
    },
    campaign::deletion::CampaignDeleter,
    error::Error,
    store::jobs::{self, BulkJob, JobCampaign, SkippedVehicle},
};
use patio_kit::{audit, auth::identity, client::call_context::CallContext, clock, db::Db, pagination::PageWindow};
use patio_proto::{
    access::Role,
    vehicle::{self as pb, JobKind, UndoBlocker, job_service_server::JobService},
};
use std::collections::HashMap;
use tonic::Request;

/// Maximum number of campaigns that the job history lists for each job.
const MAX_LISTED_CAMPAIGNS: usize = 10;
/// Maximum number of skipped vehicles listed in the reply to an undo.
const MAX_LISTED_VEHICLES: usize = 500;

/// gRPC service that lists and undoes bulk jobs.
pub struct JobApi {
    context: ApiContext,
    deleter: CampaignDeleter,
}

impl JobApi {
    /// Creates the gRPC service. `deleter` deletes the campaigns of undone imports.
    pub fn new(context: ApiContext, deleter: CampaignDeleter) -> Self {
        Self { context, deleter }
    }
}

#[tonic::async_trait]
impl JobService for JobApi {
    async fn list_jobs(&self, request: Request<pb::ListJobsRequest>) -> Reply<pb::ListJobsResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let window = PageWindow::from_request(request.get_ref().page.as_ref());
        let listed = |db: Db| async move {
            let all = jobs::list_page(&db, window).await?;
            let ids: Vec<i64> = all.iter().map(|job| job.id).collect();
            Ok::<_, sqlx::Error>((all, jobs::list_campaigns_of_jobs(&db, &ids).await?, jobs::count(&db).await?))
        };
        let (all, of_jobs, total) = self.context.db.read_from_replica(listed).await.map_err(Error::from)?;
        let mut campaigns: HashMap<i64, Vec<JobCampaign>> = HashMap::new();
        for campaign in of_jobs {
            campaigns.entry(campaign.job_id).or_default().push(campaign);
        }
        let shown = all.into_iter().map(|job| {
            let of = campaigns.remove(&job.id).unwrap_or_default();
            job_to_proto(job, &of, caller.role)
        });
        reply(pb::ListJobsResponse { jobs: shown.collect(), meta: Some(window.to_page_meta(total)) })
    }

    async fn undo_job(&self, request: Request<pb::UndoJobRequest>) -> Reply<pb::UndoJobResponse> {
        let (caller, address, bearer) =
            (identity::authenticated_caller(&request)?, audit::client_address(&request), CallContext::from_request(&request));
        let run = BulkCallContext {
            caller,
            now: self.context.clock.now(),
            campaign: None,
            yard: None,
            dry_run: false,
            preview_limit: 0,
            address,
        };
        let (id, by) = (request.get_ref().id, run.caller.signed_in_user_id());
        let (db, live, progress) = (self.context.db.clone(), self.context.live.clone(), self.context.progress.clone());
        let undoing = async move {
            let undone = db.write(move |tx| Box::pin(async move { undo::undo_job(tx, id, &run).await })).await?;
            live.publish_vehicles_changed(&undone.campaign_counts, by);
            progress.publish_progress(&undone.campaign_counts).await;
            Ok::<_, Error>(undone)
        };
        let undone = self.context.live.run_to_completion(undoing).await?;
        if undone.deletes_campaign
            && let Err(cause) = self.deleter.execute_pending_campaign_deletions(Some(&bearer)).await
        {
            tracing::warn!(%cause, job = id, "failed to delete the campaign of a reverted import, retrying in the background");
        }
        reply(undone.into())
    }
}

fn job_to_proto(job: BulkJob, campaigns: &[JobCampaign], role: Role) -> pb::Job {
    let kind = parse_job_kind(&job.kind);
    pb::Job {
        id: job.id,
        kind: kind.into(),
        hindrance: undo_blocker(&job, campaigns, role).into(),
        detail: job.detail,
        campaigns: campaigns.iter().take(MAX_LISTED_CAMPAIGNS).map(campaign_to_proto).collect(),
        total_campaigns: i64::try_from(campaigns.len()).unwrap_or(i64::MAX),
        user_id: job.user_id,
        at: Some(clock::to_timestamp(job.at)),
        vehicles: job.vehicles,
        undone_at: job.undone_at.map(clock::to_timestamp),
        undone_by: job.undone_by,
        restored: job.restored,
    }
}

/// Parses the kind of a job from its database text. Any unknown text counts as [`JobKind::File`].
pub(super) fn parse_job_kind(kind: &str) -> JobKind {
    match kind {
        "import" => JobKind::Import,
        "status" => JobKind::Status,
        "space" => JobKind::Space,
        _ => JobKind::File,
    }
}

fn campaign_to_proto(campaign: &JobCampaign) -> pb::JobCampaign {
    pb::JobCampaign { id: campaign.campaign_id, name: campaign.name.clone(), deleted: campaign.gate == "removed" }
}

fn undo_blocker(job: &BulkJob, campaigns: &[JobCampaign], role: Role) -> UndoBlocker {
    let is = |gate: &'static str| move |campaign: &JobCampaign| campaign.gate == gate;
    match job {
        BulkJob { undone_at: Some(_), .. } => UndoBlocker::Undone,
        _ if campaigns.iter().all(is("removed")) => UndoBlocker::Deleted,
        _ if campaigns.iter().any(is("closed")) => UndoBlocker::Closed,
        BulkJob { supervisor: true, .. } if role != Role::Admin => UndoBlocker::Supervisor,
        BulkJob { kind, .. } if kind == "import" && campaigns.iter().any(|campaign| campaign.inspected > 0) => UndoBlocker::Inspected,
        _ => UndoBlocker::Unspecified,
    }
}

impl From<UndoResult> for pb::UndoJobResponse {
    fn from(undone: UndoResult) -> Self {
        let total_left = i64::try_from(undone.skipped.len()).unwrap_or(i64::MAX);
        let left = undone.skipped.into_iter().take(MAX_LISTED_VEHICLES);
        let left = left.map(|SkippedVehicle { id, vin, campaign_name }| pb::SkippedVehicle { id, vin_number: vin, campaign_name });
        Self { undone: undone.undone, restored: undone.restored, left: left.collect(), total_left, deleted: undone.deleted }
    }
}
