//! gRPC service for history: the changes of a vehicle, and the bulk jobs of a campaign or a user.
use super::{ApiContext, Reply, jobs::parse_job_kind, reply};
use crate::{
    error::Error,
    inspection::vehicle_history,
    store::{
        jobs::{self, JobEvent},
        vehicles,
    },
    yard_filter::YardFilter,
};
use patio_kit::{auth::identity, clock, db::Db, pagination::HistoryWindow};
use patio_proto::vehicle::{self as pb, history_service_server::HistoryService};
use tonic::Request;

/// gRPC service that lists the changes of a vehicle, the bulk jobs that changed a campaign, and the bulk jobs of a user.
pub struct ChangeHistoryApi(pub ApiContext);

#[tonic::async_trait]
impl HistoryService for ChangeHistoryApi {
    async fn list_campaign_jobs(&self, request: Request<pb::ListCampaignJobsRequest>) -> Reply<pb::ListJobEventsResponse> {
        let request = request.into_inner();
        let window = HistoryWindow::from_request(request.window.as_ref());
        let listed = |db: Db| async move { jobs::list_job_events_of_campaign(&db, request.campaign_id, &window).await };
        reply(to_response(self.0.db.read_from_replica(listed).await.map_err(Error::from)?))
    }

    async fn list_user_jobs(&self, request: Request<pb::ListUserJobsRequest>) -> Reply<pb::ListJobEventsResponse> {
        let request = request.into_inner();
        let window = HistoryWindow::from_request(request.window.as_ref());
        let listed = |db: Db| async move { jobs::list_job_events_of_user(&db, request.user_id, &window).await };
        reply(to_response(self.0.db.read_from_replica(listed).await.map_err(Error::from)?))
    }

    async fn list_vehicle_history(&self, request: Request<pb::ListVehicleHistoryRequest>) -> Reply<pb::ListVehicleHistoryResponse> {
        let role = identity::authenticated_caller(&request)?.role;
        let request = request.into_inner();
        let before = request.before.as_ref().and_then(clock::from_timestamp).unwrap_or_else(clock::max_storable_time);
        let limit = usize::try_from(request.limit.clamp(1, 100)).unwrap_or(1);
        let listed = |db: Db| async move {
            let found = vehicles::find(&db, request.vehicle_id, YardFilter::for_role(role, None)).await?;
            let vehicle = found.ok_or(Error::VehicleNotFound(request.vehicle_id))?;
            vehicle_history::list_changes_of_vehicle(&db, &vehicle, role, before, limit).await
        };
        reply(self.0.db.read_from_replica(listed).await?)
    }
}

fn to_response(events: Vec<JobEvent>) -> pb::ListJobEventsResponse {
    pb::ListJobEventsResponse { events: events.into_iter().map(Into::into).collect() }
}

impl From<JobEvent> for pb::JobEvent {
    fn from(event: JobEvent) -> Self {
        let JobEvent { id, at, user_id, kind, undone, detail, vehicles, job_id } = event;
        let kind = parse_job_kind(&kind).into();
        Self { id, at: Some(clock::to_timestamp(at)), user_id, kind, undone, detail, vehicles, job_id }
    }
}
