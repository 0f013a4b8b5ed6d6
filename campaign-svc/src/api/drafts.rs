//! The steps of an import.
use super::{Reply, accept, reply};
use crate::{drafting, works::Works};
use patio_proto::campaign::{self as pb, draft_service_server::DraftService};
use tonic::Request;

/// Serves `DraftService`.
pub struct Drafts(pub Works);

#[tonic::async_trait]
impl DraftService for Drafts {
    async fn create_draft(&self, request: Request<pb::CreateDraftRequest>) -> Reply<pb::Campaign> {
        let (asker, ask) = accept(request)?;
        let draft = drafting::checked(&asker, &ask, self.0.now())?;
        reply(self.0.draft(draft).await?)
    }

    async fn touch_draft(&self, request: Request<pb::TouchDraftRequest>) -> Reply<pb::TouchDraftReply> {
        let (asker, ask) = accept(request)?;
        self.0.touch(&asker, ask.id).await?;
        reply(pb::TouchDraftReply {})
    }

    async fn publish_draft(&self, request: Request<pb::PublishDraftRequest>) -> Reply<pb::Campaign> {
        let (asker, ask) = accept(request)?;
        reply(self.0.publish(asker, ask.id).await?)
    }

    async fn discard_draft(&self, request: Request<pb::DiscardDraftRequest>) -> Reply<pb::DiscardDraftReply> {
        let (asker, ask) = accept(request)?;
        self.0.discard(&asker, ask.id).await?;
        reply(pb::DiscardDraftReply {})
    }
}
