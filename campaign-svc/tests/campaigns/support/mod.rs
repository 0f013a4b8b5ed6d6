//! Test fixture: a running campaign-svc with a fake auth-svc and vehicle-svc, and callers of each role.
mod auth;
pub mod yard;

use campaign_svc::{Config, SCHEMA, Sweeper};
use chrono::TimeDelta;
use patio_kit::{
    campaign_progress_cache::{self, CachedCampaignProgress},
    client::service_channel::ServiceChannel,
    errors::{self, ErrorReason},
    server::authorization_layer::AuthorizationLayerState,
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    audit::{Event, ListEventsRequest, audit_service_client::AuditServiceClient},
    campaign::{
        self as pb, Campaign, CampaignStatus, Milestone, campaign_service_client::CampaignServiceClient,
        draft_service_client::DraftServiceClient, milestone_service_client::MilestoneServiceClient,
    },
    common::{HistoryWindow, Page},
};
use std::time::Duration;
use tonic::{Code, Request, Status, service::Routes};
use yard::Yard;

/// Id and role of the operator in the tests.
pub const OPERATOR: (i64, Role) = (11, Role::Operator);
/// Id and role of the team leader in the tests.
pub const MANAGER: (i64, Role) = (12, Role::Manager);
/// Id and role of the supervisor in the tests.
pub const ADMIN: (i64, Role) = (13, Role::Admin);
/// Id and role of a service that calls without a user.
pub const SERVICE: (i64, Role) = (0, Role::Service);
/// Id and role of the developer account.
pub const DEVELOPER: (i64, Role) = (1, Role::Admin);

/// A running campaign-svc and its fake vehicle-svc.
pub struct World {
    pub host: ServiceHost,
    pub yard: Yard,
    pub sweeper: Sweeper,
}

impl World {
    /// Starts campaign-svc with its own sweeper idle, so that tests decide when to sweep.
    pub async fn start(host: ServiceHost) -> Self {
        Self::start_sweeping(host, Duration::from_secs(3600)).await
    }

    /// Starts campaign-svc with this sweep interval.
    pub async fn start_sweeping(host: ServiceHost, sweep_interval: Duration) -> Self {
        let yard = Yard::default();
        join(&host, &host.channels.auth, "auth-svc", auth::routes(&host));
        join(&host, &host.channels.vehicle, "vehicle-svc", yard.routes());
        let service = campaign_svc::start(Config { sweep_interval }, &host).await.unwrap();
        host.attach_local_service(&service);
        let db = host.open_database(SCHEMA).await.unwrap();
        Self { sweeper: Sweeper::new(&host, &db), host, yard }
    }

    /// Returns a request made by a user.
    pub fn by<T>(&self, (id, role): (i64, Role), message: T) -> Request<T> {
        patio_testing::bearer(&self.host, id, role).grpc_request_with_timeout(patio_testing::LONG_CALL_TIMEOUT, message)
    }

    /// Returns a request that import-svc makes on behalf of a user.
    pub fn for_person<T>(&self, (id, role): (i64, Role), message: T) -> Request<T> {
        let service = patio_testing::bearer(&self.host, SERVICE.0, SERVICE.1);
        patio_testing::bearer(&self.host, id, role)
            .to_delegated_context(&service)
            .grpc_request_with_timeout(patio_testing::LONG_CALL_TIMEOUT, message)
    }

    pub fn campaigns(&self) -> CampaignServiceClient<ServiceChannel> {
        CampaignServiceClient::new(self.host.channels.campaign.clone())
    }

    pub fn drafts(&self) -> DraftServiceClient<ServiceChannel> {
        DraftServiceClient::new(self.host.channels.campaign.clone())
    }

    /// Creates a draft as the team leader.
    pub async fn draft(&self, name: &str) -> Result<Campaign, Status> {
        let import_id = format!("import of {name}");
        let ask = pb::CreateDraftRequest { import_id, name: name.to_owned(), part: "Hose".to_owned(), ..Default::default() };
        self.drafts().create_draft(self.for_person(MANAGER, ask)).await.map(tonic::Response::into_inner)
    }

    pub async fn publish(&self, id: i64) -> Result<Campaign, Status> {
        self.drafts().publish_draft(self.for_person(MANAGER, pb::PublishDraftRequest { id })).await.map(tonic::Response::into_inner)
    }

    pub async fn discard(&self, id: i64) -> Result<(), Status> {
        self.drafts().discard_draft(self.for_person(MANAGER, pb::DiscardDraftRequest { id })).await.map(drop)
    }

    /// Imports a campaign with status Ready and returns its id.
    pub async fn ready(&self, name: &str) -> i64 {
        let draft = self.draft(name).await.unwrap();
        self.publish(draft.id).await.unwrap().id
    }

    /// Imports a campaign and moves it to a status as the supervisor.
    pub async fn campaign_at(&self, name: &str, status: CampaignStatus) -> i64 {
        let id = self.ready(name).await;
        let way: &[CampaignStatus] = match status {
            CampaignStatus::Unspecified | CampaignStatus::Ready => &[],
            CampaignStatus::Ongoing => &[CampaignStatus::Ongoing],
            CampaignStatus::PendingReview => &[CampaignStatus::Ongoing, CampaignStatus::PendingReview],
            CampaignStatus::Closed => &[CampaignStatus::Ongoing, CampaignStatus::Closed],
        };
        for step in way {
            self.step(ADMIN, id, *step).await.unwrap();
        }
        id
    }

    pub async fn get(&self, id: i64) -> Result<Campaign, Status> {
        self.campaigns().get_campaign(self.by(OPERATOR, pb::GetCampaignRequest { id, yard: None })).await.map(tonic::Response::into_inner)
    }

    pub async fn save(&self, who: (i64, Role), ask: pb::UpdateCampaignRequest) -> Result<Campaign, Status> {
        self.campaigns().update_campaign(self.by(who, ask)).await.map(tonic::Response::into_inner)
    }

    /// Updates only the status of a campaign.
    pub async fn step(&self, who: (i64, Role), id: i64, to: CampaignStatus) -> Result<Campaign, Status> {
        self.save(who, pb::UpdateCampaignRequest { id, status: Some(to.into()), ..Default::default() }).await
    }

    /// Updates only the name of a campaign, as the team leader.
    pub async fn rename(&self, id: i64, name: &str) -> Result<Campaign, Status> {
        self.save(MANAGER, pb::UpdateCampaignRequest { id, name: Some(name.to_owned()), ..Default::default() }).await
    }

    pub async fn delete(&self, id: i64) -> Result<(), Status> {
        self.campaigns().delete_campaign(self.by(MANAGER, pb::DeleteCampaignRequest { id })).await.map(drop)
    }

    pub async fn list(&self, ask: pb::ListCampaignsRequest) -> Result<pb::ListCampaignsResponse, Status> {
        self.list_as(OPERATOR, ask).await
    }

    pub async fn list_as(&self, who: (i64, Role), ask: pb::ListCampaignsRequest) -> Result<pb::ListCampaignsResponse, Status> {
        self.campaigns().list_campaigns(self.by(who, ask)).await.map(tonic::Response::into_inner)
    }

    /// Returns the campaign names of one page, and the total count of campaigns.
    pub async fn names(&self, ask: pb::ListCampaignsRequest) -> (Vec<String>, i64) {
        let reply = self.list(ask).await.unwrap();
        (reply.campaigns.into_iter().map(|campaign| campaign.name).collect(), reply.meta.unwrap().total_count)
    }

    /// Sets the counters of a campaign in a yard, and writes the cache entry that vehicle-svc writes at a commit.
    pub async fn count(&self, id: i64, yard: i32, counters: (i64, i64, Option<i64>)) {
        let now = self.yard.count(id, yard, counters);
        let committed = CachedCampaignProgress {
            total: now.total_vehicles,
            inspected: now.total_inspected,
            next: None,
            next_known: false,
            in_dash: false,
        };
        assert!(self.host.cache.put_if_newer(&campaign_progress_cache::campaign_progress_cache_key(id), now.revision, &committed).await);
    }

    /// Reports a milestone (work began, is complete, or is incomplete again), as vehicle-svc does.
    pub async fn turn(&self, campaign_id: i64, turn: Milestone, revision: i64) {
        let report = pb::ReportMilestoneRequest { campaign_id, milestone: turn.into(), revision };
        MilestoneServiceClient::new(self.host.channels.campaign.clone()).report_milestone(self.by(SERVICE, report)).await.unwrap();
    }

    /// Returns all audit entries, newest first.
    pub async fn audit(&self) -> Vec<Event> {
        let ask = self.by(DEVELOPER, ListEventsRequest { limit: 200, ..Default::default() });
        AuditServiceClient::new(self.host.channels.campaign.clone()).list_events(ask).await.unwrap().into_inner().events
    }

    /// Returns the audit entries of a campaign in a window of its history.
    pub async fn history(&self, who: (i64, Role), id: i64, window: HistoryWindow) -> Result<Vec<Event>, Status> {
        let ask = self.by(who, pb::ListCampaignHistoryRequest { id, window: Some(window) });
        self.campaigns().list_campaign_history(ask).await.map(|reply| reply.into_inner().events)
    }

    /// Advances the host's clock, then runs one sweep.
    pub async fn sweep_after(&self, seconds: i64) {
        self.host.clock.advance(TimeDelta::seconds(seconds));
        self.sweeper.sweep().await;
    }

    /// Waits until a background change has happened; panics after ten seconds.
    pub async fn eventually(&self, come: impl Fn() -> bool) {
        for _ in 0..200 {
            if come() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the expected change did not happen within ten seconds");
    }
}

/// Attaches a fake service behind the real authorization layer, so that its calls need valid tokens and roles.
fn join(host: &ServiceHost, link: &ServiceChannel, service: &'static str, routes: Routes) {
    let ServiceChannel::Local(slot) = link else { panic!("the tests run in one process") };
    let guard = AuthorizationLayerState { identity: host.identity.clone(), service, db: None };
    let layer = axum::middleware::from_fn_with_state(guard, patio_kit::server::authorization_layer::authorize_and_record_call);
    assert!(slot.set(routes.prepare().into_axum_router().layer(layer)).is_ok(), "{service} is already attached");
}

/// Returns a request for one page of campaigns.
pub fn page(index: i32, size: i32) -> pb::ListCampaignsRequest {
    pb::ListCampaignsRequest { page: Some(Page { index, size }), ..Default::default() }
}

/// Returns a request for the first page of a search.
pub fn search(text: &str) -> pb::ListCampaignsRequest {
    pb::ListCampaignsRequest { search: text.to_owned(), ..page(0, 200) }
}

/// Returns the gRPC code and reason of a rejected call; panics when the call succeeded.
#[track_caller]
pub fn refused<T>(answer: Result<T, Status>) -> (Code, ErrorReason) {
    let Err(status) = answer else { panic!("the call was not rejected") };
    let reason = errors::reason(&status).unwrap_or_else(|| panic!("an error status without a reason: {status:?}"));
    (status.code(), reason)
}
