//! Campaigns as people see them.
use super::{Reply, accept, reply};
use crate::{change::Change, listing::Ask, works::Works};
use patio_proto::campaign::{self as pb, campaign_service_server::CampaignService};
use tonic::Request;

/// Serves `CampaignService`.
pub struct Campaigns(pub Works);

#[tonic::async_trait]
impl CampaignService for Campaigns {
    async fn list_campaigns(&self, request: Request<pb::ListCampaignsRequest>) -> Reply<pb::ListCampaignsReply> {
        let (asker, ask) = accept(request)?;
        let ask = Ask::checked(ask, asker.caller.role)?;
        let (seen, meta) = self.0.list(&asker, ask).await?;
        reply(pb::ListCampaignsReply { campaigns: seen.into_iter().map(pb::Campaign::from).collect(), meta: Some(meta) })
    }

    async fn get_campaign(&self, request: Request<pb::GetCampaignRequest>) -> Reply<pb::Campaign> {
        let (asker, ask) = accept(request)?;
        reply(self.0.look(&asker, ask.id, ask.yard).await?)
    }

    async fn update_campaign(&self, request: Request<pb::UpdateCampaignRequest>) -> Reply<pb::Campaign> {
        let (asker, ask) = accept(request)?;
        let id = ask.id;
        reply(self.0.save(asker, id, Change::checked(ask)?).await?)
    }

    async fn delete_campaign(&self, request: Request<pb::DeleteCampaignRequest>) -> Reply<pb::DeleteCampaignReply> {
        let (asker, ask) = accept(request)?;
        self.0.delete(asker, ask.id).await?;
        reply(pb::DeleteCampaignReply {})
    }
}
