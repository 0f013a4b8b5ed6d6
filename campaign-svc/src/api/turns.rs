//! What vehicle-svc reports.
use super::{Reply, reply};
use crate::{turning::Report, works::Works};
use patio_proto::campaign::{self as pb, progress_service_server::ProgressService};
use tonic::Request;

/// Serves `ProgressService`.
pub struct Turns(pub Works);

#[tonic::async_trait]
impl ProgressService for Turns {
    async fn report_turn(&self, request: Request<pb::ReportTurnRequest>) -> Reply<pb::ReportTurnReply> {
        self.0.turn(Report::checked(request.into_inner())?).await?;
        reply(pb::ReportTurnReply {})
    }
}
