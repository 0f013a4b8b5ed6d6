//! gRPC `CampaignService`: lists, reads, updates and deletes campaigns.
use crate::{
    api::{Reply, accept, reply},
    campaign_change::CampaignChange,
    context::ServiceContext,
    list::CampaignListQuery,
};
use patio_kit::pagination::HistoryWindow;
use patio_proto::campaign::{self as pb, campaign_service_server::CampaignService};
use tonic::Request;

/// Handlers of the gRPC `CampaignService`: list, read, update and delete campaigns.
pub struct CampaignApi(pub ServiceContext);

#[tonic::async_trait]
impl CampaignService for CampaignApi {
    async fn list_campaigns(&self, request: Request<pb::ListCampaignsRequest>) -> Reply<pb::ListCampaignsResponse> {
        let (context, request) = accept(request)?;
        let request = CampaignListQuery::from_request(request, context.caller.role)?;
        let (seen, meta) = self.0.list_campaigns(&context, request).await?;
        reply(pb::ListCampaignsResponse { campaigns: seen.into_iter().map(pb::Campaign::from).collect(), meta: Some(meta) })
    }

    async fn get_campaign(&self, request: Request<pb::GetCampaignRequest>) -> Reply<pb::Campaign> {
        let (context, request) = accept(request)?;
        reply(self.0.get_campaign(&context, request.id, request.yard).await?)
    }

    async fn list_campaign_history(&self, request: Request<pb::ListCampaignHistoryRequest>) -> Reply<pb::ListCampaignHistoryResponse> {
        let (_, request) = accept(request)?;
        let events = self.0.list_campaign_history(request.id, HistoryWindow::from_request(request.window.as_ref())).await?;
        reply(pb::ListCampaignHistoryResponse { events })
    }

    async fn update_campaign(&self, request: Request<pb::UpdateCampaignRequest>) -> Reply<pb::Campaign> {
        let (context, request) = accept(request)?;
        let id = request.id;
        reply(self.0.update_campaign(context, id, CampaignChange::from_request(request)?).await?)
    }

    async fn delete_campaign(&self, request: Request<pb::DeleteCampaignRequest>) -> Reply<pb::DeleteCampaignResponse> {
        let (context, request) = accept(request)?;
        self.0.delete_campaign(context, request.id).await?;
        reply(pb::DeleteCampaignResponse {})
    }
}
