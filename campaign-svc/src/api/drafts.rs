//! gRPC `DraftService`, with which import-svc creates, keeps alive, publishes and discards the draft campaign of an
//! import.
use crate::{
    api::{Reply, accept, reply},
    context::ServiceContext,
    drafts,
};
use patio_proto::campaign::{self as pb, draft_service_server::DraftService};
use tonic::Request;

/// Handlers of the gRPC `DraftService`, which import-svc calls to create, keep alive, publish and discard draft campaigns.
pub struct DraftApi(pub ServiceContext);

#[tonic::async_trait]
impl DraftService for DraftApi {
    async fn create_draft(&self, request: Request<pb::CreateDraftRequest>) -> Reply<pb::Campaign> {
        let (context, request) = accept(request)?;
        let draft = drafts::validate_draft(&context, &request, self.0.now())?;
        reply(self.0.create_draft(draft).await?)
    }

    async fn heartbeat_draft(&self, request: Request<pb::HeartbeatDraftRequest>) -> Reply<pb::HeartbeatDraftResponse> {
        let (context, request) = accept(request)?;
        self.0.record_heartbeat(&context, request.id).await?;
        reply(pb::HeartbeatDraftResponse {})
    }

    async fn publish_draft(&self, request: Request<pb::PublishDraftRequest>) -> Reply<pb::Campaign> {
        let (context, request) = accept(request)?;
        reply(self.0.publish_draft(context, request.id).await?)
    }

    async fn discard_draft(&self, request: Request<pb::DiscardDraftRequest>) -> Reply<pb::DiscardDraftResponse> {
        let (context, request) = accept(request)?;
        self.0.discard_draft(&context, request.id).await?;
        reply(pb::DiscardDraftResponse {})
    }
}
