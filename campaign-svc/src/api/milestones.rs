//! gRPC `MilestoneService`, with which vehicle-svc reports milestones of campaigns: the work on the vehicles has begun, is complete, or
//! is incomplete again.
use crate::{
    api::{Reply, reply},
    context::ServiceContext,
    milestones::MilestoneReport,
};
use patio_proto::campaign::{self as pb, milestone_service_server::MilestoneService};
use tonic::Request;

/// Handler of the gRPC `MilestoneService`. vehicle-svc calls the service when the work on a campaign's vehicles has begun, is complete,
/// or is incomplete again.
pub struct MilestoneApi(pub ServiceContext);

#[tonic::async_trait]
impl MilestoneService for MilestoneApi {
    async fn report_milestone(&self, request: Request<pb::ReportMilestoneRequest>) -> Reply<pb::ReportMilestoneResponse> {
        self.0.apply_milestone(MilestoneReport::from_request(request.into_inner())?).await?;
        reply(pb::ReportMilestoneResponse {})
    }
}
