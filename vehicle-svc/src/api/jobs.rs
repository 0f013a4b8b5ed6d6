//! What changed many vehicles at once, and taking it back.
use super::{Reply, reply};
use crate::{
    bulk::Run,
    error::Error,
    live::Live,
    progress::Progress,
    removing::Remover,
    store::jobs::{self, Campaign, Job, Left},
    undo::{self, Undone},
};
use patio_kit::{
    audit,
    clock::{self, Clock},
    db::Db,
    host::Host,
    identity,
    link::Bearer,
    page::Window,
};
use patio_proto::{
    access::Role,
    vehicle::{self as pb, Hindrance, JobKind, job_service_server::JobService},
};
use std::collections::HashMap;
use tonic::Request;

/// How many campaigns of a job are named.
const MOST_NAMED: usize = 10;
/// How many vehicles that were left are named.
const MOST_LEFT: usize = 500;

/// Answers the calls.
pub struct Api {
    db: Db,
    clock: Clock,
    progress: Progress,
    remover: Remover,
    live: Live,
}

impl Api {
    /// Answers from a database.
    pub fn new(host: &Host, db: Db, progress: Progress, (remover, live): (Remover, Live)) -> Self {
        Self { db, clock: host.clock.clone(), progress, remover, live }
    }
}

#[tonic::async_trait]
impl JobService for Api {
    async fn list_jobs(&self, request: Request<pb::ListJobsRequest>) -> Reply<pb::ListJobsReply> {
        let caller = identity::caller(&request)?;
        let window = Window::of(request.get_ref().page.as_ref());
        let all = jobs::page(&self.db, window).await.map_err(Error::from)?;
        let ids: Vec<i64> = all.iter().map(|job| job.id).collect();
        let mut campaigns: HashMap<i64, Vec<Campaign>> = HashMap::new();
        for campaign in jobs::campaigns(&self.db, &ids).await.map_err(Error::from)? {
            campaigns.entry(campaign.job_id).or_default().push(campaign);
        }
        let shown = all.into_iter().map(|job| {
            let of = campaigns.remove(&job.id).unwrap_or_default();
            shown(job, &of, caller.role)
        });
        let total = jobs::count(&self.db).await.map_err(Error::from)?;
        reply(pb::ListJobsReply { jobs: shown.collect(), meta: Some(window.meta(total)) })
    }

    async fn undo_job(&self, request: Request<pb::UndoJobRequest>) -> Reply<pb::UndoJobReply> {
        let (caller, address, bearer) = (identity::caller(&request)?, audit::address(&request), Bearer::of(&request));
        let run = Run { caller, now: self.clock.now(), campaign: None, yard: None, dry_run: false, address };
        let (id, by) = (request.get_ref().id, run.caller.person());
        let (db, live, progress) = (self.db.clone(), self.live.clone(), self.progress.clone());
        let undoing = async move {
            let undone = db.write(move |tx| Box::pin(async move { undo::undo(tx, id, &run).await })).await?;
            live.changed(&undone.counted, by);
            progress.changed(&undone.counted).await;
            Ok::<_, Error>(undone)
        };
        let undone = self.live.whole(undoing).await?;
        if undone.removes
            && let Err(cause) = self.remover.remove_all(Some(&bearer)).await
        {
            tracing::warn!(%cause, job = id, "the campaign of job {id} will be removed in a moment");
        }
        reply(undone.into())
    }
}

fn shown(job: Job, campaigns: &[Campaign], role: Role) -> pb::Job {
    let kind = match job.kind.as_str() {
        "import" => JobKind::Import,
        "status" => JobKind::Status,
        "space" => JobKind::Space,
        _ => JobKind::File,
    };
    pb::Job {
        id: job.id,
        kind: kind.into(),
        hindrance: hindrance(&job, campaigns, role).into(),
        detail: job.detail,
        campaigns: campaigns.iter().take(MOST_NAMED).map(named).collect(),
        total_campaigns: i64::try_from(campaigns.len()).unwrap_or(i64::MAX),
        user_id: job.user_id,
        at: Some(clock::timestamp(job.at)),
        vehicles: job.vehicles,
        undone_at: job.undone_at.map(clock::timestamp),
        undone_by: job.undone_by,
        restored: job.restored,
    }
}

fn named(campaign: &Campaign) -> pb::JobCampaign {
    pb::JobCampaign { id: campaign.campaign_id, name: campaign.name.clone(), deleted: campaign.gate == "removed" }
}

fn hindrance(job: &Job, campaigns: &[Campaign], role: Role) -> Hindrance {
    let is = |gate: &'static str| move |campaign: &Campaign| campaign.gate == gate;
    match job {
        Job { undone_at: Some(_), .. } => Hindrance::Undone,
        _ if campaigns.iter().all(is("removed")) => Hindrance::Deleted,
        _ if campaigns.iter().any(is("closed")) => Hindrance::Closed,
        Job { supervisor: true, .. } if role != Role::Admin => Hindrance::Supervisor,
        _ => Hindrance::Unspecified,
    }
}

impl From<Undone> for pb::UndoJobReply {
    fn from(undone: Undone) -> Self {
        let total_left = i64::try_from(undone.left.len()).unwrap_or(i64::MAX);
        let left = undone.left.into_iter().take(MOST_LEFT);
        let left = left.map(|Left { id, vin, campaign_name }| pb::LeftVehicle { id, vin_number: vin, campaign_name });
        Self { undone: undone.undone, restored: undone.restored, left: left.collect(), total_left, deleted: undone.deleted }
    }
}
